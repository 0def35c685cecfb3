/** Sessions of phases: Waymark has nothing to run, and says what comes next. */
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { withDirty, type RuleProject } from "../spec/project.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

const CUT_OFF = "echo half > half.txt; kill -9 $PPID";

async function cutOff(project: RuleProject, ...words: readonly string[]): Promise<void> {
  const { signal } = await project.run("phase", "implement", "--", "sh", "-c", CUT_OFF, ...words);
  expect(signal).toBe("SIGKILL");
}

async function statusOfPhase(project: RuleProject): Promise<unknown> {
  const { json } = await project.ok("session", "show");
  return (field(json, "session", "phases") as unknown[])[0];
}

describe("resuming a session of phases", () => {
  it("says which phase was cut off, its command and the way back", async () => {
    await withDirty(async (project) => {
      await cutOff(project);
      const { json } = await project.ok("resume", "--accept-changes");
      expect(json).toMatchObject({
        kind: "resume_plan",
        resumed: true,
        workflow_file: null,
        nodes: [],
        next_phase: { phase: "implement", why: "its process ended while it ran" },
      });
      expect(text(json, "next_phase", "command")).toBe(`sh -c '${CUT_OFF}'`);
      const before = text(json, "next_phase", "checkpoint_before");
      expect(await statusOfPhase(project)).toMatchObject({ status: "pending" });
      // It goes on without another question.
      await project.ok("phase", "implement", "--", "true");
      expect(await statusOfPhase(project)).toMatchObject({ status: "completed", attempts: 2 });
      await project.ok("rollback", before, "--yes");
      expect(await project.repo.exists("half.txt")).toBe(false);
    });
  });

  it("goes back to the recorded files first where that is wished for", async () => {
    await withDirty(async (project) => {
      await cutOff(project);
      expectExit(await project.run("resume"), 5);
      const { json } = await project.ok("resume", "--restore-files");
      expect(await project.repo.exists("half.txt")).toBe(false);
      expect(text(json, "undo_checkpoint_id")).toMatch(/^cp-/);
    });
  });

  it("does not show a command with a secret in it", async () => {
    await withDirty(async (project) => {
      const key = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
      await cutOff(project, key);
      const { json, stdout } = await project.ok("resume", "--accept-changes");
      expect(field(json, "next_phase", "command")).toBeNull();
      expect(stdout.toString("utf8")).not.toContain(key);
    });
  });

  it("leaves nothing running when another phase goes on", async () => {
    await withDirty(async (project) => {
      await cutOff(project);
      await project.ok("phase", "validate", "--resume", "--", "true");
      await project.ok("phase", "operate", "--", "true");
      expect(await statusOfPhase(project)).toMatchObject({ name: "implement", status: "pending" });
    });
  });
});

describe.skipIf(!hasTerminal)("a phase that was cut off, in a terminal", () => {
  it.each([
    ["r", 0, "continuing"],
    ["s", 0, "archiving"],
  ])("asks, and %s is understood", async (key, code, said) => {
    await withDirty(async (project) => {
      await cutOff(project);
      const { root, env } = project.repo;
      const result = await inTerminal(
        root,
        ["phase", "implement", "--", "true"],
        [
          { see: "Choice [r/s/v/d/q]: ", type: "v\n" },
          { see: "Choice [r/s/v/d/q]: ", type: `${key}\n` },
        ],
        env,
        200,
      );
      expect(result.screen).toContain('Found an unfinished session for "phases"');
      expect(result.screen).toContain("run by"); // the page of the session
      expect(result.screen).toContain(said);
      expect(result.code).toBe(code);
    });
  });

  it("can be deleted, and then nothing is run", async () => {
    await withDirty(async (project) => {
      await cutOff(project);
      const { root, env } = project.repo;
      const result = await inTerminal(
        root,
        ["phase", "implement", "--", "touch", "ran.txt"],
        [
          { see: "Choice [r/s/v/d/q]: ", type: "delete\n" },
          { see: "[y/N]", type: "no\n" },
          { see: "Choice [r/s/v/d/q]: ", type: "d\n" },
          { see: "[y/N]", type: "yes\n" },
        ],
        env,
        200,
      );
      expect(result.code).toBe(0);
      expect(await project.repo.exists("ran.txt")).toBe(false);
      expectExit(await project.run("resume"), 3);
    });
  });
});
