/** `waymark import --from flowspec`: records with commits, tags and stash entries. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { checkpointsOf, expectAllValid, importFrom, sessionOf } from "./imported.ts";
import { writeFlowspec, writeSource } from "./sources.ts";

const SESSION = "flowspec-task-12";

describe("import --from flowspec", () => {
  it("makes one session of each task, with the stash entry on top of the commit", async () => {
    await withSeed(async (project) => {
      const { path, commits } = await writeFlowspec(project.repo);
      const stashes = await project.repo.git("stash", "list");
      const { json, notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual([]);
      expect(items(json, "sessions")).toMatchObject([{ id: SESSION, task_id: "task-12" }]);
      const [before, after] = await checkpointsOf(project, SESSION);
      expect(before).toMatchObject({
        phase: "implement",
        step: 5,
        trigger: "pre_phase",
        task_id: "task-12",
        workflow_state: "Planned",
        previous_phase: "plan",
        created_at: "2025-11-01T10:00:00.123Z",
        created_by: { user: "Ann" },
        description: "pre_phase of implement",
        metrics: { coverage: 81 },
        git: { commit: commits[0], branch: "refs/heads/main", stats: { staged: 1, untracked: 1 } },
      });
      expect(after).toMatchObject({ trigger: "post_phase", git: { commit: commits[1] } });
      expect(await sessionOf(project, SESSION)).toMatchObject({
        task_id: "task-12",
        workflow: {
          current_phase: "implement",
          current_step: 5,
          phases: [
            {
              name: "implement",
              status: "completed",
              checkpoint_before: text(before, "id"),
              checkpoint_after: text(after, "id"),
            },
          ],
        },
      });
      expect(await project.repo.git("stash", "list")).toBe(stashes);
      await expectAllValid(project);
    });
  });

  it("brings the uncommitted changes back as they were: staged, changed, untracked", async () => {
    await withSeed(async (project) => {
      const { path, commits } = await writeFlowspec(project.repo);
      await importFrom(project, "flowspec", path);
      const selector = ["rollback", "phase:implement", "--session", SESSION];
      await project.ok(...selector, "--yes", "--discard-commits");
      const { repo } = project;
      expect((await repo.git("rev-parse", "HEAD")).trim()).toBe(commits[0]);
      expect(await repo.git("show", ":tracked.txt")).toBe("staged\n");
      expect((await repo.read("tracked.txt")).toString()).toBe("staged\nand changed\n");
      expect(await repo.git("status", "--porcelain")).toBe("MM tracked.txt\n?? untracked.txt\n");
    });
  });

  it("makes a checkpoint of the commit alone when the stash entry is gone, and says so", async () => {
    await withSeed(async (project) => {
      const { path } = await writeFlowspec(project.repo);
      await project.repo.git("stash", "clear");
      const { notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual(["stash_missing: a1b2c3d4"]);
      const [before] = await checkpointsOf(project, SESSION);
      expect(text(before, "reason")).toContain("without its uncommitted changes");
      expect(field(before, "git", "stats")).toMatchObject({ staged: 0, unstaged: 0, untracked: 0 });
    });
  });

  it("does not take a stash entry with its message that was made on another commit", async () => {
    await withSeed(async (project) => {
      const { path } = await writeFlowspec(project.repo);
      const { repo } = project;
      await repo.git("stash", "clear");
      await repo.write("tracked.txt", "later\n");
      const message = "flowspec checkpoint a1b2c3d4 - implement pre_phase";
      await repo.git("stash", "push", "-q", "-m", message);
      const { json, notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual(["stash_missing: a1b2c3d4"]);
      expect(JSON.stringify(json)).toContain("created on another commit");
    });
  });

  it("finds the commit by the tag when the record only says HEAD", async () => {
    await withSeed(async (project) => {
      const { path, registry, commits } = await writeFlowspec(project.repo);
      const checkpoints = registry.checkpoints.map((one) => ({ ...one, commit_hash: "HEAD" }));
      await writeSource(path, JSON.stringify({ ...registry, checkpoints }));
      const { notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual([]);
      const found = await checkpointsOf(project, SESSION);
      expect(found.map((one) => field(one, "git", "commit"))).toEqual([...commits]);
    });
  });

  it("takes what a checkout would put on disk, and leaves files alone that go through a filter", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitattributes", "*.crlf text eol=crlf\n*.big filter=elsewhere\n");
      await repo.write("lines.crlf", "one\r\ntwo\r\n");
      await repo.write("data.big", "pointer\n");
      const { path } = await writeFlowspecAfter(project);
      await repo.write("lines.crlf", "changed\r\n");
      await repo.write("data.big", "what the filter made of it\n");
      const mark = join(repo.base, "a-filter-ran");
      await repo.git("config", "filter.elsewhere.smudge", `touch ${mark}; cat`);
      const { notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual(["files_left_out: a1b2c3d4", "files_left_out: e5f6a7b8"]);
      await project.ok("rollback", "5", "--session", SESSION, "--yes", "--discard-commits");
      expect((await repo.read("lines.crlf")).toString()).toBe("one\r\ntwo\r\n");
      expect((await repo.read("data.big")).toString()).toBe("what the filter made of it\n");
      expect(existsSync(mark)).toBe(false);
      await expectAllValid(project);
    });
  });

  it("leaves secrets of a stash entry out", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const { path, registry } = await writeFlowspec(repo);
      await repo.git("stash", "clear");
      await repo.git("reset", "-q", "--hard", String(registry.checkpoints[0]?.["commit_hash"]));
      await repo.write(".env", "A=1\n");
      await repo.write("plain.txt", "plain\n");
      const message = "flowspec checkpoint a1b2c3d4 - implement pre_phase";
      await repo.git("stash", "push", "-q", "-u", "-m", message);
      const { notCarried } = await importFrom(project, "flowspec", path);
      expect(notCarried).toEqual(["files_left_out: a1b2c3d4"]);
      const [before] = await checkpointsOf(project, SESSION);
      const ref = `refs/waymark/cp/${text(before, "id")}:worktree`;
      const names = await repo.store("ls-tree", "-r", "--name-only", ref);
      expect(names).toContain("plain.txt");
      expect(names).not.toContain(".env");
    });
  });
});

/** With what is in the work tree committed before. */
async function writeFlowspecAfter(project: Parameters<Parameters<typeof withSeed>[0]>[0]) {
  await project.repo.git("add", "-A");
  await project.repo.commit("with attributes");
  return writeFlowspec(project.repo);
}
