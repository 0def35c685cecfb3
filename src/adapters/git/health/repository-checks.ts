/** Checks of a repository and of what Waymark keeps in it. */
import { counted } from "../../../domain/counted.ts";
import { exactTime } from "../../../domain/exact-time.ts";
import { humanBytes } from "../../../domain/human-bytes.ts";
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { gitAdvice } from "../../../domain/git-advice.ts";
import { fine, problem, warning, type Finding } from "../../../domain/health.ts";
import { quoteForShell } from "../../../domain/shell-quote.ts";
import type { HealthCheck } from "../../../ports/health-check.ts";
import { statOf } from "../../files/file-stat.ts";
import { namesIn } from "../../files/names-in.ts";
import { deadHolder } from "../../files/owned-lock.ts";
import { looseIds } from "../loose-ids.ts";
import { ownLocks } from "../own-locks.ts";

import { deadQuarantines, sweepQuarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { stagingRoots } from "../restore/staging-place.ts";
import { indexLockPath } from "../restore/index-lock.ts";
import { resolveRef } from "../read-refs.ts";
import { runGit } from "../run-git.ts";
import { listSettings } from "../settings.ts";
import { readBases } from "../store/bases.ts";
import { packsWithoutIndex, storeSize } from "../store/packs.ts";
import { hasOldRefs } from "../store/store-place.ts";
import { deadTemporary, sweepTemporary } from "../sweep-temporary.ts";

export function repositoryChecks(repository: Repository): HealthCheck[] {
  return [
    { name: "permissions", look: () => permissions(repository) },
    { name: "disk", look: () => [disk(repository)] },
    { name: "git_settings", look: () => gitSettings(repository) },
    { name: "index_lock", look: () => [indexLock(repository)] },
    leftovers(repository),
    { name: "kept_files", look: () => [keptFiles(repository)] },
    {
      name: "store",
      look: async () => [
        ...(await lostHead(repository)),
        store(repository.store),
        ...lostIndexes(repository.store),
        ...earlierVersion(repository),
      ],
    },
  ];
}

function permissions(repository: Repository): Finding[] {
  const { workTree, gitDir, commonDir } = repository;
  const places = [
    workTree,
    gitDir,
    join(commonDir, "objects"),
    join(commonDir, "objects", "pack"),
    join(commonDir, "refs"),
    repository.privateDir,
    repository.sharedDir,
  ];
  const closed = [...new Set(places)].filter((path) => existsSync(path) && !isWritable(path));
  const missing = [join(commonDir, "objects"), join(commonDir, "refs")].filter(
    (path) => !existsSync(path),
  );
  const found = [
    ...closed.map((path) =>
      problem(
        `${path} cannot be written to`,
        "Change its owner or mode: checkpoints are stored there.",
      ),
    ),
    ...missing.map((path) =>
      problem(
        `${path} is missing`,
        "The repository is damaged; `waymark help recovery` describes what can be recovered.",
      ),
    ),
  ];
  return found.length > 0 ? found : [fine("the repository can be written to")];
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const MIB = 1024 * 1024;
/** Less than this and a checkpoint of a few files may fail. */
const TOO_LITTLE_MIB = 64;
const LITTLE_MIB = 1024;

function disk(repository: Repository): Finding {
  const { bavail, bsize } = statfsSync(repository.commonDir);
  const free = Math.floor((bavail * bsize) / MIB);
  const message = `${humanBytes(bavail * bsize)} are free on the disk of the repository`;
  const hint = "Free some space; `waymark cleanup` removes old checkpoints.";
  if (free < TOO_LITTLE_MIB) return problem(message, hint);
  return free < LITTLE_MIB ? warning(message, hint) : fine(message);
}

async function gitSettings(repository: Repository): Promise<Finding[]> {
  const settings = await listSettings(repository);
  const found = gitAdvice(settings);
  return found.length > 0 ? found : [fine("no git setting interferes")];
}

/** Git commands hold it for a moment. */
const LONG_MS = 60_000;

function indexLock(repository: Repository): Finding {
  const path = indexLockPath(repository);
  const stat = statOf(path);
  if (stat === undefined) return fine("git's index is not locked");
  const ageMs = Date.now() - stat.mtime.getTime();
  if (ageMs < LONG_MS) return fine("git's index is locked by a command that is running");
  return warning(
    `git's index has been locked since ${exactTime(stat.mtime.toISOString())}; no rollback is possible meanwhile`,
    `If no git command is running (an open commit editor counts), delete ${path}.`,
  );
}

function leftovers(repository: Repository): HealthCheck {
  return {
    name: "leftovers",
    look: () => {
      const dead = [
        ...deadLocks(repository),
        ...deadTemporary(repository),
        ...deadQuarantines(repository).map(({ path }) => path),
      ];
      if (dead.length === 0) return [fine("no leftovers of killed commands")];
      const hint = "`waymark doctor --fix` removes them; the next checkpoint does so too.";
      const found = warning("temporary files of commands that were killed", hint);
      return [{ ...found, items: dead, fixable: true }];
    },
    fix: () => {
      sweepTemporary(repository);
      sweepQuarantine(repository);
    },
  };
}

function deadLocks(repository: Repository): string[] {
  return ownLocks(repository).filter((path) => deadHolder(path) !== undefined);
}

/** The first checkpoint after ten minutes removes them, and there may be none for a while. */
const LONG_ASIDE_MS = 7 * 24 * 60 * 60 * 1000;

/** Listed, never deleted here: each may hold what a program wrote after a rollback had moved its file away. */
function keptFiles(repository: Repository): Finding {
  const kept = stagingRoots(repository).flatMap((root) =>
    namesIn(root).flatMap((name) => (name.startsWith("kept-") ? [join(root, name)] : [])),
  );
  const old = kept.filter((path) => {
    const since = statOf(join(path, "manifest.json"))?.mtime.getTime();
    return since === undefined || Date.now() - since > LONG_ASIDE_MS;
  });
  if (old.length === 0) {
    return kept.length === 0
      ? fine("no files that rollbacks moved aside")
      : {
          ...fine("files that rollbacks moved aside; a later checkpoint removes them"),
          items: kept,
        };
  }
  const hint =
    "The next checkpoint removes the folders that no program wrote to since. If one is not removed, a program saved a file in it: look at the file, then delete the folder.";
  return { ...warning("folders with files that rollbacks moved aside", hint), items: old };
}

/** Git looks into every pack for every object, and at every loose ref for a list of refs. */
const MANY_PACKS = 60;
const MANY_REFS = 1000;

function store(repository: Repository): Finding {
  const { count, bytes } = storeSize(repository);
  const refs = looseIds(repository).length;
  const message = `checkpoints use ${counted(count, "pack")} with ${humanBytes(bytes)} and ${counted(refs, "loose ref")}`;
  return count > MANY_PACKS || refs > MANY_REFS
    ? warning(`${message}, which slows Waymark down`, "Run `waymark cleanup`.")
    : fine(message);
}

/** The store may have a copy, which the user's own git does not see. */
async function lostHead(repository: Repository): Promise<Finding[]> {
  const commit = await resolveRef(repository, "HEAD");
  if (commit === undefined) return [];
  const args = ["cat-file", "-e", `${commit}^{tree}`];
  if ((await runGit(repository, args, { accept: [0, 1, 128] })).exitCode === 0) return [];
  return [
    problem(
      `HEAD is the commit ${commit}, which this repository has lost`,
      "Run `git fsck`. Fetch it from another clone, or from the store: `git fetch .git/waymark/store 'refs/waymark/cp/*'`.",
    ),
  ];
}

function earlierVersion(repository: Repository): Finding[] {
  const { takenOver } = readBases(repository.store);
  const waiting = warning(
    "checkpoints of an earlier version are still in the refs of this repository",
    "The next command that changes something moves them; `waymark create` does.",
  );
  const moved =
    takenOver === undefined
      ? []
      : [
          fine(
            `${counted(takenOver.checkpoints, "checkpoint")} of an earlier version moved into the store (${exactTime(takenOver.at)})`,
          ),
        ];
  const left = (takenOver?.left ?? []).map((ref) =>
    warning(
      `${ref} of an earlier version is damaged and stays in this repository`,
      `Delete it with \`git update-ref -d ${ref}\` if you do not need it.`,
    ),
  );
  return [...(hasOldRefs(repository) ? [waiting] : []), ...moved, ...left];
}

/** Left by a Waymark of before that was killed while it merged packs, or by damage: nobody can tell from here. */
function lostIndexes(repository: Repository): Finding[] {
  return packsWithoutIndex(repository).map((path) =>
    warning(
      `${path}.pack contains checkpoints and has no index, so git does not read it`,
      `Run \`git index-pack ${quoteForShell(`${path}.pack`)}\`.`,
    ),
  );
}
