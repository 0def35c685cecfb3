/** The differences of two fingerprints as sentences; an empty list means equal. */
import { quoteKey } from "./byte-path.ts";
import { type Fingerprint, type GitFingerprint } from "./fingerprint.ts";
import { type PathEntry } from "./work-tree-walk.ts";

/** Everything that a rollback, an undo or a redo brings back. */
export function differences(actual: Fingerprint, expected: Fingerprint): string[] {
  return [
    ...mapDifferences("path", shownPaths(actual), shownPaths(expected)),
    ...(actual.git === undefined || expected.git === undefined
      ? []
      : repositoryDifferences(actual.git, expected.git)),
  ];
}

/** The above and everything that only create must leave alone: raw index, objects, reflogs, folder modes, time stamps. */
export function strictDifferences(actual: Fingerprint, expected: Fingerprint): string[] {
  return [
    ...differences(actual, expected),
    ...mapDifferences("stat", stats(actual), stats(expected)),
    ...(actual.git === undefined || expected.git === undefined
      ? []
      : [
          ...valueDifference("raw index", actual.git.indexDigest, expected.git.indexDigest),
          ...mapDifferences("git directory", actual.git.rest, expected.git.rest),
          ...listDifferences("objects", actual.git.objects, expected.git.objects),
        ]),
  ];
}

function repositoryDifferences(actual: GitFingerprint, expected: GitFingerprint): string[] {
  return [
    ...valueDifference("HEAD", actual.head, expected.head),
    ...mapDifferences("ref", actual.refs, expected.refs),
    ...mapDifferences("index", actual.index, expected.index),
    ...listDifferences("resolve-undo", actual.resolveUndo, expected.resolveUndo),
    ...mapDifferences("operation", actual.operation, expected.operation),
    ...listDifferences("stash", actual.stash, expected.stash),
    ...mapDifferences("settings", actual.settings, expected.settings),
    ...listDifferences("lock", actual.locks, expected.locks),
    ...listDifferences("status", actual.status, expected.status),
  ];
}

export function describeEntry(entry: PathEntry): string {
  return entry.type === "folder"
    ? "folder"
    : `${entry.type} ${entry.mode.toString(8).padStart(4, "0")} ${entry.type === "link" ? `-> ${quoteKey(entry.content)}` : entry.content.slice(0, 12)}`.trimEnd();
}

const shownPaths = (fingerprint: Fingerprint): Map<string, string> =>
  new Map([...fingerprint.paths].map(([key, entry]) => [key, describeEntry(entry)]));

function stats(fingerprint: Fingerprint): Map<string, string> {
  return new Map(
    [...fingerprint.paths].map(([key, entry]) => [
      key,
      entry.type === "folder"
        ? entry.mode.toString(8)
        : `inode ${entry.identity.inode} mtime ${entry.identity.mtimeNs} ctime ${entry.identity.ctimeNs}`,
    ]),
  );
}

function mapDifferences(
  what: string,
  actual: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): string[] {
  const keys = [...new Set([...actual.keys(), ...expected.keys()])].sort();
  return keys.flatMap((key) => {
    const is = actual.get(key);
    const should = expected.get(key);
    return is === should
      ? []
      : [`${what} ${quoteKey(key)}: is ${shown(is)}, should be ${shown(should)}`];
  });
}

/** State files can be long patches: the beginning is enough to tell them apart. */
const shown = (value: string | undefined): string =>
  value === undefined ? "absent" : quoteKey(value.length > 160 ? `${value.slice(0, 160)}…` : value);

function valueDifference(what: string, actual: string, expected: string): string[] {
  return actual === expected ? [] : [`${what}: is ${actual}, should be ${expected}`];
}

function listDifferences(
  what: string,
  actual: readonly string[],
  expected: readonly string[],
): string[] {
  const extra = actual.filter((line) => !expected.includes(line));
  const missing = expected.filter((line) => !actual.includes(line));
  return [
    ...extra.map((line) => `${what}: has ${quoteKey(line)}, should not`),
    ...missing.map((line) => `${what}: lacks ${quoteKey(line)}`),
    ...(extra.length + missing.length === 0 && actual.join("\0") !== expected.join("\0")
      ? [`${what}: order differs`]
      : []),
  ];
}
