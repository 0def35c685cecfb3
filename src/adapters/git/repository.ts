/** A git work tree: where its parts are on disk. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { gitTooOld, runGit, type GitLocation } from "./run-git.ts";

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
  if (!existsSync(directory)) {
    throw new Failure("not_a_repository", `there is no folder ${directory}`);
  }
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
  // What it does not know it repeats.
  if (lines[0]?.startsWith("--path-format") === true) throw gitTooOld("rev-parse --path-format");
  const [bare, format, commonDir, gitDir, workTree] = lines;
  if (result.exitCode !== 0 || !commonDir || !gitDir || !workTree) {
    throw cannotOpen(directory, bare, result.stderr);
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

function cannotOpen(directory: string, bare: string | undefined, stderr: string): Failure {
  if (/dubious ownership/.test(stderr)) {
    return new Failure("unsafe_repository", stderr.trim(), {
      hint: "Git does not trust this folder because somebody else owns it; Waymark follows git here.",
    });
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
