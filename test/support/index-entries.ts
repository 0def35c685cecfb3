/** The logical content of the index: every entry with stage, mode, object and flags; no stat data. */
const assumeUnchanged = 0x8000;
const intentToAdd = 0x2000_0000;
const skipWorktree = 0x4000_0000;

/** One record of `git ls-files -z -s -v --debug --sparse`: the entry, a NUL, five lines of debug output. */
const record =
  /(?<tag>[A-Za-z?]) (?<mode>\d{6}) (?<oid>[0-9a-f]+) (?<stage>\d)\t(?<name>[^\0]*)\0 {2}ctime: .*\n {2}mtime: .*\n {2}dev: .*\n {2}uid: .*\n {2}size: \d+\tflags: (?<flags>[0-9a-f]+)\n/gy;

/** The extension of an index in which whole folders are one entry, as it stands in the file. */
const SPARSE = "sdir\0\0\0\0";

/**
 * As the file has them: by itself git drops skip-worktree of files that are there all the same, and folds or unfolds folders as the
 * settings want them, but only in memory.
 */
export function listIndexEntriesArgs(index: Buffer): string[] {
  return [
    "-c",
    "sparse.expectFilesOutsideOfPatterns=true",
    "-c",
    `index.sparse=${index.includes(SPARSE)}`,
    "ls-files",
    "-z",
    "-s",
    "-v",
    "--debug",
    "--sparse",
  ];
}

/** Keys are `path (stage N)`, or the path alone for stage 0; values are readable. */
export function parseIndexEntries(output: string): Map<string, string> {
  const entries = new Map<string, string>();
  let read = 0;
  for (const match of output.matchAll(record)) {
    const { mode, oid, stage, name, flags } = match.groups as Record<string, string>;
    const key = stage === "0" ? `${name}` : `${name} (stage ${stage})`;
    entries.set(key, [mode, oid, ...flagNames(Number.parseInt(`${flags}`, 16))].join(" "));
    read += match[0].length;
  }
  if (read !== output.length) {
    throw new Error(`the output of git ls-files --debug was not understood after ${read} bytes`);
  }
  return entries;
}

function flagNames(flags: number): string[] {
  return [
    ...((flags & assumeUnchanged) === 0 ? [] : ["assume-unchanged"]),
    ...((flags & skipWorktree) === 0 ? [] : ["skip-worktree"]),
    ...((flags & intentToAdd) === 0 ? [] : ["intent-to-add"]),
  ];
}
