/** crunch: `.claude/crunch/{issue}/checkpoints/` with `index.yaml`, `CP-*.yaml` and the link `latest`. Any of these folders may be named. */
import {
  asBytePath,
  joinPath,
  nameOf,
  parentOf,
  ROOT,
  type BytePath,
} from "../../domain/byte-path.ts";
import { readCrunch, type CrunchFile } from "../../domain/old-formats/crunch.ts";
import type { ReadSession } from "../../domain/old-formats/old-session.ts";
import { shownPath, type SourceEntry } from "./source-folder.ts";
import type { SourceReader } from "./source-reader.ts";

const RECORD = /^CP-.*\.ya?ml$/s;
const INDEX = /^index\.ya?ml$/;
const FOLDER = "checkpoints";

/** `names` are those of the folder and of the one above it. */
export async function readCrunchSource(
  source: SourceReader,
  names: { readonly own: string; readonly above: string },
): Promise<ReadSession[]> {
  const sessions: ReadSession[] = [];
  for (const folder of foldersIn(source)) {
    const path = parentOf(folder);
    const issue = folder === ROOT ? (names.own === FOLDER ? names.above : names.own) : nameOf(path);
    const shown = folder === asBytePath(FOLDER) ? names.own : shownPath(issue);
    sessions.push(await readFolder(source, folder, shown));
  }
  return sessions;
}

/** Those with records: the named one, its `checkpoints`, or the `checkpoints` of each issue in it. */
function foldersIn(source: SourceReader): BytePath[] {
  const top = source.entries(ROOT);
  if (isRecords(top)) return [ROOT];
  const below = asBytePath(FOLDER);
  if (isRecords(folderEntries(source, top, FOLDER, below))) return [below];
  const found = top.flatMap(({ path, kind }) => {
    if (kind !== "folder") return [];
    const checkpoints = joinPath(path, FOLDER);
    return isRecords(folderEntries(source, source.entries(path), FOLDER, checkpoints))
      ? [checkpoints]
      : [];
  });
  if (found.length > 0) source.noteLinks(top);
  return found;
}

function folderEntries(
  source: SourceReader,
  entries: readonly SourceEntry[],
  name: string,
  path: BytePath,
): readonly SourceEntry[] {
  return entries.some((entry) => entry.name === name && entry.kind === "folder")
    ? source.entries(path)
    : [];
}

function isRecords(entries: readonly SourceEntry[]): boolean {
  return entries.some(({ name }) => INDEX.test(name) || RECORD.test(name));
}

async function readFolder(
  source: SourceReader,
  folder: BytePath,
  issue: string,
): Promise<ReadSession> {
  const records: CrunchFile[] = [];
  let index: CrunchFile | undefined;
  let latest: string | null = null;
  for (const { path, name, kind } of source.entries(folder)) {
    if (name === "latest" && kind === "link") latest = latestOf(source, path);
    if (!INDEX.test(name) && !RECORD.test(name)) continue;
    const piece = await source.piece(path);
    if (piece === undefined) continue;
    const file = { file: piece.file, content: piece.value, writtenAt: piece.writtenAt };
    if (INDEX.test(name)) index = file;
    else records.push(file);
  }
  return readCrunch({ issue, index, records, latest });
}

/** Only a name of the same folder is one of its records. */
function latestOf(source: SourceReader, path: BytePath): string | null {
  const target = source.folder.target(path) ?? "";
  if (RECORD.test(target) && !target.includes("/")) return target.replace(/\.ya?ml$/, "");
  source.note(
    "unreadable",
    shownPath(path),
    `it leads to ${shownPath(target)}, which is not a record next to it`,
  );
  return null;
}
