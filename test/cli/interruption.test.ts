/** Ctrl+C and signals: exit code 130, a word about the state of things, and nothing half done. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import type { Interruption } from "../../src/ports/interruption.ts";
import { RuleProject, withDirty } from "../spec/project.ts";
import { waymarkArguments } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { items } from "../support/json.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { ownIdentity } from "../../src/adapters/files/process-identity.ts";
import { problemsWith } from "./schema-check.ts";

/** A command that is still running. */
class Running {
  readonly #child;
  #stdout = "";
  #stderr = "";

  constructor(project: RuleProject, ...args: readonly string[]) {
    const { root, env } = project.repo;
    this.#child = spawn(process.execPath, waymarkArguments(root, ...args), { env });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.#stdout += chunk.toString("utf8")));
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString("utf8")));
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The command listens to signals: until then one would simply end it. Node itself catches INT and TERM, but not HUP. */
  async listens(): Promise<void> {
    await until(async () => {
      const status = await readFile(`/proc/${this.#child.pid ?? 0}/status`, "utf8");
      const caught = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)?.[1] ?? "0"}`);
      return (caught & 1n) !== 0n;
    });
  }

  async said(text: string): Promise<void> {
    await until(() => Promise.resolve(this.#stderr.includes(text)));
  }

  async end(): Promise<{ code: unknown; stdout: string; stderr: string }> {
    const [code] = (await once(this.#child, "close")) as unknown[];
    return { code, stdout: this.#stdout, stderr: this.#stderr };
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5);
}

async function exists(path: string): Promise<boolean> {
  return await readFile(path).then(
    () => true,
    () => false,
  );
}

/** As if this very process were rolling the work tree back: others wait for it. */
async function holdRollbackLock(project: RuleProject): Promise<void> {
  const owner = {
    ...ownIdentity(),
    token: "test",
    since: new Date().toISOString(),
    doing: "testing",
  };
  await writeFile(
    join(await project.repo.gitPath("waymark"), "rollback.lock"),
    JSON.stringify(owner),
  );
}

describe.skipIf(process.platform !== "linux")("a signal (needs /proc)", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "[R49] %s ends a create: exit code 130, no checkpoint, nothing changed",
    async (signal) => {
      await withDirty(async (project) => {
        await project.create();
        const before = await takeFingerprint(project.repo);
        await holdRollbackLock(project);
        const running = new Running(project, "create", "--force", "--json");
        await running.listens();
        running.send(signal);
        const { code, stdout } = await running.end();
        expect(code).toBe(130);
        const document: unknown = JSON.parse(stdout);
        expect(document).toMatchObject({ error: { code: "interrupted" } });
        expect(problemsWith(document, "error")).toEqual([]);
        expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
      });
    },
  );

  it.each([
    ["status", "Nothing was changed."],
    ["diff", "Nothing was changed."],
    ["validate", "Nothing was changed."],
    ["export", "An archive is complete or was not written."],
    ["import", "Nothing was imported."],
  ])("[R49] the hint of %s is about what it does", async (command, hint) => {
    await withDirty(async (project) => {
      await project.create();
      const file = join(project.repo.base, "archive");
      await project.ok("export", "-o", file);
      const given = command === "import" ? [command, file] : [command];
      const running = new Running(project, ...given, "--json");
      await running.listens();
      running.send("SIGINT");
      const { code, stdout } = await running.end();
      expect(code).toBe(130);
      expect(JSON.parse(stdout)).toMatchObject({ error: { hint } });
    });
  });

  it("[R49] Ctrl+C during the first create in a plain folder leaves nothing behind", async () => {
    await withTempProject(async (repo) => {
      const project = new RuleProject(repo);
      for (let number = 0; number < 2000; number++) await repo.write(`f${number}`, `${number}\n`);
      const before = await readdir(repo.root);
      const running = new Running(project, "create", "--json");
      // It is being made into a project.
      await until(async () => (await readdir(repo.root)).includes(".checkpoints"));
      running.send("SIGINT");
      const { code, stdout } = await running.end();
      expect(code).toBe(130);
      expect(JSON.parse(stdout)).toMatchObject({
        error: { hint: "No checkpoint was created, and nothing was changed." },
      });
      expect(await readdir(repo.root)).toEqual(before);
    });
  });

  it("[R49] Ctrl+C during a rollback takes it back and says so", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.write("b.txt", "changed since\n");
      const before = await takeFingerprint(repo);
      // A git that is at work holds the rollback up at its very beginning.
      const lock = await repo.gitPath("index.lock");
      await writeFile(lock, "");
      const running = new Running(project, "rollback", "latest", "--yes");
      const intent = join(await repo.gitPath("waymark"), "rollback-intent.json");
      await until(() => exists(intent));
      running.send("SIGINT");
      await running.said(
        "Interrupted; nothing was changed yet. Press Ctrl+C again to stop immediately.",
      );
      await rm(lock);
      const { code, stderr } = await running.end();
      expect(code).toBe(130);
      expect(stderr).toContain(
        "The project is as it was before. Run the command again to roll back.",
      );
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      expect((await project.ok("recover")).json).toMatchObject({ recovered: false });
      expect(items((await project.ok("log", "--failed")).json, "entries")).toMatchObject([
        { kind: "rollback", error: { code: "interrupted" } },
      ]);
    });
  });

  it("a second Ctrl+C ends it at once, and the next command takes the rollback back", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.write("b.txt", "changed since\n");
      const before = await takeFingerprint(repo);
      const lock = await repo.gitPath("index.lock");
      await writeFile(lock, "");
      const running = new Running(project, "rollback", "latest", "--yes");
      await until(() => exists(join(repo.root, ".git/waymark/rollback-intent.json")));
      running.send("SIGINT");
      await running.said(
        "Interrupted; nothing was changed yet. Press Ctrl+C again to stop immediately.",
      );
      // Sooner it would count as the same wish.
      await sleep(700);
      running.send("SIGINT");
      const { code, stderr } = await running.end();
      expect(code).toBe(130);
      expect(stderr).toContain("waymark recover");
      await rm(lock);
      expect((await project.ok("recover")).json).toMatchObject({ outcome: "taken_back" });
      const [recovered, failed] = items((await project.ok("log")).json, "entries");
      expect(recovered).toMatchObject({ kind: "recover", details: { outcome: "taken_back" } });
      expect(failed).toMatchObject({ kind: "rollback", error: { code: "interrupted" } });
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });
});

/** Asks to stop when it is looked at for the nth time. */
class StopAt implements Interruption {
  looks = 0;
  readonly #nth: number;

  constructor(nth: number) {
    this.#nth = nth;
  }

  get isAsked(): boolean {
    this.looks++;
    return this.looks >= this.#nth;
  }

  holdOff<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  handOver<Result>(_onWish: unknown, work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

describe("a rollback that is asked to stop", () => {
  it("[R49] goes back from every point where it looks, until it is a fact", async () => {
    await withDirty(async ({ repo }) => {
      const open = async (nth: number) => {
        const interruption = new StopAt(nth);
        const project = await openGitProject({ directory: repo.root, interruption });
        return { project, interruption };
      };
      const { project: first } = await open(Infinity);
      const { checkpoint: target } = await createCheckpoint(first, {});
      first.close();
      await repo.write("b.txt", "changed since\n");
      await repo.write("later.txt", "new\n");
      await repo.commit("since");
      const before = await takeFingerprint(repo);
      const roll = async (nth: number) => {
        const { project, interruption } = await open(nth);
        try {
          await rollBack(project, {
            kind: "rollback",
            target,
            sessionId: "worktree-main",
            scope: { filesOnly: false, keepHead: false, paths: null },
            discardCommits: true,
            reason: null,
            confirmed: true,
            confirm: () => Promise.resolve(true),
            id: `rb-${nth}`,
          });
          return interruption.looks;
        } finally {
          project.close();
        }
      };
      let stops = 0;
      for (;;) {
        try {
          await roll(stops + 1);
          break;
        } catch (error) {
          expect(error).toMatchObject({ code: "interrupted" });
          expect(differences(await takeFingerprint(repo), before)).toEqual([]);
          stops++;
        }
      }
      // Between any two phases, and between any two files in each of them.
      expect(stops).toBeGreaterThan(20);
      expect((await repo.read("b.txt")).toString()).toBe("beta, edited\n");
    });
  });
});
