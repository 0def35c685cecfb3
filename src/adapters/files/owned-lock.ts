/**
 * A lock file that says who holds it. A live owner is never robbed, a dead one never blocks.
 *
 * Taking over a dead lock has a lock of its own.
 */
import { linkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { uniqueName, writeNew } from "./durable-write.ts";
import { errorCode, isMissing } from "./errors.ts";
import { quickStatOf } from "./file-stat.ts";
import { makeFolders } from "./make-folders.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { readRegular } from "./regular-file.ts";

export interface LockOwner extends ProcessIdentity {
  readonly token: string;
  readonly since: string;
  readonly doing: string;
}

export interface OwnedLock {
  readonly owner: LockOwner;
  release(): void;
}

const POLL_MS = 50;
export const A_MINUTE = 60_000;

export function readLock(path: string): LockOwner | undefined {
  let text: string;
  try {
    text = readRegular(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return parseOwner(text) ?? NOBODY;
}

/** Locks are linked into place whole; one that cannot be read is what a power cut left of one. */
const NOBODY: LockOwner = {
  host: hostname(),
  boot: "",
  pid: 0,
  started: "",
  token: "",
  since: "",
  doing: "nothing",
};

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as LockOwner | null;
    return typeof owner?.token === "string" ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Locks of this process that could not be removed when they were let go. */
const letGo = new Set<string>();

/**
 * `patienceMs`, for work that is safe without its lock: after so long that of a process counts as left which cannot be seen from here (on another
 * machine, in a container that is gone), as nobody would ever be told of it.
 */
function isDead(holder: LockOwner, path: string, patienceMs = Infinity): boolean {
  if (holder === NOBODY || letGo.has(holder.token)) return true;
  const life = isAlive(holder);
  if (life !== "unknown" || patienceMs === Infinity) return life === "dead";
  const since = quickStatOf(path)?.ctimeMs;
  return since !== undefined && Date.now() - since > patienceMs;
}

export async function takeLock(
  path: string,
  doing: string,
  waitMs: number,
  patienceMs?: number,
): Promise<OwnedLock> {
  const owner = ownerOf(doing);
  const deadline = Date.now() + waitMs;
  while (!tryTake(path, owner)) {
    const holder = readLock(path);
    if (holder !== undefined && isDead(holder, path, patienceMs)) {
      takeAway(path, holder, owner);
      continue;
    }
    if (Date.now() >= deadline) throw heldBy(path, holder);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return heldLock(path, owner);
}

/** Without waiting; undefined when somebody else holds it. */
export function takeLockNow(
  path: string,
  doing: string,
  patienceMs?: number,
): OwnedLock | undefined {
  removeDead(path, patienceMs);
  const owner = ownerOf(doing);
  return tryTake(path, owner) ? heldLock(path, owner) : undefined;
}

function heldLock(path: string, owner: LockOwner): OwnedLock {
  return {
    owner,
    release: () => {
      try {
        if (readLock(path)?.token === owner.token) rmSync(path, { force: true });
      } catch {
        // What was done under the lock is done, and nobody waits for one that was let go.
        letGo.add(owner.token);
      }
    },
  };
}

/** Removes the lock of a process that is gone. */
export function removeDead(path: string, patienceMs?: number): void {
  const holder = deadHolder(path, patienceMs);
  if (holder !== undefined) takeAway(path, holder, ownerOf("removing a dead lock"));
}

/** Who held the lock, if that process is gone. */
export function deadHolder(path: string, patienceMs?: number): LockOwner | undefined {
  const holder = readLock(path);
  return holder !== undefined && isDead(holder, path, patienceMs) ? holder : undefined;
}

/** Removes a lock that this very holder has, whom somebody knows to be gone. */
export function takeOverLock(path: string, holder: LockOwner): void {
  takeAway(path, holder, ownerOf("taking over"));
}

function tryTake(path: string, owner: LockOwner): boolean {
  makeFolders(dirname(path), 0o700);
  const temporary = `${path}.${owner.token}`;
  writeNew(temporary, JSON.stringify(owner));
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Only who holds the takeover lock removes a dead lock, and only if it is still that one. So a new owner, who may come
 * at any moment, is never touched. A takeover lock whose owner died is removed as it is: at worst two look at once, and
 * both find that the lock is no longer the dead one.
 */
function takeAway(path: string, dead: LockOwner, owner: LockOwner): void {
  const takeover = `${path}.takeover`;
  if (!tryTake(takeover, owner)) {
    const other = readLock(takeover);
    // It is held for a moment.
    if (other !== undefined && isDead(other, takeover, A_MINUTE)) rmSync(takeover, { force: true });
    return;
  }
  try {
    if (readLock(path)?.token === dead.token) rmSync(path, { force: true });
  } finally {
    rmSync(takeover, { force: true });
  }
}

function ownerOf(doing: string): LockOwner {
  return { ...ownIdentity(), token: uniqueName(), since: new Date().toISOString(), doing };
}

export function heldBy(path: string, holder: LockOwner | undefined): Failure {
  const who =
    holder === undefined
      ? "another process"
      : `process ${holder.pid} on ${holder.host} (${holder.doing}, since ${holder.since})`;
  const elsewhere = holder !== undefined && isAlive(holder) === "unknown";
  return new Failure("locked", `locked by ${who}`, {
    hint: elsewhere
      ? `It runs on another machine, or in a container that cannot be inspected from here. If it definitely no longer runs, delete ${path}.`
      : "Wait until it has finished, then run the command again.",
    details: { lock: path, owner: holder },
  });
}
