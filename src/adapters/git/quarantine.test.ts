import { hostTag } from "../files/durable-write.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rmdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { deadIdentity } from "../files/process-identity.fixture.ts";
import { ownIdentity, type ProcessIdentity } from "../files/process-identity.ts";
import { aDayLater } from "../files/a-day-later.fixture.ts";
import { canUnshare, sandboxed } from "../files/unshare.fixture.ts";
import { Quarantine, sweepQuarantine } from "./quarantine.ts";
import type { Repository } from "./repository.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

const folderOf = (repository: Repository): string => join(repository.sharedDir, "quarantine");
const namesIn = (repository: Repository): string[] =>
  existsSync(folderOf(repository)) ? readdirSync(folderOf(repository)) : [];

/** What a process of this identity left behind. */
async function leftBehind(
  repository: Repository,
  name: string,
  owner: (ProcessIdentity & { keeps?: string[]; refLocks?: unknown[] }) | string | undefined,
): Promise<void> {
  const folder = join(folderOf(repository), name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "spool.pack"), "half a pack");
  if (owner === undefined) return;
  const text =
    typeof owner === "string" ? owner : JSON.stringify({ keeps: [], refLocks: [], ...owner });
  await writeFile(join(folder, "owner.json"), text);
}

const ELSEWHERE: ProcessIdentity = { ...ownIdentity(), host: "another-host", boot: "another" };

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

describe("a quarantine", () => {
  it("is a folder only when it is used, and goes when it is discarded", async () => {
    const { repository } = await openedRepository();
    const unused = new Quarantine(repository);
    unused.discard();
    expect(namesIn(repository)).toEqual([]);
    const used = new Quarantine(repository);
    await writeFile(used.path("a"), "x");
    expect(namesIn(repository)).toHaveLength(1);
    used.discard();
    expect(namesIn(repository)).toEqual([]);
  });

  it("takes the `.keep` files that it announced with it", async () => {
    const { repository } = await openedRepository();
    const keep = join(repository.commonDir, "objects/pack/pack-1.keep");
    const quarantine = new Quarantine(repository);
    quarantine.announceKeep(keep);
    await writeFile(keep, "waymark\n");
    quarantine.discard();
    expect(existsSync(keep)).toBe(false);
  });

  it("[R34] leaves a transaction that could not be taken back to a later command", async () => {
    const { repo, repository } = await openedRepository();
    const oid = await repo.commit("one");
    const change = { name: "refs/waymark/cp/half", old: undefined, new: oid };
    const quarantine = new Quarantine(repository);
    quarantine.announceTransaction([change]);
    await repo.store("update-ref", change.name, oid);
    // As on a disk that stays full: no lock can be made.
    await mkdir(repo.storePath(`${change.name}.lock`));
    quarantine.takeBack();
    quarantine.discard();
    expect(namesIn(repository)).toHaveLength(1);
    await rmdir(repo.storePath(`${change.name}.lock`));
    quarantine.takeBack();
    quarantine.discard();
    expect(namesIn(repository)).toEqual([]);
    expect(await repo.store("for-each-ref", change.name)).toBe("");
  });

  it("is not mistaken for another one of the same process", async () => {
    const { repository } = await openedRepository();
    const [one, two] = [new Quarantine(repository), new Quarantine(repository)];
    await writeFile(one.path("a"), "one");
    await writeFile(two.path("a"), "two");
    one.discard();
    expect(existsSync(two.path("a"))).toBe(true);
  });
});

