import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Failure } from "../../domain/failure.ts";
import {
  A_MINUTE,
  readLock,
  removeDead,
  takeLock,
  takeLockNow,
  type LockOwner,
} from "./owned-lock.ts";
import { deadIdentity } from "./process-identity.fixture.ts";
import { ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { tempFolder } from "./temp-folder.fixture.ts";
import { canUnshare, sandboxed } from "./unshare.fixture.ts";

const lockIn = (folder: string): string => join(folder, "private", "the.lock");

async function leaveLock(path: string, identity: ProcessIdentity): Promise<LockOwner> {
  const lock = await takeLock(path, "leaving", 0);
  const owner = { ...lock.owner, ...identity };
  lock.release();
  writeFileSync(path, JSON.stringify(owner));
  return owner;
}

const ELSEWHERE: ProcessIdentity = { ...deadIdentity(), host: "another-host", boot: "another" };

async function leaveElsewhere(path: string): Promise<void> {
  rmSync(path, { force: true });
  await leaveLock(path, ELSEWHERE);
}

const locked = expect.objectContaining({ code: "locked" });

describe("a lock", () => {
  it("says who holds it and what for, and goes with its release", async () => {
    const path = lockIn(tempFolder());
    const lock = await takeLock(path, "rolling back", 0);
    expect(readLock(path)).toEqual(lock.owner);
    expect(lock.owner).toMatchObject({ ...ownIdentity(), doing: "rolling back" });
    lock.release();
    expect(readLock(path)).toBeUndefined();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("can be taken again after its release", async () => {
    const path = lockIn(tempFolder());
    (await takeLock(path, "one", 0)).release();
    const second = await takeLock(path, "two", 0);
    expect(readLock(path)?.token).toBe(second.owner.token);
  });

  it("is waited for", async () => {
    const path = lockIn(tempFolder());
    const first = await takeLock(path, "one", 0);
    const waiting = takeLock(path, "two", 60_000);
    expect(readLock(path)?.token).toBe(first.owner.token);
    first.release();
    expect(readLock(path)?.token ?? (await waiting).owner.token).toBe((await waiting).owner.token);
  });

  it("is released only by the one who holds it", async () => {
    const path = lockIn(tempFolder());
    const first = await takeLock(path, "one", 0);
    first.release();
    const second = await takeLock(path, "two", 0);
    first.release();
    expect(readLock(path)?.token).toBe(second.owner.token);
  });
});

describe("a lock of a live owner", () => {
  it("is never taken, and the refusal says who it is", async () => {
    const path = lockIn(tempFolder());
    const lock = await takeLock(path, "rolling back", 0);
    const before = readFileSync(path, "utf8");
    const refusal: unknown = await takeLock(path, "mine", 0).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Failure);
    expect(refusal).toMatchObject({
      code: "locked",
      message: expect.stringContaining(`process ${process.pid}`),
      details: { owner: lock.owner },
    });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("is never taken from another machine either, and the hint says what to delete", async () => {
    const path = lockIn(tempFolder());
    const owner = await leaveLock(path, ELSEWHERE);
    await expect(takeLock(path, "mine", 0)).rejects.toMatchObject({
      code: "locked",
      hint: expect.stringContaining(path),
    });
    expect(readLock(path)).toEqual(owner);
  });
});

describe("a lock of somebody out of sight", () => {
  it("goes after a while where the work is safe without it, and not before", async () => {
    const path = lockIn(tempFolder());
    const owner = await leaveLock(path, ELSEWHERE);
    expect(takeLockNow(path, "mine", A_MINUTE)).toBeUndefined();
    await expect(takeLock(path, "mine", 0, A_MINUTE)).rejects.toEqual(locked);
    expect(readLock(path)).toEqual(owner);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(takeLockNow(path, "mine", 10)?.owner.doing).toBe("mine");
  });
});

describe.skipIf(!canUnshare)("a lock of a process in a sandbox (needs unshare)", () => {
  it("[R29] is not taken while that process lives", async () => {
    const path = lockIn(tempFolder());
    const { identity, end } = await sandboxed();
    onTestFinished(end);
    const owner = await leaveLock(path, identity);
    removeDead(path);
    await expect(takeLock(path, "mine", 0)).rejects.toEqual(locked);
    expect(readLock(path)).toEqual(owner);
  });
});

describe("removeDead", () => {
  it("removes the lock of a dead process, and no other", async () => {
    const path = lockIn(tempFolder());
    removeDead(path);
    await leaveLock(path, deadIdentity());
    removeDead(path);
    expect(existsSync(path)).toBe(false);
    const live = await takeLock(path, "live", 0);
    removeDead(path);
    expect(readLock(path)).toEqual(live.owner);
    await leaveElsewhere(path);
    removeDead(path);
    expect(existsSync(path)).toBe(true);
  });
});

describe("a lock of a dead owner", () => {
  it.each([
    ["ended", deadIdentity()],
    ["was there before the machine was started", { ...ownIdentity(), boot: "earlier" }],
  ])("is taken over when the process %s", async (_how, identity) => {
    const path = lockIn(tempFolder());
    await leaveLock(path, identity);
    const lock = await takeLock(path, "mine", 0);
    expect(readLock(path)?.token).toBe(lock.owner.token);
    lock.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("goes to one of several rivals", async () => {
    const path = lockIn(tempFolder());
    await leaveLock(path, deadIdentity());
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) => takeLock(path, `rival ${at}`, 0)),
    );
    const winners = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value.owner.token] : [],
    );
    expect(winners).toEqual([readLock(path)?.token]);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toEqual(locked);
    }
  });

  it("is left alone while somebody else is taking it over", async () => {
    const path = lockIn(tempFolder());
    const dead = await leaveLock(path, deadIdentity());
    const rival = { ...dead, ...ownIdentity(), token: "rival" };
    writeFileSync(`${path}.takeover`, JSON.stringify(rival));
    removeDead(path);
    expect(readLock(path)).toEqual(dead);
  });

  it("is taken over although somebody died while taking it over", async () => {
    const path = lockIn(tempFolder());
    const dead = await leaveLock(path, deadIdentity());
    writeFileSync(`${path}.takeover`, JSON.stringify({ ...dead, token: "died too" }));
    const lock = await takeLock(path, "mine", 0);
    expect(readLock(path)?.token).toBe(lock.owner.token);
    expect(existsSync(`${path}.takeover`)).toBe(false);
  });

  // A power cut can leave a lock without its content: it is linked into place before it is on the disk.
  it.each(["", "{", "\0\0\0\0", "null"])(
    "is taken over when all that is left of it is %j",
    async (text) => {
      const path = lockIn(tempFolder());
      (await takeLock(path, "makes the folder", 0)).release();
      writeFileSync(path, text);
      const lock = await takeLock(path, "mine", 0);
      expect(existsSync(path)).toBe(true);
      lock.release();
    },
  );
});
