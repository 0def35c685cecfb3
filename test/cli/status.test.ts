/** What `status` says about undo and about work that stopped, and whether undo and redo say the same. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

const RUN = `
name: feature
phases:
  - name: plan
    nodes: [{ name: a, run: "true" }]
  - name: implement
    nodes: [{ name: b, run: "exit 3" }]
`;

/** Both streams, as people see them. */
async function said({ repo }: RuleProject, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCommand(
    process.execPath,
    waymarkArguments(repo.root, ...args),
    { env: cliEnvironment(repo.env) },
  );
  return `${stdout.toString()}${stderr}`;
}

async function rolledBack(project: RuleProject): Promise<string> {
  const id = await project.create();
  await project.repo.write("a.txt", "later\n");
  await project.rollBack(id);
  return id;
}

const SINCE_ROLLBACK =
  /the project was changed since that rollback; those changes (are|were) reverted too \(`waymark redo` restores them\)/;
const SINCE_UNDO =
  /the project was changed since that undo; those changes (are|were) reverted too \(`waymark undo` restores them\)/;

describe("undo and redo with changes made since", () => {
  it("say in every mode that those go too, and status says it before", async () => {
    await withSeed(async (project) => {
      const id = await rolledBack(project);
      expect(await said(project, "status")).toMatch(
        new RegExp(`undo +reverts the rollback to ${id} made (just now|.* ago) \\(`),
      );
      expect(await said(project, "undo", "--dry-run")).not.toMatch(SINCE_ROLLBACK);
      await project.repo.write("b.txt", "my new work\n");
      expect(await said(project, "status")).toContain(", and what changed since (`waymark undo`)");
      const { json } = await project.ok("status");
      expect(field(json, "undo", "reverts_later_work")).toBe(true);
      expect(await said(project, "undo", "--dry-run")).toMatch(SINCE_ROLLBACK);
      expect(JSON.stringify((await project.ok("undo", "--dry-run")).json)).toMatch(SINCE_ROLLBACK);
      expect(await said(project, "undo", "--yes")).toMatch(SINCE_ROLLBACK);
      await project.repo.write("b.txt", "and again\n");
      expect(await said(project, "redo", "--dry-run")).toMatch(SINCE_UNDO);
      const redone = await project.ok("redo", "--yes");
      expect(JSON.stringify(field(redone.json, "warnings"))).toMatch(SINCE_UNDO);
      const back = await project.ok("undo", "--yes");
      expect(JSON.stringify(field(back.json, "warnings"))).not.toMatch(SINCE_ROLLBACK);
    });
  });

  it("name the same checkpoint as status, also after a redo", async () => {
    await withSeed(async (project) => {
      const id = await rolledBack(project);
      await project.ok("undo", "--yes");
      await project.ok("redo", "--yes");
      expect(await said(project, "status")).toContain(`reverts the rollback to ${id}`);
      expect(await said(project, "undo", "--yes")).toContain(`Undid the rollback to ${id}`);
    });
  });
});

describe("status", () => {
  it("names a workflow that failed, and what continues it", async () => {
    await withSeed(async (project) => {
      await project.repo.write("flow.yml", RUN);
      expectExit(await project.run("run", "flow.yml"), 1);
      const { json } = await project.ok("status");
      const id = text(json, "session_id");
      expect(json).toMatchObject({
        session_status: "failed",
        stopped: { kind: "failed", phase: "implement" },
        interrupted: false,
        resume_command: `waymark resume ${id}`,
      });
      expect(await said(project, "status")).toContain(
        `failed           phase implement of ${id}; \`waymark resume\` continues it`,
      );
    });
  });

  it("calls a phase that failed failed, and one that completed nothing", async () => {
    await withSeed(async (project) => {
      expectExit(await project.run("phase", "implement", "--", "false"), 1);
      const failed = await said(project, "status");
      expect(failed).toMatch(
        /failed +phase implement of phases_\S+; `waymark resume` continues it/,
      );
      expect(failed).not.toContain("interrupted");
      await project.ok("phase", "implement", "--", "true");
      const { json } = await project.ok("status");
      expect(json).toMatchObject({ stopped: null, interrupted: false, resume_command: null });
    });
  });

  it("names what git has begun and not ended, also before the first checkpoint", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const main = (await repo.git("branch", "--show-current")).trim();
      await repo.git("branch", "side");
      const sides = [
        ["side", "theirs"],
        [main, "ours"],
      ] as const;
      for (const [branch, content] of sides) {
        await repo.git("switch", "-q", branch);
        for (const name of ["a.txt", "b.txt"]) await repo.write(name, `${content}\n`);
        await repo.git("commit", "-qam", content);
      }
      expect(field((await project.ok("status")).json, "operation")).toBeNull();
      await repo.gitStops("merge", "side");
      const merging = { kind: "merge", conflicts: 2 };
      expect(field((await project.ok("status")).json, "operation")).toEqual(merging);
      await project.create();
      expect(await said(project, "status")).toContain(
        `on               branch ${main}, merge in progress (2 conflicts), 1 checkpoint\n`,
      );
      await repo.git("merge", "--abort");
      await repo.git("bisect", "start");
      expect(await said(project, "status")).toContain(`${main}, bisect in progress, 1 checkpoint`);
    });
  });

  it("counts checkpoints that are known to be damaged", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.create();
      expect(await said(project, "status")).not.toContain("damaged");
      await project.repo.store("update-ref", `refs/waymark/cp/${id}`, await project.repo.head());
      expect(await said(project, "status")).toContain(
        "damaged          1 checkpoint (`waymark validate`)",
      );
      expect(field((await project.ok("status")).json, "damaged")).toBe(1);
    });
  });
});
