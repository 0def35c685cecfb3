/**
 * Everything that Waymark promises to keep, in a value that can be compared.
 *
 * Work tree: every path below the root with type, bytes, all mode bits, link target, empty folders, and whether git
 * ignores it or it belongs to another repository. Repository: index entries with stage, mode, object, assume-unchanged,
 * skip-worktree, intent-to-add, and resolve-undo (no stat data, no format), and the raw bytes for create; HEAD; all refs; the
 * state files of an operation in progress; the stash; `git status`; and a digest of every other file of the git directory.
 * The names of all files of objects, for create. Waymark's own places (refs/waymark/keep, waymark/ in the git directory,
 * the folder of a plain project) are left out.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fromKey, parentsOf } from "./byte-path.ts";
import { gitPlaces, type GitPlaces } from "./git-places.ts";
import { listIndexEntriesArgs, parseIndexEntries } from "./index-entries.ts";
import { KEPT, readRefs, type RefState } from "./read-refs.ts";
import { runCommand } from "./run-command.ts";
import { type TempRepository } from "./temp-repository.ts";
import { type PathEntry, walkTree } from "./work-tree-walk.ts";

export interface Fingerprint {
  readonly paths: ReadonlyMap<string, PathEntry>;
  /** Untracked paths that the ignore rules of this moment match. */
  readonly ignored: ReadonlySet<string>;
  /** Roots of nested repositories and submodules. */
  readonly foreign: ReadonlySet<string>;
  /** Undefined for a plain folder. */
  readonly git: GitFingerprint | undefined;
}

export interface GitFingerprint {
  readonly head: string;
  readonly refs: ReadonlyMap<string, string>;
  readonly index: ReadonlyMap<string, string>;
  readonly resolveUndo: readonly string[];
  readonly indexDigest: string;
  /** The bytes of each state file. */
  readonly operation: ReadonlyMap<string, string>;
  readonly stash: readonly string[];
  readonly status: readonly string[];
  /** config, hooks, info: what a rollback leaves as it finds it. */
  readonly settings: ReadonlyMap<string, string>;
  /** Everything else in the git directory, reflogs too: create leaves all of it as it is. */
  readonly rest: ReadonlyMap<string, string>;
  /** The files of objects and packs by name. A name says what is in them. */
  readonly objects: readonly string[];
  readonly locks: readonly string[];
}

/** With a private repository, or copies of files, in it; anything else of that name is the user's. */
const OURS = /^(?:repo\.git|before-git-|cp-|tmp$|restore$)/;

function isOwnFolder(root: string, name: string): boolean {
  if (name !== ".checkpoints" && name !== ".waymark") return false;
  const folder = join(root, name);
  return existsSync(folder) && readdirSync(folder).some((inside) => OURS.test(inside));
}

/** `earlier`: where no file, time stamp or inode differs from it, git is not asked again what it makes of them. */
export async function takeFingerprint(
  repo: TempRepository,
  earlier?: Fingerprint,
): Promise<Fingerprint> {
  const paths = walkTree(repo.root, (key) => key === ".git" || isOwnFolder(repo.root, key));
  const foreign = new Set(
    [...paths.keys()].filter((key) => key.endsWith("/.git")).map((key) => key.slice(0, -5)),
  );
  const places = gitPlaces(repo.root);
  if (places === undefined) {
    const ignored = await ignoredOf(repo, paths, foreign, await rulesOnly(repo));
    return { paths, ignored, foreign, git: undefined };
  }
  const disk = gitOnDisk(places);
  if (earlier?.git !== undefined && isSameDisk(paths, disk, earlier.paths, earlier.git)) {
    return { ...earlier, paths, git: { ...earlier.git, ...disk } };
  }
  const [ignored, git] = await Promise.all([
    ignoredOf(repo, paths, foreign),
    takeGitFingerprint(repo, places, disk),
  ]);
  return { paths, ignored, foreign, git };
}

function isSameDisk(
  paths: Fingerprint["paths"],
  disk: OnDisk,
  earlierPaths: Fingerprint["paths"],
  earlier: OnDisk,
): boolean {
  const stats = (of: Fingerprint["paths"]): unknown[] =>
    [...of].map(
      ([
        key,
        {
          type,
          mode,
          content,
          empty,
          identity: { inode, mtimeNs, ctimeNs },
        },
      ]) => [key, type, mode, content, empty, `${inode} ${mtimeNs} ${ctimeNs}`],
    );
  const files = ({ operation, settings, rest, indexDigest, refs, head }: OnDisk): unknown[] => [
    ...[operation, settings, rest, refs ?? new Map()].map((map) => [...map]),
    indexDigest,
    head,
  ];
  return (
    JSON.stringify([stats(paths), files(disk)]) ===
    JSON.stringify([stats(earlierPaths), files(earlier)])
  );
}

