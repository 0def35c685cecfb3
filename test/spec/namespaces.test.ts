/** Containers and sandboxes that share a project with others: process ids that mean nothing elsewhere, and other names of one machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { canUnshare, OWN_PROCESSES } from "../../src/adapters/files/unshare.fixture.ts";
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

async function childOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim());
}
