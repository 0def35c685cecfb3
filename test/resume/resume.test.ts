/** Sessions that were killed or stopped, resumed with the built command. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { untilRecorded } from "../support/until-recorded.ts";
import { kindsOf, linesOf, whatsOf, withResuming, type Resuming } from "./resuming.ts";

/** Two phases, the second with a graph; this one of them kills the run. */
async function killedIn(resuming: Resuming, name: string): Promise<void> {
  const line = (each: string, work: string): string =>
    each === name ? resuming.killer(each, work) : resuming.node(each, work);
  await resuming.write([
    { name: "plan", run: line("plan", "echo p > plan.txt") },
    {
      name: "implement",
      nodes: [
        { name: "api", run: line("api", "echo a > api.txt") },
        { name: "wire", run: line("wire", "echo w > wire.txt"), needs: ["api"] },
      ],
      verify: [line("check", "test -e wire.txt")],
    },
    { name: "validate", run: line("validate", "echo v > v.txt") },
  ]);
  await resuming.runKilled();
}

const ALL = ["plan", "api", "wire", "check", "validate"];

describe("a run that was killed", () => {
  it.each(ALL)("[R79] in %s is resumed: what was completed ran once", async (name) => {
    await withResuming(async (resuming) => {
      await killedIn(resuming, name);
      const refused = await resuming.resume();
      // A check is no node: it runs again without a question, and so does what has not run.
      const isNode = name !== "check";
      expect(refused.code).toBe(isNode ? 5 : 0);
      if (isNode) {
        expect(errorMessage(refused)).toContain(`${name}: it was running when its process ended`);
        const flags = items(refused.json, "error", "details", "flags");
        expect(flags).toContain("--rerun-unknown all");
        await resuming.resumeOk("--rerun-unknown", "all", "--accept-changes");
      }
      const ran = await resuming.ran();
      expect(ran).toEqual(
        Object.fromEntries(ALL.map((each) => [each, each === name ? "2 1" : "1 1"])),
      );
      expect(await resuming.session()).toMatchObject({
        status: "completed",
        lease: { holder: null },
      });
    });
  });

  it("[R79] runs a node of unknown end again only where something allows it", async () => {
    await withResuming(async (resuming) => {
      await resuming.write(
        [
          {
            name: "implement",
            nodes: [
              { name: "deploy", run: resuming.node("deploy", "sleep 60") },
              { name: "lint", run: resuming.node("lint", "sleep 60"), idempotent: true },
              {
                name: "kill",
                run: resuming.killer("kill", resuming.untilBegun("deploy", "lint")),
                rerun: "always",
              },
              { name: "wire", run: resuming.node("wire"), needs: ["deploy"] },
            ],
          },
        ],
        { concurrency: 3 },
      );
      await resuming.runKilled();
      // Whoever was killed left these behind.
      await resuming.write([]);
      const plan = await resuming.plan([5]);
      expect(whatsOf(plan)).toEqual({
        "implement/deploy": "ask",
        "implement/lint": "run_again",
        "implement/kill": "run_again",
        "implement/wire": "run",
      });
      expect(field(plan, "action")).toBe("prompt_user");
      const named = await resuming.plan([2], "--rerun-unknown", "nobody");
      expect(field(named, "error", "code")).toBe("usage");
    });
  });

  it("leaves a node that nobody wants to run again, and goes on with what needs it", async () => {
    await withResuming(async (resuming) => {
      await resuming.write([
        {
          name: "deploy",
          nodes: [
            { name: "ship", run: resuming.killer("ship") },
            { name: "tell", run: resuming.node("tell"), needs: ["ship"] },
          ],
        },
      ]);
      await resuming.runKilled();
      await resuming.resumeOk("--rerun-unknown", "none");
      expect(await resuming.ran()).toEqual({ ship: "1 0", tell: "1 1" });
      const nodes = field(await resuming.session(), "execution_graph", "nodes");
      expect(nodes).toMatchObject({ "deploy/ship": { status: "skipped" } });
    });
  });

  it("[R97] goes back to the recorded files where that is wished for, and what they lose runs again", async () => {
    await withResuming(async (resuming) => {
      const { repo } = resuming.project;
      const apiIsDone = untilRecorded("implement/api completed");
      await resuming.write([
        {
          name: "implement",
          nodes: [
            { name: "api", run: resuming.node("api", "echo a > api.txt") },
            { name: "ui", run: resuming.killer("ui", `${apiIsDone}; echo half > ui.txt`) },
          ],
        },
      ]);
      await resuming.runKilled();
      const plan = await resuming.plan([5]);
      expect(kindsOf(plan)).toEqual(["files_changed"]);
      expect(whatsOf(plan)).toMatchObject({ "implement/api": "kept", "implement/ui": "ask" });
      // At the checkpoint before the batch none of them had begun.
      const back = await resuming.plan([0], "--restore-files");
      expect(whatsOf(back)).toMatchObject({ "implement/api": "run", "implement/ui": "run" });
      await repo.write("mine.txt", "by hand\n");
      const [first] = await resuming.resumeOk("--restore-files");
      expect(await resuming.ran()).toEqual({ api: "2 2", ui: "2 1" });
      await expect(repo.read("mine.txt")).rejects.toMatchObject({ code: "ENOENT" });
      const undo = text(first, "undo_checkpoint_id");
      await resuming.project.ok("rollback", undo, "--yes", "--paths", "mine.txt");
      expect((await repo.read("mine.txt")).toString("utf8")).toBe("by hand\n");
    });
  });

  it("is found by the next run, which guesses nothing", async () => {
    await withResuming(async (resuming) => {
      await killedIn(resuming, "wire");
      const found = await resuming.run();
      expectExit(found, 5);
      expect(text(found.json, "error", "hint")).toMatch(/--resume.*--fresh/);
      const open = await resuming.run("--resume");
      expectExit(open, 5);
      expect(text(open.json, "error", "hint")).toContain("--rerun-unknown");
      expectExit(await resuming.run("--fresh"), 0);
      expect((await resuming.ran())["plan"]).toBe("2 2");
      const { json } = await resuming.project.ok("session", "list", "--all");
      const statuses = items(json, "sessions").map((session) => field(session, "status"));
      expect(statuses).toEqual(expect.arrayContaining(["completed", "abandoned"]));
    });
  });
});

