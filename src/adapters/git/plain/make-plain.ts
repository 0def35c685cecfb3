/**
 * Makes a plain folder a project: a private repository with the folder as its work tree.
 *
 * It is made beside its place and renamed into it, so it is whole or not there, and of two that are made at once one
 * wins and both use it.
 */
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import { syncFolder, uniqueName } from "../../files/durable-write.ts";
import { errorCode } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import { namesIn } from "../../files/names-in.ts";
import { realOrSame } from "../../files/real-path.ts";
import { openPlain, refuseWholeMachine, type Repository } from "../repository.ts";
import { runGit, runGitSync } from "../run-git.ts";
import { deviceOf } from "./find-plain.ts";
import {
  isFree,
  isMarked,
  MARKER,
  newestEarlier,
  NEW_PREFIX,
  plainOwnFolder,
  privateGitDir,
} from "./private-place.ts";

/** `wide`: somebody said that this very folder is to be a project, however much is in it. */
export type Permission = "usual" | "wide";

export async function makePlain(directory: string, permission: Permission): Promise<Repository> {
  const folder = realOrSame(directory);
  refuse(folder, permission);
  try {
    makeOwnFolder(plainOwnFolder(folder));
    const place = privateGitDir(folder);
    // It was a git repository for a while; the checkpoints from before that are still here.
    const earlier = newestEarlier(folder);
    if (earlier !== undefined) moveInto(earlier, place);
    else await makeRepository(folder, place);
    return await openPlain(folder);
  } catch (error) {
    throw asFailure(error, `setting up ${folder} as a project`);
  }
}

/** For a look at a folder that is not to be changed: the private repository is somewhere else. */
export async function makeElsewhere(directory: string, gitDir: string): Promise<Repository> {
  const folder = realOrSame(directory);
  refuse(folder, "wide");
  await initialize(folder, gitDir);
  return openPlain(folder, gitDir);
}

function refuse(folder: string, permission: Permission): void {
  refuseWholeMachine(folder);
  const tooWide = (why: string, hint: string): Failure =>
    new Failure("refused_root", `refusing to use ${folder} as a project: ${why}`, {
      hint,
    });
  if (permission === "wide") return;
  const hint =
    "Run Waymark in the folder of one project, or `waymark init` if you really mean this one.";
  if (deviceOf(folder) !== deviceOf(dirname(folder))) {
    throw tooWide("it is the root of a file system", hint);
  }
  if (folder === realOrSame(tmpdir())) {
    throw tooWide("it is the folder for temporary files of all users", hint);
  }
}

/** Nobody else may look into it, and a git repository around it or made here later leaves all of it out. */
function makeOwnFolder(own: string): void {
  const isLink = statOf(own)?.isSymbolicLink() === true;
  if (isLink || (!isMarked(own) && !isFree(own))) {
    throw new Failure("obstructed", `${own} is in the way: it does not belong to Waymark`, {
      hint: "Move it or .checkpoints away; Waymark keeps the checkpoints of a plain folder in one of them.",
    });
  }
  mkdirSync(own, { recursive: true, mode: 0o700 });
  // The marker first: a folder that has anything else and not the marker is the user's.
  for (const [name, text] of OWN_FILES) {
    try {
      writeFileSync(join(own, name), text, { flag: "wx" });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

const OWN_FILES = [
  [MARKER, "Waymark's checkpoints of the folder above. Deleting this folder deletes them.\n"],
  [".gitignore", "*\n"],
] as const;

async function makeRepository(folder: string, place: string): Promise<void> {
  const temporary = join(dirname(place), `${NEW_PREFIX}${uniqueName()}`);
  try {
    await initialize(folder, temporary);
    moveInto(temporary, place);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function initialize(folder: string, gitDir: string): Promise<void> {
  mkdirSync(gitDir, { mode: 0o700 });
  const location = { directory: folder, gitDir, workTree: folder };
  const how = ["--template=", "--object-format=sha1", "--initial-branch=main"];
  await runGit(location, ["init", "-q", ...how]);
  // So that the folder can be moved; for those who use it with plain git.
  await runGit(location, ["config", "core.worktree", "../.."]);
  mkdirSync(join(gitDir, "info"), { recursive: true });
  writeFileSync(join(gitDir, "info", "exclude"), `/${basename(plainOwnFolder(folder))}/\n`);
  syncFolder(gitDir);
}

/** A folder that has something in it is never replaced: somebody else was first, and theirs is as good. */
function moveInto(from: string, place: string): void {
  try {
    renameSync(from, place);
    syncFolder(dirname(place));
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && !existsSync(join(place, "HEAD"))) throw error;
  }
}

/** Takes back a project in which nothing was ever stored. When in doubt it stays, and so does a folder that was there before. */
export function removeUnused(repository: Repository, wasThere: boolean): void {
  const { gitDir, sharedDir } = repository;
  const own = dirname(gitDir);
  const temporary = join(own, `${NEW_PREFIX}${uniqueName()}`);
  // Somebody else may be at work in it by now.
  const others = namesIn(join(sharedDir, "quarantine")).filter(
    (name) => !name.startsWith(`${process.pid}-`),
  );
  if (others.length > 0 || hasRefs(repository)) return;
  renameSync(gitDir, temporary);
  if (hasRefs({ ...repository, gitDir: temporary })) {
    renameSync(temporary, gitDir);
    return;
  }
  rmSync(temporary, { recursive: true, force: true });
  if (wasThere) return;
  // A log of nothing but the failure is no reason to leave a folder behind.
  const made = [...OWN_FILES.map(([name]) => name), "audit.log"];
  if (namesIn(own).every((name) => made.includes(name))) {
    for (const name of made) rmSync(join(own, name), { force: true });
    rmdirSync(own);
  }
}

function hasRefs({ directory, gitDir }: Repository): boolean {
  const { stdout } = runGitSync({ directory, gitDir }, ["for-each-ref", "--count=1"]);
  return stdout.length > 0;
}
