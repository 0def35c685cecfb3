import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostTag } from "../files/durable-write.ts";
import { aDayLater } from "../files/a-day-later.fixture.ts";
import { ownIdentity } from "../files/process-identity.ts";
import { openedRepository } from "./temp-repository.fixture.ts";
import { sweepTemporary } from "./sweep-temporary.ts";

async function deadPid(): Promise<number> {
  const child = spawn("true", { stdio: "ignore" });
  await once(child, "close");
  return child.pid ?? 0;
}

const FOLDERS = [
  "",
  "tmp",
  "examined",
  "agents",
  "agents/sessions",
  "agents-installed",
  "guards",
  "isolated",
  "made-here/checkpoints",
  "made-here/sessions",
];
const NESTED = [...FOLDERS.map((path) => basename(path)), "made-here", "store"];

describe("sweepTemporary", () => {
  it("does nothing where there is nothing", async () => {
    const { repository } = await openedRepository();
    expect(() => sweepTemporary(repository)).not.toThrow();
  });

  it("removes temporary files of processes that are gone, and nothing else", async () => {
    const { repository } = await openedRepository();
    const dead = await deadPid();
    const gone = ["x.tmp-", "index-", "lock-", "run.lock.", "run.lock.takeover."].map(
      (name) => `${name}${dead}-${hostTag()}mwid2pm2-1`,
    );
    const stay = [
      `x.tmp-${process.pid}-${hostTag()}mwid2pm2-1`,
      `index-${dead}-aaaaaamwid2pm2-1`,
      "capture-cache.json",
      "latest.json",
      `${dead}`,
      `notes-${dead}`,
    ];
    for (const folder of FOLDERS.map((name) => join(repository.privateDir, name))) {
      mkdirSync(folder, { recursive: true });
      for (const name of [...gone, ...stay]) writeFileSync(join(folder, name), "");
    }
    sweepTemporary(repository);
    for (const folder of FOLDERS.map((name) => join(repository.privateDir, name))) {
      const left = readdirSync(folder).filter((name) => !NESTED.includes(name));
      expect(left.sort()).toEqual(stay.toSorted());
    }
  });

  it("removes those of processes that cannot be seen when nobody touched them for a day", async () => {
    const { repository } = await openedRepository();
    const folder = join(repository.privateDir, "tmp");
    const stays = `x.tmp-${process.pid}-${hostTag()}mwid2pm2-1`;
    mkdirSync(join(folder, "rules-1-aaaaaamwid2pm2-1"), { recursive: true });
    for (const name of [stays, "index-1-aaaaaamwid2pm2-1"]) writeFileSync(join(folder, name), "");
    sweepTemporary(repository);
    expect(readdirSync(folder)).toHaveLength(3);
    aDayLater();
    sweepTemporary(repository);
    expect(readdirSync(folder)).toEqual([stays]);
  });

  it.each([
    "rollback.lock",
    "run.lock",
    "cleanup.lock",
    "packs.lock",
    "init.lock",
    "guard.lock",
    "run.lock.takeover",
    "isolated/left-over.lock",
    "agents/turn.lock",
    "agents/sessions/0a1b.json.lock",
  ])("[R29] removes %s when its process is gone, and leaves a live one", async (name) => {
    const { repository } = await openedRepository();
    const lock = join(repository.privateDir, name);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, JSON.stringify({ ...ownIdentity(), token: "live" }));
    sweepTemporary(repository);
    expect(existsSync(lock)).toBe(true);
    writeFileSync(lock, JSON.stringify({ ...ownIdentity(), started: "1", token: "dead" }));
    sweepTemporary(repository);
    expect(existsSync(lock)).toBe(false);
  });
});
