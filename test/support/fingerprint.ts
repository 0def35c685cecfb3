/**
 * Everything that Waymark promises to keep, in a value that can be compared.
 *
 * Work tree: every path below the root with type, bytes, all mode bits, link target, empty folders, and whether git
 * ignores it or it belongs to another repository. Repository: index entries with stage, mode, object, assume-unchanged,
 * skip-worktree, intent-to-add, and resolve-undo (no stat data, no format), and the raw bytes for create; HEAD; all refs; the
 * state files of an operation in progress; the stash; `git status`; and a digest of every other file of the git directory.
 * Waymark's own places (refs/waymark, waymark/ in the git directory, .checkpoints/) are left out, and so are objects.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fromKey, parentsOf } from "./byte-path.ts";
import { listIndexEntriesArgs, parseIndexEntries } from "./index-entries.ts";
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
  readonly locks: readonly string[];
}

export async function takeFingerprint(repo: TempRepository): Promise<Fingerprint> {
  const paths = walkTree(repo.root, (key) => key === ".git" || key === ".checkpoints");
  const foreign = new Set(
    [...paths.keys()].filter((key) => key.endsWith("/.git")).map((key) => key.slice(0, -5)),
  );
  const places = await gitPlaces(repo);
  if (places === undefined) {
    const ignored = await ignoredOf(repo, paths, foreign, await rulesOnly(repo));
    return { paths, ignored, foreign, git: undefined };
  }
  const [ignored, git] = await Promise.all([
    ignoredOf(repo, paths, foreign),
    takeGitFingerprint(repo, places),
  ]);
  return { paths, ignored, foreign, git };
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

interface GitPlaces {
  /** The git directory of this work tree. */
  readonly own: string;
  /** The one that it shares with others. */
  readonly common: string;
  readonly index: string;
}

async function gitPlaces(repo: TempRepository): Promise<GitPlaces | undefined> {
  const asked = ["--absolute-git-dir", "--git-common-dir", "--git-path", "index"] as const;
  const found = await git(repo, "rev-parse", ...asked);
  const [own, common, index] = found.stdout.toString("utf8").trimEnd().split("\n");
  if (found.code !== 0 || own === undefined || common === undefined || index === undefined) {
    return undefined;
  }
  return { own, common: resolve(repo.root, common), index: resolve(repo.root, index) };
}

async function takeGitFingerprint(
  repo: TempRepository,
  places: GitPlaces,
): Promise<GitFingerprint> {
  const index = await readFile(places.index).catch(() => Buffer.alloc(0));
  const classified = classify(gitDirectoryFiles(places));
  const [branch, refs, entries, resolveUndo, status] = await Promise.all([
    git(repo, "symbolic-ref", "-q", "HEAD"),
    refsOf(repo),
    text(repo, ...listIndexEntriesArgs),
    // A process less where the index has no such extension.
    index.includes("REUC") ? text(repo, "ls-files", "-z", "--resolve-undo") : "",
    // With a required filter whose program is missing git itself cannot say.
    text(repo, ...statusArgs).catch(() => "git status fails"),
  ]);
  const stash = ["log", "-g", "--no-decorate", "--format=%H %gs", "refs/stash", "--"];
  return {
    head: await headOf(repo, branch.stdout.toString("utf8").trim(), refs),
    refs,
    index: parseIndexEntries(entries),
    resolveUndo: resolveUndo.split("\0").filter((entry) => entry !== ""),
    indexDigest: digest(index),
    stash: refs.has("refs/stash") ? lines(await text(repo, ...stash).catch(() => "")) : [],
    status: status.split("\0").filter((entry) => entry !== "" && !entry.endsWith(" .checkpoints/")),
    ...classified,
  };
}

/** The branch and its commit, which git says together with all refs. */
async function headOf(
  repo: TempRepository,
  branch: string,
  refs: GitFingerprint["refs"],
): Promise<string> {
  if (branch !== "") return `${branch} ${refs.get(branch)?.split(" ")[0] ?? "unborn"}`;
  const commit = await git(repo, "rev-parse", "-q", "--verify", "HEAD");
  return `detached ${commit.stdout.toString("utf8").trim()}`;
}

async function refsOf(repo: TempRepository): Promise<Map<string, string>> {
  const found = await text(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)");
  return new Map(
    lines(found)
      .filter((line) => !line.startsWith("refs/waymark/"))
      .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
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

/** Objects and Waymark's own places. */
const notTheUsers = /^(?:objects|waymark|(?:logs\/)?refs\/waymark|worktrees\/[^/]+\/waymark)$/;

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
