/**
 * What a project must look like after a rollback from `before` to `target`.
 *
 * Captured at the target (tracked, or untracked and not ignored): as it was. Ignored by the rules of the target or of now,
 * special files, nested repositories, untracked secrets: left as found. Everything else is removed. HEAD, its branch, the branches that a rebase
 * moves, bisect and rewritten refs, index and operation state: as they were. All other refs, the stash, config: as found.
 */
import type { BytePath } from "../../src/domain/byte-path.ts";
import { nameKind } from "../../src/domain/sensitive-name.ts";
import { parentsOf } from "./byte-path.ts";
import { describeEntry } from "./fingerprint-diff.ts";
import { type Fingerprint, type GitFingerprint, isWithin } from "./fingerprint.ts";
import { type PathEntry } from "./work-tree-walk.ts";

export interface Expectation {
  readonly fingerprint: Fingerprint;
  /** Folders that held nothing but files Waymark does not look after: they may be there or not. */
  readonly optionalFolders: ReadonlySet<string>;
  /** Paths that stay although the target does not have them. */
  readonly kept: ReadonlySet<string>;
  /** Paths that must not be written again: they are equal before and after. */
  readonly untouched: ReadonlyMap<string, PathEntry>;
  /** Paths that cannot be both restored and kept: a rollback may refuse, changing nothing. */
  readonly irreconcilable: readonly string[];
}

/** `ignoredByTarget`: the paths of `before` that the target's rules ignore. */
export function expectedAfterRollback(
  target: Fingerprint,
  before: Fingerprint,
  ignoredByTarget: ReadonlySet<string>,
): Expectation {
  const leaves = new Map<string, PathEntry>();
  const irreconcilable: string[] = [];
  for (const key of new Set([...target.paths.keys(), ...before.paths.keys()])) {
    const then = leafAt(target, key);
    const now = leafAt(before, key);
    const comesBack = isCaptured(target, key) || target.paths.get(key)?.empty === true;
    if (comesBack && now !== undefined && isSpecial(now)) {
      irreconcilable.push(key);
    }
    const chosen = isCaptured(target, key)
      ? then
      : isLeftAlone(key, target, before, ignoredByTarget)
        ? now
        : undefined;
    if (chosen !== undefined) {
      leaves.set(key, chosen);
    }
  }
  const optionalFolders = uncoveredFolders(target, before, ignoredByTarget);
  const paths = new Map(leaves);
  for (const [key, entry] of target.paths) {
    if (entry.empty && !optionalFolders.has(key)) {
      paths.set(key, entry);
    }
  }
  for (const key of paths.keys()) {
    for (const parent of parentsOf(key)) {
      const above = paths.get(parent);
      if (above === undefined) {
        paths.set(parent, anyFolder);
      } else if (above.type !== "folder") {
        irreconcilable.push(parent);
      }
    }
  }
  return {
    fingerprint: {
      ...target,
      paths,
      foreign: new Set([...target.foreign, ...before.foreign]),
      git:
        target.git === undefined || before.git === undefined
          ? undefined
          : expectedRepository(target.git, before.git),
    },
    optionalFolders,
    // A folder of which nothing was held is no file of the target.
    kept: new Set([...leaves.keys()].filter((key) => leafAt(target, key) === undefined)),
    untouched: new Map(
      [...leaves]
        .filter(([key, entry]) => {
          const now = before.paths.get(key);
          // An empty folder of the target may have taken its place.
          const stays = paths.get(key) === entry;
          return stays && now !== undefined && describeEntry(now) === describeEntry(entry);
        })
        .map(([key]) => [key, before.paths.get(key) as PathEntry]),
    ),
    irreconcilable,
  };
}

/** Whether something has to stay at the path, below or above it, where something else has to come back: either may be there. */
export function isContested(key: string, { irreconcilable }: Expectation): boolean {
  return irreconcilable.some(
    (one) => one === key || key.startsWith(`${one}/`) || one.startsWith(`${key}/`),
  );
}

/** What is expected, or the fingerprint after a rollback, without what the expectation leaves open. */
export function withoutOpenQuestions(actual: Fingerprint, expectation: Expectation): Fingerprint {
  const paths = [...actual.paths].filter(
    ([key]) =>
      !isContested(key, expectation) &&
      (expectation.fingerprint.paths.has(key) || !expectation.optionalFolders.has(key)),
  );
  return { ...actual, paths: new Map(paths), git: withoutKeptStatus(actual, expectation) };
}

