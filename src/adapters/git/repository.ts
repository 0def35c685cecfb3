/** The repository of a project, a git work tree or a plain folder: where its parts are on disk. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { OTHER_OWN_FOLDER, OWN_FOLDER } from "../files/own-folder-name.ts";
import { realOrSame } from "../files/real-path.ts";
import { isOlder } from "./git-version.ts";
import { lookAbove } from "./plain/find-plain.ts";
import { newestEarlier, plainOwnFolder, privateGitDir } from "./plain/private-place.ts";
import { MIN_GIT_VERSION, runGit, type GitLocation } from "./run-git.ts";
import { shareOwnFolders } from "./sharing.ts";
import { storeOf } from "./store/store-place.ts";
import { workTreeId } from "./work-tree-id.ts";

export interface Repository extends GitLocation {
  readonly directory: string;
  readonly workTree: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly hash: "sha1" | "sha256";
  /** A folder without git, with a private repository in its own folder of ours. */
  readonly isPlain: boolean;
  /** Tells linked work trees apart, also from removed ones; they share refs. */
  readonly worktreeId: string;
  /** Private files of this work tree. */
  readonly privateDir: string;
  /** Private files that all work trees of the repository share. */
  readonly sharedDir: string;
  /** Where checkpoints and sessions are; see `store/store-place.ts`. */
  readonly store: Repository;
  /** Of the store: whose it is. Otherwise the repository itself. */
  readonly project: Repository;
  /**
   * Files that people may look for: exports, logs of runs, replaced settings. All work trees of a repository share it. Never in the work tree of a
   * git project.
   */
  readonly ownFolder: string;
  /** The audit log of this work tree is in it. */
  readonly auditFolder: string;
}

/** What is done about a folder that is in no project; the failure is what there is to say about it. */
export type WhenInNone = (failure: Failure) => Promise<Repository>;

/**
 * The nearest of both wins: a git repository, or a plain folder with a private one. Where a folder is both, it has become
 * a git repository since.
 */
export async function openRepository(
  directory: string,
  whenInNone: WhenInNone = refuse,
): Promise<Repository> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Failure("not_a_repository", `no such folder: ${directory}`, {
      hint: "Check the path; `-C DIR` sets the folder.",
    });
  }
  // Otherwise it is git that cannot be started there, which says less.
  accessSync(directory, constants.X_OK);
  const { plain, gitEntry } = lookAbove(directory);
  if (plain !== undefined && gitEntry === undefined) return openPlain(plain);
  const result = await runGit({ directory }, ["rev-parse", ...ASKED], { accept: [0, 128] });
  const lines = result.stdout.toString("utf8").split("\n");
  const [bare, format, commonDir, gitDir, workTree] = lines;
  // An old git prints options that it does not know, and goes on.
  const isUnderstood = bare === "true" || bare === "false";
  if (result.exitCode !== 0 || !isUnderstood || !commonDir || !gitDir || !workTree) {
    const failure = (await tooOld(directory)) ?? refused(directory, bare, result.stderr);
    if (failure !== undefined) throw failure;
    if (plain !== undefined) return openPlain(plain);
    if (bare === "false" && gitDir !== undefined && gitDir !== "") throw insideGitFolder(gitDir);
    if (gitEntry !== undefined) throw notAccepted(gitEntry, result.stderr);
    return whenInNone(inNone(directory, result.stderr));
  }
  if (plain?.startsWith(`${workTree}/`) === true) return openPlain(plain);
  refuseWholeMachine(workTree);
  return repositoryOf({ workTree, gitDir, commonDir, format, isPlain: false });
}

const ASKED = [
  "--path-format=absolute",
  "--is-bare-repository",
  "--show-object-format",
  "--git-common-dir",
  "--absolute-git-dir",
  "--show-toplevel",
];

function refuse(failure: Failure): Promise<Repository> {
  return Promise.reject(failure);
}

/** The plain folder with this private repository, wherever that is. */
export async function openPlain(
  workTree: string,
  gitDir: string = privateGitDir(workTree),
): Promise<Repository> {
  refuseWholeMachine(workTree);
  await refuseOthers(workTree, gitDir);
  const result = await runGit(
    { directory: workTree, gitDir, workTree },
    ["rev-parse", "--show-object-format"],
    { accept: [0, 128] },
  );
  if (result.exitCode !== 0) throw (await tooOld(workTree)) ?? notAccepted(gitDir, result.stderr);
  const format = result.stdout.toString("utf8").trim();
  return repositoryOf({ workTree, gitDir, commonDir: gitDir, format, isPlain: true });
}

