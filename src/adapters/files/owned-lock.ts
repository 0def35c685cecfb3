/**
 * A lock file that says who holds it. A live owner is never robbed, a dead one never blocks.
 *
 * Taking over a dead lock renames it away first: of several rivals one gets that very file, the others find it gone
 * and compete for the new one.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { uniqueName } from "./durable-write.ts";
import { errorCode, isMissing } from "./errors.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

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

export function readLock(path: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as LockOwner;
  } catch (error) {
    if (isMissing(error)) return undefined;
    // Lock files are linked into place whole, so this one is nobody's.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function takeLock(path: string, doing: string, waitMs: number): Promise<OwnedLock> {
  const owner: LockOwner = {
    ...ownIdentity(),
    token: uniqueName(),
    since: new Date().toISOString(),
    doing,
  };
  const deadline = Date.now() + waitMs;
  while (!tryTake(path, owner)) {
    const holder = readLock(path);
    if (holder !== undefined && isAlive(holder) === "dead") {
      takeAway(path, holder);
      continue;
    }
    if (Date.now() >= deadline) throw heldBy(path, holder);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {
    owner,
    release: () => {
      if (readLock(path)?.token === owner.token) rmSync(path, { force: true });
    },
  };
}

/** Removes the lock of a process that is gone. */
export function removeDead(path: string): void {
  const holder = readLock(path);
  if (holder !== undefined && isAlive(holder) === "dead") takeAway(path, holder);
}

function tryTake(path: string, owner: LockOwner): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${owner.token}`;
  writeFileSync(temporary, JSON.stringify(owner), { mode: 0o600 });
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

function takeAway(path: string, dead: LockOwner): void {
  const aside = `${path}.dead-${uniqueName()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const taken = readLock(aside);
  if (taken !== undefined && taken.token !== dead.token) {
    // Somebody else was quicker and this is their new lock: it goes back.
    try {
      linkSync(aside, path);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  rmSync(aside, { force: true });
}

function heldBy(path: string, holder: LockOwner | undefined): Failure {
  const who =
    holder === undefined
      ? "another process"
      : `process ${holder.pid} on ${holder.host} (${holder.doing}, since ${holder.since})`;
  const elsewhere = holder !== undefined && isAlive(holder) === "unknown";
  return new Failure("locked", `${who} is changing this work tree`, {
    hint: elsewhere
      ? `It runs on another machine. If you are sure that it is gone, delete ${path}.`
      : "Wait until it has finished, then run the command again.",
    details: { lock: path, owner: holder },
  });
}
