/** Sessions that others run, that are damaged, that are about an issue, or that came from another machine. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { updateSession } from "../../src/operations/update-session.ts";
import { errorMessage, expectExit, waymark, type CliResult } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { FakeGithub, whyNoGh } from "../support/fake-github.ts";
import { field, items, text } from "../support/json.ts";
import type { RuleProject } from "../spec/project.ts";
import { kindsOf, linesOf, whatsOf, withResuming, type Resuming } from "./resuming.ts";

/** The second phase runs until it is let go. */
async function pausedAfterPlan(resuming: Resuming, more: object = {}): Promise<string> {
  const untilTold = `until test -e '${mark(resuming)}'; do sleep 0.05; done`;
  await resuming.write(
    [
      { name: "plan", run: resuming.node("plan", "echo p > plan.txt"), breakpoint: true },
      { name: "implement", run: resuming.node("implement", `echo i > i.txt; ${untilTold}`) },
    ],
    more,
  );
  const result = await resuming.run();
  expectExit(result, 5);
  return text(linesOf(result)[0], "session_id");
}

const mark = ({ base }: Resuming): string => join(base, "let-go");

const letGo = (resuming: Resuming): Promise<void> => writeFile(mark(resuming), "");

/** As if a process of another machine had run it, and had not given it back. */
async function heldElsewhere(
  { repo }: RuleProject,
  id: string,
  seen = new Date().toISOString(),
): Promise<void> {
  const project = await openGitProject({ directory: repo.root });
  try {
    const holder = { host: "other", boot: "b", pid: 1, started: "1", user: "ana" };
    await updateSession(project, id, "for a test", (session) =>
      session.lease === undefined
        ? undefined
        : { ...session, status: "active", lease: { ...session.lease, holder, renewed_at: seen } },
    );
  } finally {
    project.close();
  }
}

describe("a session that others run", () => {
  it("[R96] two resumes at once: one runs it, and the other leaves it alone", async () => {
    await withResuming(async (resuming) => {
      const id = await pausedAfterPlan(resuming);
      let refused = 0;
      const results = await Promise.all(
        [1, 2, 3].map(async () => {
          const result = await resuming.resume(id);
          if (result.code === 6 && ++refused === 2) await letGo(resuming);
          return result;
        }),
      );
      expect(results.map(({ code }) => String(code)).toSorted()).toEqual(["0", "6", "6"]);
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "1 1" });
    });
  });

  it("[R96] is refused with who runs it, and how to watch", async () => {
    await withResuming(async (resuming) => {
      const id = await pausedAfterPlan(resuming);
      const running = resuming.resume(id);
      let refused: CliResult;
      do refused = await resuming.resume("--dry-run");
      while (refused.code === 0);
      expectExit(refused, 6);
      // Whoever runs it may have changed files by now.
      expect(kindsOf(refused.json)).toContain("session_held");
      expect(field(refused.json, "can_resume")).toBe(false);
      // What runs was not cut off.
      expect(items(refused.json, "nodes")).toEqual([]);
      // Its token does not help against somebody who lives.
      const [held] = items(refused.json, "findings");
      const token = String(field(held, "details", "token"));
      const rob = await resuming.resume(id, "--take-over", token);
      expectExit(rob, 6);
      expect(text(rob.json, "error", "hint")).toContain("waymark observe");
      expect(text(rob.json, "error", "hint")).not.toContain("--take-over");
      await letGo(resuming);
      expectExit(await running, 0);
    });
  });
});