/** Kept paths show up as untracked where the target's rules do not ignore them, and as modified where its index has them. */
function withoutKeptStatus(
  fingerprint: Fingerprint,
  expectation: Expectation,
): GitFingerprint | undefined {
  const { git } = fingerprint;
  return git === undefined
    ? undefined
    : {
        ...git,
        status: git.status.filter((line) => {
          const path = STATUS_PATH.exec(line)?.[1]?.replace(/\/$/, "");
          if (path !== undefined && isContested(path, expectation)) return false;
          const key = line.startsWith("? ")
            ? line.slice(2).replace(/\/$/, "")
            : /^1 (?:\S+ ){7}(.*)$/s.exec(line)?.[1];
          // An untracked secret is in the status of its time, and nobody brings it back.
          const isGone = line.startsWith("? ") && !expectation.fingerprint.paths.has(key ?? "");
          return (
            key === undefined ||
            !(isGone || expectation.kept.has(key) || isWithin(key, expectation.fingerprint.foreign))
          );
        }),
      };
}

/** Of an entry that is changed, unmerged or untracked. */
const STATUS_PATH = /^(?:1 (?:\S+ ){7}|u (?:\S+ ){9}|\? )(.*)$/s;

const anyFolder: PathEntry = {
  type: "folder",
  mode: 0,
  content: "",
  empty: false,
  identity: { inode: 0n, mtimeNs: 0n, ctimeNs: 0n },
};

function leafAt(fingerprint: Fingerprint, key: string): PathEntry | undefined {
  const entry = fingerprint.paths.get(key);
  return entry?.type === "folder" ? undefined : entry;
}

const isSpecial = (entry: PathEntry): boolean => ["fifo", "socket", "device"].includes(entry.type);

/** Whether a checkpoint of this moment holds the path. */
export function isCaptured(fingerprint: Fingerprint, key: string): boolean {
  const entry = leafAt(fingerprint, key);
  return (
    entry !== undefined &&
    !isSpecial(entry) &&
    !fingerprint.ignored.has(key) &&
    !isSecret(fingerprint, key) &&
    !isWithin(key, fingerprint.foreign)
  );
}

/** Of an untracked file: nobody captures it, and nobody touches it. */
function isSecret({ paths, git }: Fingerprint, key: string): boolean {
  const kind = nameKind(key as BytePath);
  const isTold = kind === "sure" || kind === "values";
  return paths.has(key) && git?.index.has(key) !== true && isTold;
}

function isLeftAlone(
  key: string,
  target: Fingerprint,
  before: Fingerprint,
  ignoredByTarget: ReadonlySet<string>,
): boolean {
  const now = leafAt(before, key);
  const then = leafAt(target, key);
  const special = [now, then].some((entry) => entry !== undefined && isSpecial(entry));
  // A file that the project tracks is its own, also in a folder that has become a repository since.
  const isTracked = before.git?.index.has(key) === true;
  const foreign = isWithin(key, target.foreign) || (isWithin(key, before.foreign) && !isTracked);
  const secret = isSecret(target, key) || isSecret(before, key);
  // A tracked file that was deleted at the target is known to be absent, whatever the ignore rules say; unless it is no longer tracked,
  // and ignored, by now.
  const knownAbsent =
    then === undefined && target.git?.index.has(key) === true && !before.ignored.has(key);
  const ignored = target.ignored.has(key) || ignoredByTarget.has(key) || before.ignored.has(key);
  return special || foreign || secret || (ignored && !knownAbsent);
}

function uncoveredFolders(
  target: Fingerprint,
  before: Fingerprint,
  ignoredByTarget: ReadonlySet<string>,
): Set<string> {
  const covered = new Set<string>();
  for (const [key, entry] of target.paths) {
    if (isCaptured(target, key) || (entry.empty && !isOpen(target, key))) {
      covered.add(key);
      parentsOf(key).forEach((parent) => covered.add(parent));
    }
  }
  const folders = (fingerprint: Fingerprint): string[] =>
    [...fingerprint.paths].filter(([, entry]) => entry.type === "folder").map(([key]) => key);
  const open = [
    ...folders(target).filter((key) => !covered.has(key)),
    ...folders(before).filter((key) => isOpen(before, key) || ignoredByTarget.has(key)),
  ];
  // A folder that nothing else is in comes and goes with them.
  return new Set([...open, ...open.flatMap((key) => parentsOf(key))]);
}

const isOpen = (fingerprint: Fingerprint, key: string): boolean =>
  fingerprint.ignored.has(key) || isWithin(key, fingerprint.foreign);

function expectedRepository(target: GitFingerprint, before: GitFingerprint): GitFingerprint {
  return {
    ...target,
    refs: expectedRefs(target, before),
    stash: before.stash,
    settings: before.settings,
  };
}

function expectedRefs(target: GitFingerprint, before: GitFingerprint): Map<string, string> {
  const rebased = ["rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"]
    .flatMap((name) => target.operation.get(name)?.split("\n") ?? [])
    .filter((line) => line.startsWith("refs/heads/"));
  const moved = new Set([target.head.split(" ")[0], ...rebased]);
  const isOfTarget = (name: string): boolean =>
    moved.has(name) || /^refs\/(?:bisect|rewritten)\//.test(name);
  return new Map([
    ...[...before.refs].filter(([name]) => !isOfTarget(name)),
    ...[...target.refs].filter(([name]) => isOfTarget(name)),
  ]);
}