function repositoryOf(found: {
  readonly workTree: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly format: string | undefined;
  readonly isPlain: boolean;
}): Repository {
  const { workTree, gitDir, commonDir } = found;
  const places = {
    gitDir,
    commonDir,
    privateDir: join(gitDir, "waymark"),
    sharedDir: join(commonDir, "waymark"),
  };
  if (!found.isPlain) shareOwnFolders({ ...places, directory: workTree });
  const plainFolder = found.isPlain ? plainOwnFolder(workTree) : undefined;
  return {
    ...places,
    ownFolder: plainFolder ?? places.sharedDir,
    auditFolder: plainFolder ?? places.privateDir,
    directory: workTree,
    workTree,
    hash: found.format === "sha256" ? "sha256" : "sha1",
    isPlain: found.isPlain,
    worktreeId: workTreeId(places),
    // A command may make the store after it has opened the project.
    get store() {
      return storeOf(this);
    },
    get project() {
      return this;
    },
  };
}

/** Asked only when something went wrong: an old git says no more than that it does not know an option. */
async function tooOld(directory: string): Promise<Failure | undefined> {
  const { stdout } = await runGit({ directory }, ["version"]);
  const found = /\d+\.\d+\S*/.exec(stdout.toString("utf8"))?.[0];
  if (found === undefined || !isOlder(found, MIN_GIT_VERSION)) return undefined;
  return new Failure("git_too_old", `git ${found} is too old`, {
    hint: `Install git ${MIN_GIT_VERSION} or newer and make sure that it is the first one on the PATH.`,
    details: { found, needed: MIN_GIT_VERSION },
  });
}

/** What git does not open although it is a repository. */
function refused(directory: string, bare: string | undefined, stderr: string): Failure | undefined {
  if (/dubious ownership/.test(stderr)) return notTrusted(directory, stderr.trim());
  if (bare !== "true") return undefined;
  return new Failure("bare_repository", `${directory} is a bare repository: it has no work tree`, {
    hint: "Run Waymark inside a work tree of it (`git worktree add`).",
  });
}

function notTrusted(directory: string, said: string): Failure {
  return new Failure("unsafe_repository", `git does not trust ${directory}: another user owns it`, {
    hint: `If you trust it: \`git config --global --add safe.directory ${directory}\`. Waymark follows git here.`,
    details: { git: said },
  });
}

/** Git looks at the owner of a repository that it finds by itself, not of one that it is told about. */
async function refuseOthers(workTree: string, gitDir: string): Promise<void> {
  const self = process.getuid?.();
  const owner = statSync(gitDir).uid;
  const isOwn = owner === self || (self === 0 && String(owner) === process.env["SUDO_UID"]);
  if (self === undefined || isOwn) return;
  const args = ["config", "--get-all", "safe.directory"];
  const { stdout } = await runGit({ directory: workTree }, args, { accept: [0, 1] });
  const trusted = stdout.toString("utf8").split("\n");
  if (!trusted.includes("*") && !trusted.includes(workTree)) throw notTrusted(workTree, "");
}

/** It answers all but where the work tree is. */
function insideGitFolder(gitDir: string): Failure {
  return new Failure("not_a_repository", `this is inside the git folder ${gitDir}`, {
    hint: "Change to the project's folder, or name it with -C.",
  });
}

function notAccepted(entry: string, stderr: string): Failure {
  const said = stderr.trim();
  return new Failure(
    "not_a_repository",
    `git does not accept ${entry} as a repository${said === "" ? "" : `: ${said}`}`,
    {
      hint: "Repair it, or move it away; make a copy of it first: it may contain checkpoints.",
      details: { entry, git: said },
    },
  );
}

function inNone(directory: string, stderr: string): Failure {
  const folder = folderWithAuditLog(realOrSame(directory));
  if (folder !== undefined && newestEarlier(folder) === undefined) {
    return new Failure(
      "not_a_repository",
      `the git repository of ${folder} no longer exists; its checkpoints were in it`,
      {
        hint: `Restore its folder (.git, or ${basename(plainOwnFolder(folder))}/repo.git without git) from a backup. Exports in ${basename(plainOwnFolder(folder))}/exports can be imported; \`waymark init\` starts a new project.`,
        details: { git: stderr.trim(), lost_project: folder },
      },
    );
  }
  return new Failure(
    "not_a_repository",
    `${directory} is not in a git repository, and there are no checkpoints here`,
    {
      hint:
        newestEarlier(realOrSame(directory)) === undefined
          ? "Go to the project's folder or use `-C DIR`; `waymark create` or `waymark init` turns a folder into a project."
          : "Its git repository no longer exists. `waymark create` continues with the checkpoints from before there was one.",
      details: { git: stderr.trim() },
    },
  );
}

/** The nearest folder above that was a plain project once, or a git project of an earlier version: its audit log is still there. */
function folderWithAuditLog(folder: string): string | undefined {
  const isHere = (own: string): boolean => existsSync(join(folder, own, "audit.log"));
  if (isHere(OWN_FOLDER) || isHere(OTHER_OWN_FOLDER)) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : folderWithAuditLog(above);
}

/** The whole disk. A home folder may be a project, as in containers; budgets decide whether it is too much. */
export function refuseWholeMachine(workTree: string): void {
  const root = realOrSame(workTree);
  if (root === dirname(root)) {
    throw new Failure("refused_root", `refusing to use ${workTree} as a project`, {
      hint: "Run Waymark in the folder of one project, with a repository of its own.",
    });
  }
}
