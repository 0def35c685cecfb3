/** What the model expects where a checkpoint or a rollback is about a part of the project only. */
import { type Expectation, isContested } from "../support/expected-after-rollback.ts";
import { describeEntry, differences } from "../support/fingerprint-diff.ts";
import { type Fingerprint } from "../support/fingerprint.ts";
import { quoteKey } from "../support/byte-path.ts";
import { type CreateKind, type Extent } from "./steps.ts";

/** A checkpoint, and what it must bring back. */
export interface Held {
  readonly id: string;
  readonly kind: CreateKind;
  readonly fingerprint: Fingerprint;
  /** Ignored files and empty folders that it has copies of. */
  readonly copies: ReadonlySet<string>;
  readonly state: Readonly<Record<string, number>> | undefined;
}

/** The ignored file that a checkpoint of the kind `backup` copies. */
export const COPIED = "i.log";

/** Ignored files that such a checkpoint copies: one by its name, or all in the folder that is its scope. */
export function copiesOf(now: Fingerprint, kind: CreateKind): ReadonlySet<string> {
  return new Set(
    [...now.ignored].filter((key) => {
      const entry = now.paths.get(key);
      const isHeld = entry?.type === "file" || entry?.type === "link" || entry?.empty === true;
      if (!isHeld) return false;
      return kind === "backup" ? key === COPIED : kind === "scoped" && key.startsWith("dir/");
    }),
  );
}

/** A copied file comes back like one that git does not ignore. */
export function withCopies(now: Fingerprint, kind: CreateKind): Fingerprint {
  const copies = copiesOf(now, kind);
  return { ...now, ignored: new Set([...now.ignored].filter((key) => !copies.has(key))) };
}

/** `paths` means one folder, `dir`, here: nothing else may change, and in it everything is as after a whole rollback. */
export function partlyDifferences(
  after: Fingerprint,
  before: Fingerprint,
  expectation: Expectation,
  extent: Extent,
): string[] {
  const isInside = (key: string): boolean =>
    extent !== "paths" || key === "dir" || key.startsWith("dir/");
  const { fingerprint, optionalFolders } = expectation;
  const keys = new Set([
    ...after.paths.keys(),
    ...before.paths.keys(),
    ...fingerprint.paths.keys(),
  ]);
  const wrong = [...keys]
    .filter((key) => !(isInside(key) && isContested(key, expectation)))
    .filter((key) => !(isInside(key) && optionalFolders.has(key) && !fingerprint.paths.has(key)))
    .flatMap((key) => {
      const is = shown(after, key);
      const should = shown(isInside(key) ? fingerprint : before, key);
      return is === should ? [] : [`path ${quoteKey(key)}: is ${is}, should be ${should}`];
    });
  const repository = differences({ ...after, paths: new Map() }, { ...before, paths: new Map() });
  return [...wrong, ...repository.filter((line) => STAYS[extent].test(line))];
}

/** What the repository keeps. The refs of a bisect or rebase belong to the operation, which comes back with the index. */
const STAYS: Readonly<Record<Extent, RegExp>> = {
  all: /^$/,
  "files-only": /^(?:HEAD|ref|index|resolve-undo|stash|operation|lock)\b/,
  "keep-head": /^(?:HEAD|ref refs\/(?!bisect|rewritten)|stash|lock)/,
  paths: /^(?:HEAD|ref|stash|operation|lock)\b/,
};

function shown({ paths }: Fingerprint, key: string): string {
  const entry = paths.get(key);
  return entry === undefined ? "absent" : describeEntry(entry);
}
