/** Writes a bundle: refs, and one pack with everything that they reach. */
import { closeSync, fsyncSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { Progress } from "../../../ports/progress.ts";
import { writeAll } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { gitProgress, withoutProgress } from "../git-progress.ts";
import type { Repository } from "../repository.ts";
import { cannotStart, gitFailed, runGit, startGit } from "../run-git.ts";
import { encodeHeader, type BundleRef } from "./bundle-header.ts";

export interface BundleOrder {
  readonly path: string;
  readonly refs: readonly BundleRef[];
  readonly basis: readonly string[];
  /** Where git finds objects that are not in the repository (the manifest). */
  readonly env: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

/** Grafts would hide parents that a commit really has. */
const NO_GRAFTS = { GIT_GRAFT_FILE: "/dev/null" };
/** `--delta-base-offset`: every object builds on one in the same file. Hence also no `--thin`. */
const PACK = ["pack-objects", "--revs", "--stdout", "--all-progress", "--delta-base-offset"];

export async function writeBundle(repository: Repository, order: BundleOrder): Promise<void> {
  const { refs, basis } = order;
  const fd = openSync(order.path, "wx", 0o600);
  try {
    writeAll(fd, Buffer.from(encodeHeader({ hash: repository.hash, basis, refs }), "latin1"));
    const input = revisions(
      refs.map(({ oid }) => oid),
      basis,
    );
    await packInto(repository, fd, input, { ...NO_GRAFTS, ...order.env }, order.progress);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function revisions(tips: readonly string[], basis: readonly string[]): string {
  return [...tips, ...basis.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
}

function packInto(
  repository: Repository,
  fd: number,
  input: string,
  env: Readonly<Record<string, string>>,
  progress: Progress,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = startGit(repository, PACK, { env });
    let stderr = "";
    const said = gitProgress(progress);
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        writeAll(fd, chunk);
      } catch (error) {
        child.kill();
        reject(error);
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      const text = chunk.toString("utf8");
      said.read(text);
      stderr += withoutProgress(text).slice(0, 4096);
    });
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => reject(cannotStart(error)));
    child.on("close", (code, signal) => {
      said.end();
      if (code === 0) resolve();
      else reject(gitFailed(PACK, { exitCode: code ?? -1, stderr }, signal));
    });
    child.stdin.end(input);
  });
}

/** The commits at the edge: those that the reader has to have. */
export async function boundary(
  repository: Repository,
  tips: readonly string[],
  since: readonly string[],
): Promise<string[]> {
  if (since.length === 0) return [];
  const { stdout } = await runGit(repository, ["rev-list", "--boundary", "--stdin"], {
    input: revisions(tips, since),
    env: NO_GRAFTS,
  });
  const lines = stdout.toString("latin1").split("\n");
  return lines.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : []));
}

/** A shallow clone has commits whose parents it does not have: an archive with one of them is not whole. */
export async function refuseShallow(
  repository: Repository,
  tips: readonly string[],
  since: readonly string[],
): Promise<void> {
  const edge = shallowCommits(repository);
  if (edge.size === 0) return;
  const { stdout } = await runGit(repository, ["rev-list", "--stdin"], {
    input: revisions(tips, since),
    env: NO_GRAFTS,
  });
  const needed = stdout
    .toString("latin1")
    .split("\n")
    .filter((oid) => edge.has(oid));
  if (needed.length === 0) return;
  throw new Failure(
    "checkpoint_damaged",
    "this is a shallow clone: the history before some commits is not here and cannot be exported",
    {
      hint:
        "Fetch it with `git fetch --unshallow`, or exclude history that the receiver has: " +
        `\`waymark export --since ${needed[0]?.slice(0, 12) ?? "REV"}\`.`,
      details: { shallow_commits: needed },
    },
  );
}

function shallowCommits(repository: Repository): Set<string> {
  try {
    return new Set(
      readFileSync(join(repository.commonDir, "shallow"), "latin1").split("\n").filter(Boolean),
    );
  } catch (error) {
    if (isMissing(error)) return new Set();
    throw error;
  }
}

/** Why git could not pack it: which objects of the history are missing. */
export async function missingHistory(
  repository: Repository,
  tips: readonly string[],
  since: readonly string[],
): Promise<Failure | undefined> {
  const result = await runGit(repository, ["rev-list", "--objects", "--missing=print", "--stdin"], {
    input: revisions(tips, since),
    env: NO_GRAFTS,
    accept: [0, 128],
  });
  const missing = result.stdout
    .toString("latin1")
    .split("\n")
    .flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : []));
  if (missing.length === 0 && result.exitCode === 0) return undefined;
  return new Failure(
    "checkpoint_damaged",
    `history that the checkpoints need is incomplete here: ${missing.length === 0 ? result.stderr.trim() : `${missing.length} objects are missing`}`,
    {
      hint:
        "In a partial clone, fetch them with `git fetch --refetch --no-filter`. Or exclude history that the receiver has: " +
        "`waymark export --thin` or `--since REV`.",
      details: { missing: missing.slice(0, 100) },
    },
  );
}
