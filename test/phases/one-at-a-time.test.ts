/** While a phase runs in a work tree, nobody else runs one there, and nobody pulls its files away. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { type CliResult, expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";

const UNTIL_TOLD = "echo work > made.txt; touch started; while [ ! -e go ]; do sleep 0.05; done";

/** Runs `body` while a phase is running. */
async function whileRunning(project: RuleProject, body: () => Promise<void>): Promise<CliResult> {
  const { root } = project.repo;
  const running = project.run("phase", "implement", "--", "sh", "-c", UNTIL_TOLD);
  try {
    while (!existsSync(join(root, "started"))) await wait(20);
    await body();
  } finally {
    await writeFile(join(root, "go"), "");
  }
  return running;
}

describe("while a phase runs", () => {
  it("[R94] no rollback takes its files away, whichever session it is booked on", async () => {
    await withSeed(async (project) => {
      const { root } = project.repo;
      await project.repo.write("kept.txt", "kept\n");
      const first = await project.create();
      const ended = await whileRunning(project, async () => {
        const tried: string[][] = [
          ["rollback", first, "--yes", "--session", "worktree-main"],
          ["rollback", first, "--yes"],
        ];
        for (const args of tried) {
          const refused = await project.run(...args);
          expect({ args, code: field(refused.json, "error", "code") }).toEqual({
            args,
            code: "session_held",
          });
        }
        const other = await project.ok("session", "start", "--type", "other");
        const refused = await project.run("rollback", first, "--yes");
        expect(field(refused.json, "error", "code")).toBe("session_held");
        // [R94] Nor does another session run here meanwhile.
        const second = await project.run("phase", "validate", "--", "true");
        expect(field(second.json, "error", "code")).toBe("session_held");
        expect(text(other.json, "session", "status")).toBe("active");
        await project.repo.remove("kept.txt");
        await project.ok("rollback", first, "--yes", "--paths", "kept.txt");
        expect(await readFile(join(root, "made.txt"), "utf8")).toBe("work\n");
      });
      expectExit(ended, 0);
    });
  });

  it("[R94] of several that begin at once one runs at a time", async () => {
    await withSeed(async (project) => {
      const log = join(project.repo.home, "log");
      const step = `echo in >> "${log}"; sleep 0.3; echo out >> "${log}"`;
      const ended = await Promise.all(
        ["one", "two", "three"].map((name) => project.run("phase", name, "--", "sh", "-c", step)),
      );
      for (const result of ended) expectExit(result, 0, 6);
      const lines = (await readFile(log, "utf8")).trim().split("\n");
      expect(lines.filter((_, at) => at % 2 === 0).every((line) => line === "in")).toBe(true);
      const { json } = await project.ok("session", "list", "--all");
      const started = items(json, "sessions").filter((one) => field(one, "implicit") === false);
      expect(started).toHaveLength(1);
    });
  });
});

describe("the end of a session", () => {
  it("comes back with undo: when it ended and was put away, too", async () => {
    await withSeed(async (project) => {
      const started = await project.ok("session", "start", "--type", "t");
      const id = text(started.json, "session", "id");
      const checkpoint = await project.create("--name", "here");
      await project.repo.write("more.txt", "more\n");
      await project.ok("session", "fail");
      const before = (await project.ok("session", "show", id)).json;
      await project.ok("rollback", checkpoint, "--yes", "--session", id);
      const between = (await project.ok("session", "show", id)).json;
      expect(between).toMatchObject({
        session: { status: "paused", ended_at: null, archived_at: null },
      });
      await project.ok("undo", "--yes");
      const after = (await project.ok("session", "show", id)).json;
      for (const name of ["status", "ended_at", "archived_at"]) {
        expect({ [name]: field(after, "session", name) }).toEqual({
          [name]: field(before, "session", name),
        });
      }
    });
  });

  it("is no matter of undo while it goes on: it is as active as it was", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "t");
      const checkpoint = await project.create("--name", "here");
      await project.repo.write("more.txt", "more\n");
      await project.ok("rollback", checkpoint, "--yes");
      await project.ok("undo", "--yes");
      const { json } = await project.ok("session", "show");
      expect(text(json, "session", "status")).toBe("active");
    });
  });
});
