/** A git work tree: where its parts are on disk. */
import { createHash } from "node:crypto";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { isOlder } from "./git-version.ts";
import { MIN_GIT_VERSION, runGit, type GitLocation } from "./run-git.ts";

export interface Repository extends GitLocation {
  readonly directory: string;
  readonly workTree: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly hash: "sha1" | "sha256";
  /** Tells linked work trees apart; they share refs. */
  readonly worktreeId: string;
  /** Private files of this work tree. */
  readonly privateDir: string;
  /** Private files that all work trees of the repository share. */
  readonly sharedDir: string;
}

export async function openRepository(directory: string): Promise<Repository> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Failure("not_a_repository", `there is no folder ${directory}`, {
      hint: "Check the path; `-C DIR` says in which folder to work.",
    });
  }
  // Otherwise it is git that cannot be started there, which says less.
  accessSync(directory, constants.X_OK);
  const result = await runGit(
    { directory },
    [
      "rev-parse",
      "--path-format=absolute",
      "--is-bare-repository",
      "--show-object-format",
      "--git-common-dir",
      "--absolute-git-dir",
      "--show-toplevel",
    ],
    { accept: [0, 128] },
  );
  const lines = result.stdout.toString("utf8").split("\n");
  const [bare, format, commonDir, gitDir, workTree] = lines;
  // An old git prints options that it does not know, and goes on.
  const isUnderstood = bare === "true" || bare === "false";
  if (result.exitCode !== 0 || !isUnderstood || !commonDir || !gitDir || !workTree) {
    throw (await tooOld(directory)) ?? cannotOpen(directory, bare, result.stderr);
  }
  refuseWholeMachine(workTree);
  return {
    directory: workTree,
    workTree,
    gitDir,
    commonDir,
    hash: format === "sha256" ? "sha256" : "sha1",
    worktreeId: worktreeId(gitDir, commonDir),
    privateDir: join(gitDir, "waymark"),
    sharedDir: join(commonDir, "waymark"),
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

function cannotOpen(directory: string, bare: string | undefined, stderr: string): Failure {
  if (/dubious ownership/.test(stderr)) {
    return new Failure(
      "unsafe_repository",
      `git does not trust ${directory}: somebody else owns it`,
      {
        hint: `If you trust it: \`git config --global --add safe.directory ${directory}\`. Waymark follows git here.`,
        details: { git: stderr.trim() },
      },
    );
  }
  if (bare === "true") {
    return new Failure(
      "bare_repository",
      `${directory} is a bare repository: it has no work tree`,
      {
        hint: "Run Waymark inside a work tree of it (`git worktree add`).",
      },
    );
  }
  return new Failure("not_a_repository", `${directory} is not inside a git work tree`, {
    hint: "Go to the project's folder or use `-C DIR`; `git init` makes a repository.",
    details: { git: stderr.trim() },
  });
}

/** A home folder or the whole disk as a project means hashing everything somebody owns. */
function refuseWholeMachine(workTree: string): void {
  const root = realOrSame(workTree);
  if (root === dirname(root) || root === realOrSame(homedir())) {
    throw new Failure("refused_root", `${workTree} is too much to look after as one project`, {
      hint: "Run Waymark in the folder of one project, with a repository of its own.",
    });
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** `main`, or the name that git gave the linked work tree, as one harmless word. */
function worktreeId(gitDir: string, commonDir: string): string {
  if (gitDir === commonDir) return "main";
  const name = basename(gitDir);
  if (/^[a-z0-9][a-z0-9-]{0,30}$/.test(name) && name !== "main") return name;
  return `wt-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
}
