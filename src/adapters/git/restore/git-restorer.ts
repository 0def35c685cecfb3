/** The Restorer port on a git work tree. */
import { join } from "node:path";
import { parsePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { outOfSightHint, outOfSightText } from "../../../domain/out-of-sight.ts";
import { SILENT, type Progress } from "../../../ports/progress.ts";
import type {
  RecoveryResult,
  RecoverySteps,
  Restore,
  Restorer,
  Unfinished,
} from "../../../ports/restorer.ts";
import { writeDurably } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { quickStatOf } from "../../files/file-stat.ts";
import {
  heldBy,
  readLock,
  takeLock,
  takeOverLock,
  type LockOwner,
  type OwnedLock,
} from "../../files/owned-lock.ts";
import {
  isAlive,
  isSame,
  ownIdentity,
  type ProcessIdentity,
} from "../../files/process-identity.ts";
import { readRegular } from "../../files/regular-file.ts";
import type { ObjectReader } from "../object-reader.ts";
import { ownLocks } from "../own-locks.ts";
import { sweepQuarantine } from "../quarantine.ts";
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
  readonly #progress: Progress;

  constructor(repository: Repository, reader: ObjectReader, progress: Progress = SILENT) {
    this.#repository = repository;
    this.#reader = reader;
    this.#progress = progress;
  }

  async begin(
    rollbackId: string,
    targetId: string,
    stopIfAsked: () => void = () => undefined,
  ): Promise<Restore> {
    const { GitRestore, INDEX_WAIT_MS, tidyUp } = await loadRestore();
    const lock = await this.#take("rolling back");
    try {
      const left = readIntent(this.#repository);
      if (left !== undefined) throw unfinishedFirst(describe(left, left.owner, false));
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
      const repository = this.#repository;
      const user = { progress: this.#progress, stopIfAsked };
      return new GitRestore(repository, this.#reader, lock, indexLock, intent, user);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  unfinished(): Unfinished | undefined {
    const intent = readIntent(this.#repository);
    if (intent === undefined) return undefined;
    if (isSame(intent.owner, ownIdentity())) {
      return activeRollbacks.has(intent.rollback_id)
        ? undefined
        : describe(intent, intent.owner, false);
    }
    const holder = readLock(this.#lockPath());
    const life = holder === undefined ? "dead" : isAlive(holder);
    if (holder !== undefined && life === "unknown") return describe(intent, holder, true);
    // Whoever rolls back holds the lock from before the record is there until after it is gone.
    if (holder !== undefined && life === "alive" && isSame(holder, intent.owner)) return undefined;
    // It may have come to its end between the two looks.
    const now = readIntent(this.#repository);
    return now?.rollback_id === intent.rollback_id
      ? describe(now, now.owner, false)
      : this.unfinished();
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
      writeDurably(activityPath(this.#repository), lock.owner.token, false);
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

  async recover(steps: RecoverySteps, takeOver?: string): Promise<RecoveryResult | undefined> {
    const first = this.unfinished();
    if (first === undefined) return undefined;
    if (takeOver === first.rollbackId) this.#takeOverLocks();
    else await this.#untilSettled(first.rollbackId);
    const lock = await this.#take("recovering");
    try {
      // Another process may have recovered, or rolled back, while this one waited.
      const intent = readIntent(this.#repository);
      if (intent?.rollback_id !== first.rollbackId) return undefined;
      return await this.#recoverIntent(intent, steps);
    } finally {
      lock.release();
    }
  }

  /** Waits for a rollback that may be at work; fails when it takes too long. */
  async #untilSettled(rollbackId: string): Promise<void> {
    const deadline = Date.now() + LOCK_WAIT_MS;
    for (;;) {
      const now = this.unfinished();
      if (now?.rollbackId !== rollbackId || !now.owner.mayBeAtWork) return;
      const isLate = Date.now() >= deadline || !isYoung(this.#lockPath());
      if (isLate) throw outOfSight(this.#lockPath(), now);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Its process is gone, somebody says: all locks that it held go with it. One that is seen to live keeps them. */
  #takeOverLocks(): void {
    const owners = [readLock(this.#lockPath()), readIntent(this.#repository)?.owner];
    const gone = owners
      .filter((owner) => owner !== undefined)
      .filter((owner) => isAlive(owner) === "unknown");
    for (const path of ownLocks(this.#repository)) {
      const holder = readLock(path);
      if (holder === undefined) continue;
      if (gone.some((owner) => isSame(holder, owner))) takeOverLock(path, holder);
    }
    // Its git may have left locks on refs.
    sweepQuarantine(this.#repository, gone);
  }

  async #recoverIntent(intent: Intent, steps: RecoverySteps): Promise<RecoveryResult> {
    const { takeBackIntent, tidyUp } = await loadRestore();
    const unfinished = describe(intent, intent.owner, false);
    const isDone = await steps.isJournaled(intent.rollback_id);
    if (isDone || intent.phase === "locking") {
      tidyUp(this.#repository, intent);
      return { outcome: isDone ? "finished" : "taken_back", unfinished, foreign: [], problems: [] };
    }
    giveUpReserve(stagingOf(this.#repository, intent));
    await steps.beforeTakingBack();
    await steps.takeBackParts(unfinished);
    const foreign = await takeBackIntent(
      this.#repository,
      this.#reader,
      intent,
      undefined,
      this.#progress,
    );
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

function outOfSight(lock: string, unfinished: Unfinished): Failure {
  return new Failure("locked", outOfSightText(unfinished), {
    hint: outOfSightHint(unfinished),
    details: { lock, rollback_id: unfinished.rollbackId, owner: unfinished.owner },
  });
}

/** Its record is the only way back from it, so no other rollback takes that place. */
function unfinishedFirst({ rollbackId, targetId, since }: Unfinished): Failure {
  const what = `a rollback to ${targetId || "a checkpoint"}, started ${since}, is not finished`;
  return new Failure("locked", what, {
    hint: "`waymark recover` finishes or reverts it; then run the command again. Nothing was changed.",
    details: { rollback_id: rollbackId },
  });
}

function describe(
  intent: Intent,
  { host, pid }: ProcessIdentity,
  mayBeAtWork: boolean,
): Unfinished {
  return {
    owner: { host, pid, mayBeAtWork },
    rollbackId: intent.rollback_id,
    targetId: intent.target_id,
    safetyId: intent.safety_id,
    since: intent.since,
    phase: intent.phase,
    parts: intent.parts ?? [],
    partPaths: intent.part_paths?.map((path) => parsePath(path)) ?? null,
  };
}