/** Which of the paths in `paths` the rules of this moment would ignore, were they untracked and there. */
export async function wouldBeIgnored(
  repo: TempRepository,
  now: Fingerprint,
  paths: Fingerprint["paths"],
): Promise<Set<string>> {
  // git refuses to judge a path behind a symbolic link, and a folder that is one now.
  const reachable = [...paths].filter(([key, entry]) =>
    [...(entry.type === "folder" ? [key] : []), ...parentsOf(key)].every(
      (folder) => now.paths.get(folder)?.type !== "link",
    ),
  );
  const rules = now.git === undefined ? await rulesOnly(repo) : trackedToo;
  return await ignoredOf(repo, new Map(reachable), now.foreign, rules);
}

export const isWithin = (key: string, roots: ReadonlySet<string>): boolean =>
  roots.has(key) || parentsOf(key).some((parent) => roots.has(parent));

/** What is known without git. */
type OnDisk = Classified & Pick<GitFingerprint, "indexDigest" | "objects"> & Partial<RefState>;

function gitOnDisk(places: GitPlaces): OnDisk {
  return {
    ...classify(gitDirectoryFiles(places)),
    indexDigest: digest(indexBytes(places)),
    objects: objectFiles(places),
    ...readRefs(places),
  };
}

async function takeGitFingerprint(
  repo: TempRepository,
  places: GitPlaces,
  disk: OnDisk,
): Promise<GitFingerprint> {
  const [refState, index, status] = await Promise.all([
    readRefs(places) ?? askRefs(repo),
    logicalIndex(repo, places, disk),
    // With a required filter whose program is missing git itself cannot say.
    text(repo, ...statusArgs).catch(() => "git status fails"),
  ]);
  return {
    ...disk,
    ...refState,
    ...index,
    status: status
      .split("\0")
      .filter((entry) => entry !== "" && !isOwnFolder(repo.root, entry.slice(3, -1))),
  };
}

type LogicalIndex = Pick<GitFingerprint, "index" | "resolveUndo">;

/** By the bytes of the index, and of what a split index points to: a rollback brings back the very same ones. */
const knownIndexes = new Map<string, LogicalIndex>();

async function logicalIndex(
  repo: TempRepository,
  places: GitPlaces,
  { indexDigest, rest }: OnDisk,
): Promise<LogicalIndex> {
  const shared = [...rest].filter(([name]) => name.startsWith("sharedindex."));
  const key = [places.own, indexDigest, ...shared.flat()].join("\0");
  const known = knownIndexes.get(key);
  if (known !== undefined) return known;
  const [entries, resolveUndo] = await Promise.all([
    text(repo, ...listIndexEntriesArgs(indexBytes(places))),
    // A process less where the index has no such extension.
    indexBytes(places).includes("REUC") ? text(repo, "ls-files", "-z", "--resolve-undo") : "",
  ]);
  const found = {
    index: parseIndexEntries(entries),
    resolveUndo: resolveUndo.split("\0").filter((entry) => entry !== ""),
  };
  if (knownIndexes.size > 500) knownIndexes.clear();
  knownIndexes.set(key, found);
  return found;
}

function indexBytes({ index }: GitPlaces): Buffer {
  return existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
}