describe("a session that was stopped", () => {
  async function pausedAfterPlan(resuming: Resuming, more: object = {}): Promise<string> {
    await resuming.write(
      [
        { name: "plan", run: resuming.node("plan", "echo p > plan.txt"), breakpoint: true },
        { name: "implement", run: resuming.node("implement", "echo i > i.txt") },
      ],
      more,
    );
    const result = await resuming.run();
    expectExit(result, 5);
    return text(linesOf(result)[0], "session_id");
  }

  it("goes on without a question when nothing happened meanwhile", async () => {
    await withResuming(async (resuming) => {
      const id = await pausedAfterPlan(resuming);
      const lines = await resuming.resumeOk(id.slice(0, -2));
      expect(lines[0]).toMatchObject({
        kind: "resume_plan",
        session_id: id,
        resumed: true,
        can_resume: true,
        resume_from: "batch_2_task_1",
        prerequisites_met: true,
        warnings: [],
        action: "resume",
        decisions: [],
        nodes: [
          { id: "plan/plan", what: "kept", why: "completed" },
          { id: "implement/implement", what: "run", why: "it has not run yet" },
        ],
      });
      expect(lines.at(-1)).toMatchObject({ event: "session_ended", status: "completed" });
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "1 1" });
      const again = await resuming.resume(id);
      expectExit(again, 4);
      expect(errorMessage(again)).toContain("is completed and cannot be resumed");
      expectExit(await resuming.resume(), 3);
    });
  });

  it("[R97] asks when files or HEAD changed, and changes nothing before it is answered", async () => {
    await withResuming(async (resuming) => {
      const { repo } = resuming.project;
      await pausedAfterPlan(resuming);
      await repo.write("b.txt", "by hand\n");
      await repo.git("add", "b.txt");
      await repo.commit("by hand");
      await repo.write("plan.txt", "edited\n");
      const refs = await repo.storeRefs("refs/waymark");
      const refused = await resuming.resume();
      expectExit(refused, 5);
      expect(kindsOf(field(refused.json, "error", "details", "plan"))).toEqual([
        "head_moved",
        "files_changed",
      ]);
      expect(await repo.storeRefs("refs/waymark")).toBe(refs);
      // The way back takes a commit off the branch: that needs one more word.
      const back = await resuming.resume("--restore-files");
      expectExit(back, 5);
      expect(field(back.json, "error", "code")).toBe("commits_would_leave");
      await resuming.resumeOk("--accept-changes");
      expect((await repo.read("plan.txt")).toString("utf8")).toBe("edited\n");
    });
  });

  it("cannot go on when its branch is gone, but its checkpoint makes it again", async () => {
    await withResuming(async (resuming) => {
      const { repo } = resuming.project;
      await repo.git("switch", "-q", "-c", "topic");
      await pausedAfterPlan(resuming);
      await repo.git("switch", "-q", "-f", "main");
      await repo.git("branch", "-q", "-D", "topic");
      const plan = await resuming.plan([5]);
      expect(plan).toMatchObject({ can_resume: false, action: "start_fresh" });
      const refused = await resuming.resume("--accept-changes");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toMatch(/--fresh.*--restore-files/);
      await resuming.resumeOk("--restore-files");
      expect((await repo.git("branch", "--show-current")).trim()).toBe("topic");
    });
  });

  it("goes on by the recorded or by the current workflow file, as it is told", async () => {
    await withResuming(async (resuming) => {
      await pausedAfterPlan(resuming);
      await resuming.write([
        { name: "plan", run: resuming.node("plan", "false"), breakpoint: true },
        {
          name: "implement",
          nodes: [
            { name: "implement", run: resuming.node("implement2") },
            { name: "docs", run: resuming.node("docs") },
          ],
        },
      ]);
      const refused = await resuming.resume();
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("--workflow-file recorded");
      const current = await resuming.plan([0], "--workflow-file", "current");
      expect(whatsOf(current)).toEqual({
        "plan/plan": "kept",
        "implement/implement": "changed",
        "implement/docs": "added",
      });
      const recorded = await resuming.plan([0], "--workflow-file", "recorded");
      expect(whatsOf(recorded)).toEqual({ "plan/plan": "kept", "implement/implement": "run" });
      await resuming.resumeOk("--workflow-file", "current");
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement2: "1 1", docs: "1 1" });
    });
  });

  it("names each file that it refers to and that is not there", async () => {
    await withResuming(async (resuming) => {
      await resuming.write([
        {
          name: "plan",
          run: resuming.node("plan", "echo s > spec.md; echo t > .gitignore; echo x > t"),
          outputs: { spec: "spec.md" },
          breakpoint: true,
        },
        { name: "implement", run: resuming.node("implement") },
      ]);
      expectExit(await resuming.run(), 5);
      await rm(join(resuming.project.repo.root, "spec.md"));
      const plan = await resuming.plan([5]);
      expect(kindsOf(plan)).toEqual(["files_changed", "output_missing"]);
      expect(plan).toMatchObject({ prerequisites_met: false });
      // Said once, although the files and the output need it.
      const refused = await resuming.project.run("resume");
      expect(text(refused.json, "error", "hint")).toContain(
        "needs --accept-changes; --dry-run shows",
      );
      // The rollback brings it back.
      const back = await resuming.plan([0], "--restore-files");
      expect(back).toMatchObject({ prerequisites_met: true, findings: [] });
    });
  });

  it("is resumed from an older checkpoint, with state and graph as they were then", async () => {
    await withResuming(async (resuming) => {
      await resuming.write([
        { name: "plan", run: resuming.node("plan", "echo p > plan.txt") },
        { name: "implement", run: resuming.node("implement", "echo i > i.txt"), breakpoint: true },
        { name: "validate", run: resuming.node("validate") },
      ]);
      expectExit(await resuming.run(), 5);
      const refused = await resuming.resume("--from", "phase:implement");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("--yes");
      const plan = await resuming.plan([0], "--from", "phase:implement");
      expect(whatsOf(plan)).toEqual({
        "plan/plan": "kept",
        "implement/implement": "run",
        "validate/validate": "run",
      });
      await resuming.resumeOk("--from", "phase:implement", "--yes");
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 2", validate: "1 1" });
      const history = items(await resuming.session(), "rollback_history");
      expect(history).toHaveLength(1);
    });
  });

  it("after a failure runs what failed again", async () => {
    await withResuming(async (resuming) => {
      const fixed = join(resuming.base, "fixed");
      await resuming.write([
        { name: "plan", run: resuming.node("plan") },
        { name: "implement", run: resuming.node("implement", `test -e ${fixed}`) },
      ]);
      expectExit(await resuming.run(), 1);
      expect(await resuming.session()).toMatchObject({ status: "failed" });
      await writeFile(fixed, "");
      await resuming.resumeOk();
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 1" });
      expect(await resuming.session()).toMatchObject({ status: "completed", last_error: null });
    });
  });

  it("is begun anew by --fresh, and the old one is put away", async () => {
    await withResuming(async (resuming) => {
      const id = await pausedAfterPlan(resuming);
      expectExit(await resuming.resume(id, "--fresh", "--yes"), 0);
      expect(await resuming.ran()).toEqual({ plan: "2 2", implement: "1 1" });
      const { json } = await resuming.project.ok("session", "show", id);
      expect(field(json, "session")).toMatchObject({ status: "abandoned" });
    });
  });

  it("is found by its issue, and the list of what there is helps where none is", async () => {
    await withResuming(async (resuming) => {
      const id = await pausedAfterPlan(resuming, { issue: 42 });
      const none = await resuming.resume("--issue", "41");
      expectExit(none, 3);
      expect(text(none.json, "error", "hint")).toContain(`${id} (paused)`);
      expect(await resuming.plan([0], "--issue", "42")).toMatchObject({ session_id: id });
      expectExit(await resuming.resume(id, "--issue", "41"), 2);
    });
  });
});
