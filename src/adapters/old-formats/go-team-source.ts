/** go-team: `{storage}/{session}/manifest.json`, `cp-*.json`, `rollback-history.json`. The folder named may be the storage or one session. */
import { createHash } from "node:crypto";
import { joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Fields } from "../../domain/old-formats/field-reader.ts";
import { readGoTeam, type GoTeamFile } from "../../domain/old-formats/go-team.ts";
import type { ReadSession } from "../../domain/old-formats/old-session.ts";
import { LIST } from "./parse-piece.ts";
import { shownPath, type SourceEntry } from "./source-folder.ts";
import type { ReadPiece, SourceReader } from "./source-reader.ts";

const RECORD = /^cp-.*\.json$/s;

export async function readGoTeamSource(
  source: SourceReader,
  rootName: string,
): Promise<ReadSession[]> {
  const top = source.entries(ROOT);
  if (isSession(top)) return [await readFolder(source, ROOT, rootName, top)];
  const sessions: ReadSession[] = [];
  for (const { path, name, kind } of top) {
    const entries = kind === "folder" ? source.entries(path) : [];
    if (isSession(entries)) sessions.push(await readFolder(source, path, shownPath(name), entries));
  }
  if (sessions.length > 0) source.noteLinks(top);
  return sessions;
}

function isSession(entries: readonly SourceEntry[]): boolean {
  return entries.some(({ name }) => name === "manifest.json" || RECORD.test(name));
}

async function readFolder(
  source: SourceReader,
  folder: BytePath,
  name: string,
  entries: readonly SourceEntry[],
): Promise<ReadSession> {
  const named = (file: string): boolean => entries.some((entry) => entry.name === file);
  const manifest = named("manifest.json")
    ? await source.piece(joinPath(folder, "manifest.json"))
    : undefined;
  if (!named("manifest.json")) {
    const place = shownPath(joinPath(folder, "manifest.json"));
    source.note("missing_file", place, "the session has no manifest; its records are read alone");
  }
  const history = named("rollback-history.json")
    ? await source.piece(joinPath(folder, "rollback-history.json"), "list")
    : undefined;
  const records: GoTeamFile[] = [];
  for (const { path, name: file } of entries) {
    const piece = RECORD.test(file) ? await source.piece(path) : undefined;
    if (piece !== undefined) records.push(fileOf(piece));
  }
  return readGoTeam({
    name,
    manifest: manifest && fileOf(manifest),
    records,
    history: historyOf(history?.value),
  });
}

function fileOf(piece: ReadPiece): GoTeamFile {
  const { file, value, raw, writtenAt } = piece;
  return { file, content: value, writtenAt, isWhole: hasRightChecksum(raw) };
}

function historyOf(value: Fields | undefined): readonly unknown[] {
  const lists = [LIST, "rollback_history", "rollbacks", "history"].map((name) => value?.[name]);
  return lists.find((list) => Array.isArray(list)) ?? [];
}

/**
 * The tool says "sha256 of the content" and not how that is written as text, so the usual ways count. A record without a checksum
 * is taken as it is.
 */
export function hasRightChecksum(record: Fields): boolean {
  const given = record["checksum"];
  if (typeof given !== "string" || given === "") return true;
  const wanted = given.replace(/^sha256:/, "").toLowerCase();
  const { checksum: _, ...content } = record;
  return writings(content).some(
    (text) => createHash("sha256").update(text).digest("hex") === wanted,
  );
}

function writings(content: Fields): string[] {
  const plain = [
    JSON.stringify(content),
    JSON.stringify(content, null, 2),
    canonicalJson(content),
    JSON.stringify(JSON.parse(canonicalJson(content)), null, 2),
    pythonJson(content, false),
    pythonJson(content, true),
  ];
  return plain.flatMap((text) => [text, `${text}\n`]);
}

/** As `json.dumps` writes it: spaces after commas and colons, and nothing but ASCII. */
function pythonJson(value: unknown, isSorted: boolean): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => pythonJson(item, isSorted)).join(", ")}]`;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    const ordered = isSorted
      ? entries.toSorted(([left], [right]) => (left < right ? -1 : 1))
      : entries;
    const members = ordered.map(
      ([name, inner]) => `${ascii(JSON.stringify(name))}: ${pythonJson(inner, isSorted)}`,
    );
    return `{${members.join(", ")}}`;
  }
  return ascii(JSON.stringify(value));
}

function ascii(text: string): string {
  return text.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
