/** Containers and sandboxes that share a project with others: process ids that mean nothing elsewhere, and other names of one machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  canUnshare,
  OWN_HOSTNAME,
  OWN_PROCESSES,
} from "../../src/adapters/files/unshare.fixture.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { withDirty, type RuleProject } from "./project.ts";

const where = (project: RuleProject, name: string): Promise<string> =>
  project.repo.gitPath(`waymark/${name}`);

/** Starts a command in namespaces of its own. */
function start(project: RuleProject, flags: readonly string[], ...args: readonly string[]) {
  const command = [process.execPath, ...waymarkArguments(project.repo.root, ...args)];
  const child = spawn("unshare", [...flags, ...command], {
    env: cliEnvironment(project.repo.env),
    stdio: "ignore",
  });
  return { child, ended: once(child, "close") };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

describe.skipIf(!canUnshare)("a rollback in a sandbox (needs unshare)", () => {
  it.each([
    ["outside", []],
    ["in another sandbox", OWN_PROCESSES],
  ])("[R29] is not robbed by a recovery %s", async (_where, flags) => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.write("b.txt", "changed since\n");
      // A git that is at work holds the rollback up at its very beginning.
      const indexLock = await repo.gitPath("index.lock");
      await writeFile(indexLock, "");
      const rollback = start(project, OWN_PROCESSES, "rollback", "latest", "--yes");
      const intent = await where(project, "rollback-intent.json");
      await until(() => existsSync(intent));
      const inside = await childOf(rollback.child.pid ?? 0);
      process.kill(inside, "SIGSTOP");
      try {
        await rm(indexLock);
        const held = await readFile(await where(project, "rollback.lock"), "utf8");
        const [code] = await start(project, flags, "recover").ended;
        expect([0, 6]).toContain(code);
        expect(existsSync(intent)).toBe(true);
        expect(await readFile(await where(project, "rollback.lock"), "utf8")).toBe(held);
      } finally {
        process.kill(inside, "SIGCONT");
      }
      expect(await rollback.ended).toEqual([0, null]);
      expect(await repo.read("b.txt")).not.toEqual(Buffer.from("changed since\n"));
    });
  });
});

describe.skipIf(!canUnshare)("a rollback that was killed (needs unshare)", () => {
  it("[R23] is taken back also when the machine had another name then", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      const indexLock = await repo.gitPath("index.lock");
      await writeFile(indexLock, "");
      const rename = ["sh", "-c", 'hostname earlier-name && exec "$@"', "sh"];
      const flags = [...OWN_HOSTNAME, ...rename];
      const rollback = start(project, flags, "rollback", "latest", "--yes");
      const intent = await where(project, "rollback-intent.json");
      await until(() => existsSync(intent));
      rollback.child.kill("SIGKILL");
      await rollback.ended;
      await rm(indexLock);
      expect(JSON.parse(await readFile(intent, "utf8"))).toMatchObject({
        owner: { host: "earlier-name" },
      });
      expect((await project.ok("list")).json).toMatchObject({
        unfinished_rollback: { owner: { host: "earlier-name", may_be_at_work: false } },
      });
      expect((await project.ok("recover")).json).toMatchObject({ outcome: "taken_back" });
    });
  });

  it("[R23] is refused, named and taken over from one sandbox to another", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      const indexLock = await repo.gitPath("index.lock");
      await writeFile(indexLock, "");
      // The sandbox outlives it, so that the next one does not get its number.
      const flags = [...OWN_PROCESSES, "sh", "-c", '"$@"; sleep 600', "sh"];
      const { child, ended } = start(project, flags, "rollback", "latest", "--yes");
      const intent = await where(project, "rollback-intent.json");
      await until(() => existsSync(intent));
      process.kill(await childOf(await childOf(child.pid ?? 0)), "SIGKILL");
      await rm(indexLock);
      try {
        const before = await readFile(intent, "utf8");
        const { rollback_id } = JSON.parse(before) as { rollback_id: string };
        expect(await start(project, OWN_PROCESSES, "rollback", "latest", "--yes").ended).toEqual([
          6,
          null,
        ]);
        expect(await readFile(intent, "utf8")).toBe(before);
        const words = ["recover", "--take-over", rollback_id];
        expect(await start(project, OWN_PROCESSES, ...words).ended).toEqual([0, null]);
        expect(existsSync(intent)).toBe(false);
        expect(existsSync(await where(project, "run.lock"))).toBe(false);
      } finally {
        child.kill("SIGKILL");
        await ended;
      }
    });
  });
});

async function childOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim());
}