describe("sweeping", () => {
  it("[R29] removes the lock on packed refs that a killed deletion left, and no other", async () => {
    const { repository } = await openedRepository();
    const lock = join(repository.commonDir, "packed-refs.lock");
    const fresh = join(repository.commonDir, "packed-refs.new");
    const ref = join(repository.commonDir, "refs/waymark/cp/x.lock");
    const isLeft = async (oid: string, age: number): Promise<boolean> => {
      await writeFile(lock, "");
      await writeFile(fresh, "half of it");
      for (const path of [lock, fresh]) await utimes(path, secondsAgo(age), secondsAgo(age));
      await leftBehind(repository, "dead", { ...deadIdentity(), refLocks: [{ path: ref, oid }] });
      const record = join(folderOf(repository), "dead", "owner.json");
      await utimes(record, secondsAgo(20), secondsAgo(20));
      sweepQuarantine(repository);
      expect(existsSync(fresh)).toBe(existsSync(lock));
      return existsSync(lock);
    };
    expect(await isLeft("", 10)).toBe(false);
    // It was there before the dead process began.
    expect(await isLeft("", 30)).toBe(true);
    // The dead process deleted nothing.
    expect(await isLeft("a".repeat(40), 10)).toBe(true);
  });

  it("does nothing where there is nothing", async () => {
    const { repository } = await openedRepository();
    expect(() => sweepQuarantine(repository)).not.toThrow();
  });

  it("removes a `.keep` file of ours whose record a power cut took, and none that is somebody's", async () => {
    const { repository } = await openedRepository();
    const pack = (name: string): string => join(repository.commonDir, "objects/pack", name);
    await writeFile(pack("pack-1.keep"), "waymark\n");
    await writeFile(pack("pack-2.keep"), "somebody else's\n");
    await writeFile(pack("pack-3.keep"), "waymark\n");
    await leftBehind(repository, "live", { ...ownIdentity(), keeps: [pack("pack-3.keep")] });
    sweepQuarantine(repository);
    const left = readdirSync(pack("")).filter((name) => name.endsWith(".keep"));
    expect(left.sort()).toEqual(["pack-2.keep", "pack-3.keep"]);
  });

  it("removes what a dead process left behind, with the `.keep` files that it announced", async () => {
    const { repository } = await openedRepository();
    const keep = join(repository.commonDir, "objects/pack/pack-1.keep");
    const foreign = join(repository.commonDir, "objects/pack/pack-2.keep");
    await writeFile(keep, "waymark\n");
    await writeFile(foreign, "somebody else's\n");
    await leftBehind(repository, "dead", { ...deadIdentity(), keeps: [keep] });
    sweepQuarantine(repository);
    expect(namesIn(repository)).toEqual([]);
    expect([existsSync(keep), existsSync(foreign)]).toEqual([false, true]);
  });

  it("leaves what a live process is working with", async () => {
    const { repository } = await openedRepository();
    const quarantine = new Quarantine(repository);
    const keep = join(repository.commonDir, "objects/pack/pack-1.keep");
    await writeFile(quarantine.path("a"), "x");
    quarantine.announceKeep(keep);
    await writeFile(keep, "waymark\n");
    sweepQuarantine(repository);
    expect([existsSync(quarantine.path("a")), existsSync(keep)]).toEqual([true, true]);
  });

  it("leaves what may belong to a live process on another machine", async () => {
    const { repository } = await openedRepository();
    await leftBehind(repository, "elsewhere", ELSEWHERE);
    sweepQuarantine(repository);
    expect(namesIn(repository)).toEqual(["elsewhere"]);
  });

  it("removes what nobody touched for a day, if its process cannot be seen", async () => {
    const { repository } = await openedRepository();
    await leftBehind(repository, "elsewhere", ELSEWHERE);
    await leftBehind(repository, "1-aaaaaamwid2pm2-1", undefined);
    await leftBehind(repository, "alive", ownIdentity());
    aDayLater();
    sweepQuarantine(repository);
    expect(namesIn(repository)).toEqual(["alive"]);
  });

  it.skipIf(!canUnshare)(
    "[R29] leaves what a live process in a sandbox is working with (needs unshare)",
    async () => {
      const { repository } = await openedRepository();
      const { identity, end } = await sandboxed();
      onTestFinished(end);
      await leftBehind(repository, "sandboxed", identity);
      sweepQuarantine(repository);
      expect(namesIn(repository)).toEqual(["sandboxed"]);
    },
  );

  it("removes what a process of the time before the last start of the machine left behind", async () => {
    const { repository } = await openedRepository();
    await leftBehind(repository, "before", { ...ownIdentity(), boot: "another boot" });
    sweepQuarantine(repository);
    expect(namesIn(repository)).toEqual([]);
  });

  it.each([
    ["nobody", undefined],
    ["half a note", '{"pid": 12'],
  ])(
    "goes by the process in the name of a folder that has %s as its owner",
    async (_who, owner) => {
      const { repository } = await openedRepository();
      const child = spawn("true", { stdio: "ignore" });
      await once(child, "close");
      const own = `${process.pid}-${hostTag()}mwid2pm2-1`;
      await leftBehind(repository, own, owner);
      await leftBehind(repository, `${child.pid}-${hostTag()}mwid2pm2-1`, owner);
      sweepQuarantine(repository);
      expect(namesIn(repository)).toEqual([own]);
    },
  );

  it("removes the lock of a ref that git left behind when it was killed with its parent", async () => {
    const { repository } = await openedRepository();
    const oid = "1".repeat(40);
    const pathOf = (name: string): string => join(repository.commonDir, "refs/waymark", name);
    await mkdir(pathOf(""), { recursive: true });
    await writeFile(pathOf("ours.lock"), `${oid}\n`);
    await writeFile(pathOf("theirs.lock"), `${"2".repeat(40)}\n`);
    const refLocks = ["ours.lock", "theirs.lock", "gone.lock"].map((name) => ({
      path: pathOf(name),
      oid,
    }));
    await leftBehind(repository, "dead", { ...deadIdentity(), refLocks });
    sweepQuarantine(repository);
    expect(namesIn(repository)).toEqual([]);
    expect(readdirSync(pathOf(""))).toEqual(["theirs.lock"]);
  });
});
