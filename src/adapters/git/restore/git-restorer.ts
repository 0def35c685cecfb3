/** The Restorer port on a git work tree. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePath } from "../../../domain/byte-path.ts";
import type {
  RecoveryResult,
  RecoverySteps,
  Restore,
  Restorer,
  Unfinished,
} from "../../../ports/restorer.ts";
import { isMissing } from "../../files/errors.ts";
import { quickStatOf } from "../../files/file-stat.ts";
import {
  heldBy,
  readLock,
  takeLock,
  type LockOwner,
  type OwnedLock,
} from "../../files/owned-lock.ts";
import { isAlive, ownIdentity } from "../../files/process-identity.ts";
import { readRegular } from "../../files/regular-file.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { IndexLock } from "./index-lock.ts";
import { giveUpReserve } from "./reserve.ts";
import { activeRollbacks, readAllIntents, readIntent, writeIntent, type Intent } from "./intent.ts";
import { stagingName, stagingOf } from "./staging-place.ts";

/** How long one rollback waits for another. */
const LOCK_WAIT_MS = 5000;
/** How long a checkpoint waits for a rollback, which takes a second or two in a large repository. */
const IDLE_WAIT_MS = 20_000;
const POLL_MS = 25;

/** What changes files is loaded when there is something to change: every checkpoint asks only whether a rollback is under way. */
const loadRestore = () => import("./git-restore.ts");

export class GitRestorer implements Restorer {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async begin(rollbackId: string, targetId: string): Promise<Restore> {
    const { GitRestore, INDEX_WAIT_MS, tidyUp } = await loadRestore();
    const lock = await this.#take("rolling back");
    try {
      const indexLock = new IndexLock(this.#repository);
      const intent: Intent = {
        version: 1,
        rollback_id: rollbackId,
        owner: ownIdentity(),
        since: new Date().toISOString(),
        phase: "locking",
        target_id: targetId,
        safety_id: null,
        lock: indexLock.identity,
        staging: stagingName(this.#repository, rollbackId),
        steps: { files: [], modes: [], folders: [] },
        head: null,
        refs: [],
        new_index: null,
        changes_index: false,
        safety_index: null,
      };
      writeIntent(this.#repository, intent);
      try {
        await indexLock.take(INDEX_WAIT_MS);
      } catch (error) {
        tidyUp(this.#repository, intent);
        throw error;
      }
      return new GitRestore(this.#repository, this.#reader, lock, indexLock, intent);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  unfinished(): Unfinished | undefined {
    const intent = readIntent(this.#repository);
    return intent === undefined || isGoingOn(intent) ? undefined : describe(intent);
  }

  inUse(): readonly string[] {
    return readAllIntents(this.#repository)
      .flatMap((intent) => [intent.target_id, intent.safety_id ?? ""])
      .filter((id) => id !== "");
  }

  async whenIdle(): Promise<void> {
    const deadline = Date.now() + IDLE_WAIT_MS;
    for (let holder = this.#holder(); holder !== undefined; holder = this.#holder()) {
      if (Date.now() >= deadline) throw heldBy(this.#lockPath(), holder);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  activity(): string {
    return `${this.#holder()?.token ?? "idle"} ${lastActivity(this.#repository)}`;
  }

  /** Whoever has it may change the project, and leaves a trace that stays. */
  async #take(doing: string): Promise<OwnedLock> {
    const lock = await takeLock(this.#lockPath(), doing, LOCK_WAIT_MS);
    try {
      writeFileSync(activityPath(this.#repository), lock.owner.token, { mode: 0o600 });
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** One that cannot be seen from here counts for as long as a rollback may take: if it is dead, checkpoints go on. */
  #holder(): LockOwner | undefined {
    const holder = readLock(this.#lockPath());
    if (holder === undefined) return undefined;
    const life = isAlive(holder);
    const counts = life === "unknown" ? isYoung(this.#lockPath()) : life === "alive";
    return counts ? holder : undefined;
  }

  async recover(steps: RecoverySteps): Promise<RecoveryResult | undefined> {
    if (this.unfinished() === undefined) return undefined;
    const lock = await this.#take("recovering");
    try {
      // Another process may have recovered while this one waited.
      const intent = readIntent(this.#repository);
      if (intent === undefined || isGoingOn(intent)) return undefined;
      return await this.#recoverIntent(intent, steps);
    } finally {
      lock.release();
    }
  }

  async #recoverIntent(intent: Intent, steps: RecoverySteps): Promise<RecoveryResult> {
    const { takeBackIntent, tidyUp } = await loadRestore();
    const unfinished = describe(intent);
    const isDone = await steps.isJournaled(intent.rollback_id);
    if (isDone || intent.phase === "locking") {
      tidyUp(this.#repository, intent);
      return { outcome: isDone ? "finished" : "taken_back", unfinished, foreign: [], problems: [] };
    }
    giveUpReserve(stagingOf(this.#repository, intent));
    await steps.beforeTakingBack();
    await steps.takeBackParts(unfinished);
    const foreign = await takeBackIntent(this.#repository, this.#reader, intent, undefined);
    const problems = await steps.takeBackTask();
    tidyUp(this.#repository, readIntent(this.#repository) ?? intent);
    return { outcome: "taken_back", unfinished, foreign, problems };
  }

  #lockPath(): string {
    return rollbackLockPath(this.#repository);
  }
}

/** Clocks of other machines may be ahead. */
function isYoung(path: string): boolean {
  const ageMs = Date.now() - (quickStatOf(path)?.ctimeMs ?? 0);
  return Math.abs(ageMs) < IDLE_WAIT_MS;
}

function activityPath(repository: Repository): string {
  return join(repository.privateDir, "last-activity");
}

function lastActivity(repository: Repository): string {
  try {
    return readRegular(activityPath(repository), "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

export function rollbackLockPath(repository: Repository): string {
  return join(repository.privateDir, "rollback.lock");
}

function isGoingOn(intent: Intent): boolean {
  const own = ownIdentity();
  if (intent.owner.pid === own.pid && intent.owner.started === own.started) {
    return activeRollbacks.has(intent.rollback_id);
  }
  return isAlive(intent.owner) !== "dead";
}

function describe(intent: Intent): Unfinished {
  return {
    rollbackId: intent.rollback_id,
    targetId: intent.target_id,
    safetyId: intent.safety_id,
    since: intent.since,
    phase: intent.phase,
    parts: intent.parts ?? [],
    partPaths: intent.part_paths?.map((path) => parsePath(path)) ?? null,
  };
}