describe("a session of another machine", () => {
  it("[R96] is exported, imported into a clone and resumed there, by whoever saw its token", async () => {
    await withResuming(async (resuming) => {
      const { project } = resuming;
      const id = await pausedAfterPlan(resuming);
      await letGo(resuming);
      await heldElsewhere(project, id);
      const file = join(resuming.base, "all.bundle");
      await project.ok("export", "-o", file);
      const clone = project.at("clone");
      await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
      await clone.ok("import", file);
      const refused = await clone.run("resume", id, "--restore-files");
      expectExit(refused, 6);
      expect(errorMessage(refused)).toContain("ana on other");
      const token = /--take-over (\d+)/.exec(text(refused.json, "error", "hint"))?.[1] ?? "";
      const stale = String(Number(token) - 1);
      expectExit(await clone.run("resume", id, "--restore-files", "--take-over", stale), 6);
      const plan = await clone.run("resume", id, "--dry-run", "--take-over", token);
      expectExit(plan, 5);
      expect(kindsOf(plan.json)).toContain("files_changed");
      await rm(resuming.file);
      // Nobody here has seen the commands that it recorded: they are not run unless somebody says so.
      const unasked = await clone.run("resume", id, "--restore-files", "--take-over", token);
      expectExit(unasked, 5);
      expect(text(unasked.json, "error", "hint")).toContain("--workflow-file recorded");
      expect(await resuming.ran()).toEqual({ plan: "1 1" });
      const chosen = ["--restore-files", "--workflow-file", "recorded", "--take-over", token];
      const unseen = await clone.run("resume", id, ...chosen, "--yes");
      expectExit(unseen, 5);
      const digest = /--trust-commands (\w+)/.exec(text(unseen.json, "error", "hint"))?.[1] ?? "";
      const answers = [...chosen, "--trust-commands", digest];
      const done = await clone.run("resume", id, ...answers);
      expectExit(done, 0);
      expect(linesOf(done)[0]).toMatchObject({ taken_over_from: { host: "other" } });
      expect(await clone.repo.exists("plan.txt")).toBe(true);
      expect(await clone.repo.exists("i.txt")).toBe(true);
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "1 1" });
      // Nothing of it happened at home.
      expect(await project.repo.exists("i.txt")).toBe(false);
    });
  });

  it("keeps other workflows from running here only as long as it gives signs of life", async () => {
    await withResuming(async (resuming) => {
      const { project } = resuming;
      const id = await pausedAfterPlan(resuming);
      await project.repo.write("other.yml", "name: other\nphases: [{name: plan, run: 'true'}]\n");
      await heldElsewhere(project, id);
      expectExit(await project.run("run", "other.yml"), 6);
      await heldElsewhere(project, id, new Date(Date.now() - 3_600_000).toISOString());
      expectExit(await project.run("run", "other.yml"), 0);
    });
  });
});

describe("a session with a damaged checkpoint", () => {
  it("offers the last valid one, with what would run again", async () => {
    await withResuming(async (resuming) => {
      const { repo } = resuming.project;
      await resuming.write([
        { name: "plan", run: resuming.node("plan", "echo p > plan.txt") },
        { name: "implement", run: resuming.node("implement", "echo i > i.txt"), breakpoint: true },
        { name: "validate", run: resuming.node("validate") },
      ]);
      expectExit(await resuming.run(), 5);
      await deleteObject(repo, (await repo.git("hash-object", "i.txt")).trim());
      const plan = await resuming.plan([4]);
      expect(kindsOf(plan)).toEqual(["checkpoint_damaged"]);
      const last = text(plan, "instead", "checkpoint_id");
      expect(whatsOf(field(plan, "instead"))).toEqual({
        "plan/plan": "kept",
        "implement/implement": "run",
        "validate/validate": "run",
      });
      const refused = await resuming.resume();
      expectExit(refused, 4);
      expect(text(refused.json, "error", "hint")).toContain(`--from ${last}`);
      await resuming.resumeOk("--from", last, "--yes");
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 2", validate: "1 1" });
    });
  });
});

describe.skipIf(whyNoGh() !== undefined)("a session about an issue", () => {
  it("follows its labels with a warning, and asks when its text was edited", async () => {
    await withResuming(async (resuming) => {
      const { repo } = resuming.project;
      await repo.git("remote", "add", "origin", "https://github.com/acme/shop.git");
      const github = await new FakeGithub(resuming.base).listen();
      const { GH_CONFIG_DIR, GH_TOKEN } = github.env;
      const env = { ...repo.env, GH_CONFIG_DIR, GH_TOKEN };
      const run = (...args: readonly string[]): Promise<CliResult> =>
        waymark(repo.root, args, { env });
      const issue = {
        title: "t",
        body: "text\n",
        labels: ["state:enrich"],
        assignees: [],
        state: "OPEN",
      };
      try {
        github.issue = issue;
        const phases = [
          { name: "plan", run: "true", breakpoint: true },
          { name: "implement", run: "true", breakpoint: true },
          { name: "validate", run: "true" },
        ];
        await resuming.write(phases, { issue: 42 });
        expectExit(await run("run", resuming.file), 5);
        github.issue = { ...issue, labels: ["state:plan"] };
        const first = await run("resume", "--issue", "42");
        expectExit(first, 5);
        expect(linesOf(first)[0]).toMatchObject({
          action: "proceed_with_warning",
          state_label: "state:plan",
          findings: [{ kind: "issue_labels_changed" }],
        });
        expect(await resuming.session()).toMatchObject({ state_label: "state:plan" });
        github.issue = { ...issue, labels: ["state:plan"], body: "something else\n" };
        const refused = await run("resume");
        expectExit(refused, 5);
        expect(errorMessage(refused)).toContain("its text was edited");
        expectExit(await run("resume", "--accept-changes"), 0);
      } finally {
        await github.close();
      }
    });
  });
});
