/**
 * The patch between two moments for readers who must not see secrets: what looks like one is left out, also in files that git tracks,
 * and whole files are searched for it, not only the lines that a patch shows.
 */
import { showPath, type BytePath } from "../domain/byte-path.ts";
import { searchPatch, type PatchSection } from "../domain/secrets/patch-secrets.ts";
import { redact } from "../domain/secrets/redact.ts";
import { sensitiveNames } from "../domain/sensitive-name.ts";
import type { HeldSecret } from "../ports/held-secrets.ts";
import { secretsBetween } from "./check-secrets.ts";
import type { Difference } from "./diff-checkpoints.ts";
import type { Project } from "./project.ts";

export interface SafePatch {
  readonly patch: string;
  /** Files that look like secrets. */
  readonly notShown: readonly HeldSecret[];
  /** What else is not in it, in words. */
  readonly leftOut: readonly string[];
}

/** More would be no help to whoever reads it, and no single search. */
const MOST_FILES = 200;
/** Whole files are searched; larger ones are not shown. */
const MOST_SEARCHED_BYTES = 32 * 1024 * 1024;
const WHOLE_FILES = 1_000_000_000;
const CONTEXT_LINES = 3;

type Compared = Pick<Difference, "from" | "to" | "files" | "moments">;

export interface HiddenFiles {
  /** What looks like a secret on either side. */
  readonly secrets: ReadonlyMap<BytePath, HeldSecret>;
  /** They could not be searched. */
  readonly tooLarge: readonly BytePath[];
  /** All that changed and whose names say nothing. */
  readonly open: readonly BytePath[];
  /** Those of them that were searched. */
  readonly searched: readonly BytePath[];
}

/** The files of which no patch shows anything. */
export async function hiddenFiles(
  project: Project,
  difference: Compared,
  mostFiles = Infinity,
): Promise<HiddenFiles> {
  const { files } = difference;
  const held = await secretsBetween(project, difference);
  const known = new Map(held.map((secret) => [secret.path, secret]));
  const isSensitive = sensitiveNames(project.config.secrets.patterns);
  for (const { path } of files) {
    if (isSensitive(path) && !known.has(path)) known.set(path, { path, reason: "sensitive" });
  }
  const open = files.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  const searched = open.slice(0, mostFiles);
  const tooLarge: BytePath[] = [];
  for (let at = 0; at < searched.length; at += MOST_FILES) {
    const some = searched.slice(at, at + MOST_FILES);
    for (const secret of await secretsOf(project, difference, some, tooLarge)) {
      known.set(secret.path, secret);
    }
  }
  return { secrets: known, tooLarge, searched, open };
}

export async function safePatch(
  project: Project,
  difference: Compared,
  mostCharacters: number,
): Promise<SafePatch> {
  const { secrets, tooLarge, searched, open } = await hiddenFiles(project, difference, MOST_FILES);
  const changed = new Set(difference.files.map(({ path }) => path));
  const hidden = new Set([...secrets.keys(), ...tooLarge]);
  const shown = searched.filter((path) => !hidden.has(path));
  const { text: raw, isCut } = await patchOf(project, difference, shown, {
    contextLines: CONTEXT_LINES,
    mostBytes: MOST_SEARCHED_BYTES,
  });
  const text = redact(raw);
  const end = text.length <= mostCharacters ? text.length : lineEnd(text, mostCharacters);
  return {
    patch: text.slice(0, end),
    notShown: [...secrets.values()].filter(({ path }) => changed.has(path)),
    leftOut: [
      ...(open.length > searched.length
        ? [`patch: ${open.length - searched.length} of ${open.length} files; name some in paths`]
        : []),
      ...tooLarge.map((path) => `patch: ${showPath(path)} is too large to be searched for secrets`),
      ...(end < text.length || isCut
        ? [`patch: the last ${isCut ? "" : `${text.length - end} `}characters`]
        : []),
    ],
  };
}

/** Lines stay whole. */
function lineEnd(text: string, most: number): number {
  const end = text.lastIndexOf("\n", most - 1) + 1;
  return end === 0 ? most : end;
}

/** Fails closed: what cannot be assigned to a file, or is too large, is looked at file by file. */
async function secretsOf(
  project: Project,
  difference: Compared,
  paths: readonly BytePath[],
  tooLarge: BytePath[],
): Promise<HeldSecret[]> {
  const [first] = paths;
  if (first === undefined) return [];
  const whole = await patchOf(project, difference, paths, {
    contextLines: WHOLE_FILES,
    mostBytes: MOST_SEARCHED_BYTES,
  });
  const found = whole.isCut ? [] : searchPatch(whole.text).filter(isFound);
  if (paths.length === 1) {
    if (whole.isCut) tooLarge.push(first);
    const [secret] = found;
    return secret === undefined ? [] : [held(first, secret.ruleId)];
  }
  const known = new Set(paths);
  if (!whole.isCut && found.every(({ path }) => path !== undefined && known.has(path))) {
    return found.flatMap(({ path, ruleId }) => (path === undefined ? [] : [held(path, ruleId)]));
  }
  const all: HeldSecret[] = [];
  for (const path of paths) all.push(...(await secretsOf(project, difference, [path], tooLarge)));
  return all;
}

function isFound(section: PatchSection): section is PatchSection & { readonly ruleId: string } {
  return section.ruleId !== undefined;
}

function held(path: BytePath, ruleId: string): HeldSecret {
  return { path, reason: "sensitive_content", detail: ruleId };
}

async function patchOf(
  project: Project,
  { moments }: Compared,
  paths: readonly BytePath[],
  { contextLines, mostBytes }: { readonly contextLines: number; readonly mostBytes: number },
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  // Without a path git would show all of them.
  if (paths.length === 0) return { text: "", isCut: false };
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const options = { isColored: false, paths, leaveOut: [], contextLines };
  await project.differ.patch(...moments, options, (piece) => {
    bytes += piece.length;
    if (bytes <= mostBytes) pieces.push(piece);
    return Promise.resolve();
  });
  const decoder = new TextDecoder();
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
  return { text: text + decoder.decode(), isCut: bytes > mostBytes };
}
