// File backups under faults at any moment of a rollback: a kill, a full disk, somebody who saves.
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepareKillpoint, runTraced } from "../../scripts/faults/killpoint.mjs";
import { spread } from "../../scripts/faults/matrix.mjs";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { points } from "../support/sample.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const killpoint = await prepareKillpoint();
const tracer = killpoint.kind === "ready" ? killpoint.path : "";

const NAMES = ["local/a", "local/deep/b", "local/c", "local/now"];

async function state(project: RuleProject, outside: string): Promise<string> {
  const paths = [...NAMES.map((name) => join(project.repo.root, name)), outside];
  const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "-");
  return (await Promise.all(paths.map(read))).join(" ");
}

const THEN = "then then then - then";
const NOW = "now now - now now";

/** A checkpoint of ignored files and one outside, and other content by now. */
async function withBackup(
  body: (scene: {
    project: RuleProject;
    outside: string;
    rollBack: (
      inject?: Parameters<typeof runTraced>[1]["inject"],
      callClass?: string,
    ) => ReturnType<typeof runTraced>;
  }) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    const outside = `${repo.root}-outside.conf`;
    await repo.write(".gitignore", "/local/\n");
    for (const name of NAMES.slice(0, 3)) await repo.write(name, "then");
    await writeFile(outside, "then");
    const id = await project.create("--scope", "local", outside);
    await repo.write("local/a", "now");
    await repo.write("local/deep/b", "now");
    await repo.remove("local/c");
    await repo.write("local/now", "now");
    await writeFile(outside, "now");
    const command = [process.execPath, ...waymarkArguments(repo.root, "rollback", id, "--yes")];
    const env = cliEnvironment(repo.env) as Record<string, string>;
    const rollBack = (inject?: Parameters<typeof runTraced>[1]["inject"], callClass = "name") =>
      runTraced(
        tracer,
        { root: join(repo.root, ".."), callClass, ...(inject && { inject }) },
        command,
        { cwd: repo.root, env },
      );
    await body({ project, outside, rollBack });
  });
}

const KILLS = points(8);
const SAVES = points(5);

describe.skipIf(tracer === "")("a rollback with a file backup", () => {
  test("[R68] killed anywhere, it is finished or taken back by the next command", () =>
    withBackup(async ({ project, outside, rollBack }) => {
      const whole = await rollBack();
      expect(await state(project, outside)).toBe(THEN);
      await project.ok("undo", "--yes");
      expect(await state(project, outside)).toBe(NOW);
      let killed = 0;
      for (const at of spread(whole.points, KILLS)) {
        const { died } = await rollBack({ at, action: "kill" });
        killed += Number(died);
        await project.ok("recover");
        const after = await state(project, outside);
        if (after !== THEN && after !== NOW) throw new Error(`killed at ${at}: ${after}`);
        if (after === THEN) await project.ok("undo", "--yes");
        expect(await state(project, outside)).toBe(NOW);
      }
      expect(killed).toBeGreaterThan((KILLS * 2) / 3);
    }));

  test("[R68] on a full disk it leaves everything as it was", () =>
    withBackup(async ({ project, outside, rollBack }) => {
      const whole = await rollBack(undefined, "space");
      await project.ok("undo", "--yes");
      for (const at of spread(whole.points, points(4))) {
        const { code } = await rollBack({ at, action: "errno", errno: "ENOSPC" }, "space");
        const after = await state(project, outside);
        expect([at, code, after]).toEqual([at, code, code === 0 ? THEN : NOW]);
        if (after === THEN) await project.ok("undo", "--yes");
      }
    }));

  test("[R68] what somebody saves meanwhile is not lost", () =>
    withBackup(async ({ project, outside, rollBack }) => {
      const whole = await rollBack();
      await project.ok("undo", "--yes");
      const { root } = project.repo;
      let saved = 0;
      for (const at of spread(whole.points, SAVES)) {
        const mark = `saved-at-${at}-end`;
        const { fired } = await rollBack({
          at,
          action: "run",
          command: `printf ${mark} > '${root}/local/a'`,
        });
        saved += fired;
        const found = execFileSync(
          "sh",
          ["-c", 'grep -rl -- "$1" "$2/local" "$2/.git/waymark" || true', "sh", mark, root],
          { encoding: "utf8" },
        );
        if (fired > 0 && found === "") throw new Error(`lost what was saved at ${at}`);
        await project.repo.write("local/a", "now");
        await project.repo.write("local/deep/b", "now");
        await project.repo.remove("local/c").catch(() => undefined);
        await project.repo.write("local/now", "now");
        await writeFile(outside, "now");
      }
      expect(saved).toBeGreaterThan(SAVES / 2);
    }));
});
