/** Checkpoints at the boundaries of phases: the commands, the record, the settings and the examples of the first document. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { talk } from "./scene.ts";

const SETTINGS = `checkpoint:
  # Checkpoint strategy: manual, before_modify, before_all, smart
  strategy: "before_modify"

  # Phases that always get pre-checkpoints (override strategy)
  always_checkpoint: ["implement"]

  # Phases that never get checkpoints
  never_checkpoint: []

  # Retention: max checkpoints to keep per task
  max_per_task: 10

  # Auto-cleanup on create
  auto_cleanup: true

  # Include untracked files in stash
  include_untracked: true
`;

async function triggersOf(project: RuleProject, ...args: readonly string[]): Promise<string[]> {
  const { json } = await project.ok("list", ...args);
  return items(json, "checkpoints").map((each) => text(each, "trigger"));
}

describe("a checkpoint", () => {
  it("has the fields of the record, by the names that it has here", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await repo.git("config", "user.name", "Ann");
      await repo.write("../metrics.json", '{"coverage": 81.5}');
      const { json } = await project.ok(
        "create",
        "--phase",
        "implement",
        "--task",
        "task-123",
        "--workflow-state",
        "Planned",
        "--description",
        "before the handlers",
        "--metrics",
        `${repo.base}/metrics.json`,
      );
      const id = text(json, "checkpoint", "id");
      const { json: shown } = await project.ok("show", id);
      expect(field(shown, "checkpoint")).toMatchObject({
        id,
        task_id: "task-123",
        phase: "implement",
        trigger: "manual",
        previous_phase: "plan",
        workflow_state: "Planned",
        description: "before the handlers",
        metrics: { coverage: 81.5 },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        git: {
          branch: "refs/heads/main",
          commit: (await repo.git("rev-parse", "HEAD")).trim(),
          stats: { staged: expect.any(Number), untracked: expect.any(Number) },
        },
        created_by: { user: "Ann" },
      });
      // What a stash entry would be: an object whose name never changes.
      const digest = (await repo.store("rev-parse", `refs/waymark/cp/${id}^{tree}`)).trim();
      expect(items(shown, "checkpoint", "parts")).toMatchObject([{ type: "git_stash", digest }]);
      expect(await repo.exists(".checkpoints")).toBe(false);
      // The record as it is stored, and as it is after a way out and in.
      const message = await repo.store("log", "-1", "--format=%B", `refs/waymark/cp/${id}`);
      const stored: unknown = JSON.parse(message.slice(message.indexOf("{")));
      expect(field(shown, "checkpoint")).toMatchObject(stored as object);
      const { json: exported } = await project.ok("export");
      await project.ok("delete", id, "--yes", "--now");
      await project.ok("import", text(exported, "file"));
      expect((await project.ok("show", id)).json).toEqual(shown);
      // One command for everything that is not committed, without a stash entry that is dropped with another.
      expect(await repo.git("stash", "list")).toBe("");
    });
  });

  it("has an annotated tag with its document where the settings ask for one", async () => {
    await withSeed(async (project) => {
      await project.agreeTo("git: {tags: true}\n");
      const id = await project.create("--phase", "implement");
      const tag = `refs/tags/waymark/implement/manual/${id}`;
      expect((await project.repo.git("cat-file", "-t", tag)).trim()).toBe("tag");
      const message = await project.repo.git("for-each-ref", "--format=%(contents)", tag);
      const document: unknown = JSON.parse(message.slice(message.indexOf("{")));
      expect(document).toMatchObject({ id, phase: "implement", trigger: "manual" });
      await project.ok("delete", id, "--yes", "--now");
      expect(await project.repo.git("for-each-ref", "refs/tags")).toBe("");
    });
  });
});

describe("the phases of a task", () => {
  it("have a checkpoint before what modifies code and one after success, none after a failure", async () => {
    await withDirty(async (project) => {
      await project.ok("phase", "plan", "--task", "task-123", "--", "true");
      await project.ok("phase", "implement", "--", "sh", "-c", "echo done > done.txt");
      expectExit(await project.run("phase", "validate", "--", "false"), 1);
      expect(await triggersOf(project, "--task", "task-123")).toEqual([
        "pre_phase",
        "post_phase",
        "pre_phase",
        "post_phase",
        "pre_phase",
      ]);
      expect(await triggersOf(project, "--phase", "implement", "-n", "1")).toEqual(["post_phase"]);
      const [validate] = items((await project.ok("list")).json, "checkpoints");
      expect(validate).toMatchObject({ phase: "validate", previous_phase: "implement" });
      // One command goes back to before a phase.
      await project.ok("rollback", "phase:implement", "--yes");
      expect(await project.repo.exists("done.txt")).toBe(false);
    });
  });

  it.each([
    // The first phase of a session has one unless the strategy is manual: it is the start that a rollback can go to.
    ["manual", []],
    ["before_modify", ["specify", "implement"]],
    ["before_all", ["specify", "plan", "implement"]],
    ["smart", ["specify", "implement"]],
  ])("have checkpoints before them by strategy %s", async (strategy, phases) => {
    await withDirty(async (project) => {
      await project.writeOwnSettings(`strategy: ${strategy}\nphases: {always: []}\n`);
      for (const phase of ["specify", "plan", "implement"]) {
        await project.ok("phase", phase, "--", "true");
      }
      const { json } = await project.ok("list", "--trigger", "pre_phase");
      const before = items(json, "checkpoints").map((each) => text(each, "phase"));
      expect(before.reverse()).toEqual(phases);
    });
  });
});

describe("the settings of the document", () => {
  it("are read from flowspec_workflow.yml as they are written", async () => {
    await withSeed(async (project) => {
      await project.repo.write("flowspec_workflow.yml", SETTINGS);
      const { json } = await project.ok("config");
      const settings = new Map(
        items(json, "values").map((each) => [text(each, "key"), field(each, "value")]),
      );
      expect(settings.get("strategy")).toBe("before_modify");
      expect(settings.get("phases.always")).toEqual(["implement"]);
      expect(settings.get("phases.never")).toEqual([]);
      expect(settings.get("retention.max_per_task")).toBe(10);
      expect(settings.get("retention.auto_cleanup")).toBe(true);
      expect(settings.get("capture.include_untracked")).toBe(true);
      expect(settings.get("phases.order")).toEqual([
        "assess",
        "specify",
        "research",
        "plan",
        "implement",
        "validate",
        "operate",
      ]);
      expect(settings.get("phases.modify")).toEqual(["implement", "validate", "operate"]);
    });
  });
});

describe("max_per_task", () => {
  it("keeps the newest of a task, also of those taken by hand", async () => {
    await withSeed(async (project) => {
      await project.repo.write("flowspec_workflow.yml", "checkpoint: {max_per_task: 3}\n");
      const ids: string[] = [];
      for (let count = 1; count <= 6; count++) ids.push(await project.create("--task", "task-1"));
      await project.ok("pin", ids[0] ?? "");
      await project.ok("cleanup", "--yes");
      const { json } = await project.ok("list", "--task", "task-1");
      const left = items(json, "checkpoints").map((each) => text(each, "id"));
      expect(left).toEqual([ids[5], ids[4], ids[3], ids[0]]);
    });
  });
});

describe("the commands of the document", () => {
  it("create, list, roll back and clean up", async () => {
    await withSeed(async (project) => {
      expect((await talk(project, "list")).stderr).toContain("no checkpoints");
      await project.repo.write("test.txt", "original");
      const said = await talk(project, "create", "--phase", "implement", "--task", "task-123");
      const id = /cp-05-implement-[\w-]+/.exec(said.stdout)?.[0] ?? "";
      const head = (await project.repo.git("rev-parse", "--short=8", "HEAD")).trim();
      expect(said.stdout).toContain(`step 5 implement, commit ${head})`);
      await project.repo.write("test.txt", "modified");
      const { stdout } = await talk(project, "list", "--task", "task-123", "--phase", "implement");
      expect(stdout).toContain(id);
      expect(stdout).toContain("task-123");
      const plan = await talk(project, "rollback", id, "--dry-run");
      expect(plan.stdout + plan.stderr).toContain("test.txt");
      // Without a terminal nothing is changed unless the question is answered by a flag.
      expectExit(await project.run("rollback", id), 5);
      expect(String(await project.repo.read("test.txt"))).toBe("modified");
      await project.ok("rollback", id, "--yes");
      expect(String(await project.repo.read("test.txt"))).toBe("original");
      expectExit(await project.run("rollback", "cp-77-none", "--yes"), 3);
      const newer: string[] = [];
      for (let at = 0; at < 12; at++) newer.push(await project.create());
      const cleaned = await talk(project, "cleanup", "--keep", "10");
      const idsIn = (text: string): string[] => text.match(/^cp-\S+/gm) ?? [];
      expect(idsIn(cleaned.stdout)).toEqual([newer[1], newer[0]]);
      expect(cleaned.stderr).toContain("2 checkpoints removed");
    });
  });

  it.skipIf(!hasTerminal)("asks in a terminal before anything is changed", async () => {
    await withSeed(async (project) => {
      const { root, env } = project.repo;
      await project.repo.write("test.txt", "original");
      const place = ["--phase", "implement", "--task", "task-12"];
      const id = await project.create(...place);
      await project.repo.write("test.txt", "modified");
      const commit = (await project.repo.git("rev-parse", "HEAD")).trim();
      expect((await project.ok("rollback", id, "--dry-run")).json).toMatchObject({
        checkpoint: { id, trigger: "manual", phase: "implement", task_id: "task-12", commit },
      });
      const no = await inTerminal(
        root,
        ["rollback", "latest"],
        [{ see: "[y/N]", type: "n\r" }],
        env,
      );
      expect(no.screen).toContain(`phase implement, task task-12, commit ${commit.slice(0, 8)}`);
      expect(no.screen).toContain("test.txt");
      expect(String(await project.repo.read("test.txt"))).toBe("modified");
      await inTerminal(root, ["rollback", "latest"], [{ see: "[y/N]", type: "y\r" }], env);
      expect(String(await project.repo.read("test.txt"))).toBe("original");
    });
  });

  it("keep changes that are not committed on each branch, and switch back to the branch", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("a.txt", "work on main\n");
      const id = await project.create();
      await repo.git("checkout", "-q", "-f", "-b", "elsewhere");
      await project.ok("rollback", id, "--yes");
      expect((await repo.git("branch", "--show-current")).trim()).toBe("main");
      expect(String(await repo.read("a.txt"))).toBe("work on main\n");
    });
  });
});