/** What `readRefs` reads from files, asked of git. */
export async function askRefs(repo: TempRepository): Promise<RefState> {
  const [symbolic, commit, found] = await Promise.all([
    git(repo, "symbolic-ref", "-q", "HEAD"),
    // Another question, because git answers the first about a branch without a commit with an error.
    git(repo, "rev-parse", "-q", "--verify", "HEAD"),
    text(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)"),
  ]);
  const refs = new Map(
    lines(found)
      .filter((line) => !line.startsWith(KEPT))
      .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
  const stash = ["log", "-g", "--no-decorate", "--format=%H %gs", "refs/stash", "--"];
  return {
    head: `${symbolic.stdout.toString("utf8").trim() || "detached"} ${commit.stdout.toString("utf8").trim() || "unborn"}`,
    refs,
    stash: refs.has("refs/stash") ? lines(await text(repo, ...stash).catch(() => "")) : [],
  };
}

/** Renames are left to the reader: finding them would need blobs that a partial clone does not have. */
const statusArgs = ["status", "--porcelain=v2", "--branch", "-z", "-uall", "--no-renames"] as const;

const operationFile =
  /^(?:MERGE_HEAD|MERGE_MSG|MERGE_MODE|MERGE_RR|MERGE_AUTOSTASH|SQUASH_MSG|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|AUTO_MERGE|BISECT_[A-Z_]+|(?:sequencer|rebase-merge|rebase-apply)(?:\/.*)?)$/;

type Classified = Pick<GitFingerprint, "operation" | "settings" | "rest" | "locks">;

function classify(files: ReadonlyMap<string, string>): Classified {
  const operation = new Map<string, string>();
  const settings = new Map<string, string>();
  const rest = new Map<string, string>();
  for (const [name, content] of files) {
    if (/^(?:common:)?(?:packed-refs$|refs\/)/.test(name)) {
      // Compared as refs, wherever git keeps them.
      continue;
    }
    const group = operationFile.test(name)
      ? operation
      : /^(?:common:)?(?:config(?:\.worktree)?$|hooks\/|info\/)/.test(name)
        ? settings
        : rest;
    group.set(name, content);
  }
  return {
    operation,
    settings,
    rest,
    locks: [...files.keys()].filter((name) => name.endsWith(".lock")),
  };
}

/** Files of the work tree's own git directory by name, those of the common directory behind `common:`. */
function gitDirectoryFiles({ own, common }: GitPlaces): Map<string, string> {
  const files = new Map<string, string>();
  const add = (folder: string, prefix: string): void => {
    for (const [key, entry] of walkTree(folder, (path) => notTheUsers.test(path))) {
      if (entry.type !== "folder") files.set(prefix + key, describeGitFile(folder, key, entry));
    }
  };
  add(own, "");
  if (common !== own) add(common, "common:");
  return files;
}

/** Objects, which are listed by themselves, and Waymark's own places. */
const notTheUsers = /^(?:objects|waymark|worktrees\/[^/]+\/waymark)$/;

function objectFiles({ common }: GitPlaces): string[] {
  const folder = join(common, "objects");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

function describeGitFile(folder: string, key: string, entry: PathEntry): string {
  if (key === "info/exclude") {
    // Waymark keeps .checkpoints/ out of git here, and says so in a comment.
    const content = readFileSync(join(folder, key), "utf8");
    return content
      .split("\n")
      .filter((line) => !/\.checkpoints|waymark/i.test(line))
      .join("\n")
      .trim();
  }
  return operationFile.test(key)
    ? readFileSync(join(folder, key), "latin1")
    : `${entry.mode.toString(8)} ${entry.content}`;
}

interface IgnoreRules {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const untrackedOnly: IgnoreRules = { args: [], env: {} };
const trackedToo: IgnoreRules = { args: ["--no-index"], env: {} };

async function ignoredOf(
  repo: TempRepository,
  paths: Fingerprint["paths"],
  foreign: ReadonlySet<string>,
  rules: IgnoreRules = untrackedOnly,
): Promise<Set<string>> {
  const asked = [...paths].filter(([key]) => !isWithin(key, foreign));
  // `./` keeps a name such as `:(glob)x` from being read as pathspec magic; literal pathspecs are refused here.
  const input = asked
    .map(([key, entry]) => `./${key}${entry.type === "folder" ? "/" : ""}\0`)
    .join("");
  const args = ["check-ignore", "-z", "--stdin", ...rules.args];
  const result = await runCommand("git", args, {
    cwd: repo.root,
    env: { ...repo.env, ...rules.env },
    input: fromKey(input),
  });
  if (result.code !== 0 && result.code !== 1) {
    throw new Error(`git check-ignore ended with ${result.code}: ${result.stderr}`);
  }
  const found = result.stdout.toString("latin1").split("\0");
  return new Set(found.filter((key) => key !== "").map((key) => key.slice(2).replace(/\/$/, "")));
}

/** In a plain folder the ignore rules are asked of an empty repository beside it. */
async function rulesOnly(repo: TempRepository): Promise<IgnoreRules> {
  const empty = join(repo.base, "rules-only.git");
  await runCommand("git", ["init", "-q", "--bare", empty], { cwd: repo.base, env: repo.env });
  return { args: ["--no-index"], env: { GIT_DIR: empty, GIT_WORK_TREE: repo.root } };
}

function git(repo: TempRepository, ...args: readonly string[]): ReturnType<typeof runCommand> {
  // Without optional locks, taking a fingerprint never refreshes the index that it looks at.
  return runCommand("git", args, {
    cwd: repo.root,
    env: { ...repo.env, GIT_OPTIONAL_LOCKS: "0" },
  });
}

async function text(repo: TempRepository, ...args: readonly string[]): Promise<string> {
  const result = await git(repo, ...args);
  if (result.code !== 0) {
    throw new Error(`git ${args.join(" ")} ended with ${result.code}: ${result.stderr}`);
  }
  return result.stdout.toString("latin1");
}

const lines = (output: string): string[] => output.split("\n").filter((line) => line !== "");

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
