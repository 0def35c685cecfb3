/** `resume`, and what `run` asks about an unfinished session, as conversations in a real terminal. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasTerminal, inTerminal, type TerminalResult, type Turn } from "../support/terminal.ts";
import { withResuming, type Resuming } from "./resuming.ts";

function talk(
  resuming: Resuming,
  args: readonly string[],
  ...turns: readonly Turn[]
): Promise<TerminalResult> {
  const { root, env } = resuming.project.repo;
  return inTerminal(root, args, turns, env, 200);
}

async function killed(resuming: Resuming): Promise<void> {
  await resuming.write(
    [
      { name: "plan", run: resuming.node("plan", "echo p > plan.txt") },
      { name: "implement", run: resuming.killer("implement", "echo half > i.txt") },
    ],
    { description: "Implement authentication system" },
  );
  await resuming.runKilled();
}

describe.skipIf(!hasTerminal)("resume in a terminal", () => {
  it("[R97] shows what happened and what runs again, shows the diff, asks, and goes on", async () => {
    await withResuming(async (resuming) => {
      await killed(resuming);
      const { code, screen } = await talk(
        resuming,
        ["resume"],
        { see: "Choice [r/c/b/s/v/d/q]: ", type: "c\n" },
        { see: "Choice [r/c/b/s/v/d/q]: ", type: "y\n" },
        { see: "Choice [r/c/b/s/v/d/q]: ", type: "r\n" },
        { see: "Choice [a/l/q]: ", type: "a\n" },
      );
      expect(code).toBe(0);
      expect(screen).toContain("1 of 2 phases completed");
      expect(screen).toContain("it was running when its process ended");
      expect(screen).toMatch(/\+.* i\.txt/);
      expect(screen).toContain('"y" is not one of the choices; type one of r, c, b, s, v, d, q');
      expect(screen).toContain("has ended (last heartbeat");
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 1" });
    });
  });

  it("[R160] shows the commands of a session that did not begin here, and runs them only after a yes", async () => {
    await withResuming(async (resuming) => {
      await resuming.write([
        { name: "plan", run: resuming.node("plan"), breakpoint: true },
        { name: "implement", run: resuming.node("implement"), verify: "test -d .git" },
      ]);
      await resuming.run();
      // As in a copy on another machine.
      await rm(join(resuming.project.repo.root, ".git/waymark/made-here"), { recursive: true });
      const go = { see: "Choice [r/s/v/d/q]: ", type: "r\n" };
      // The workflow file is outside of the project: that of such a session is not read.
      const recorded = { see: "Choice [r/c/q]: ", type: "r\n" };
      const asked = "Run these commands?";
      const no = await talk(resuming, ["resume"], go, recorded, { see: asked, type: "no\n" });
      expect(no.code).toBe(5);
      expect(no.screen).toContain("begin implement");
      expect(no.screen).toContain("implement (verify):");
      expect(no.screen).toContain("test -d .git");
      expect(await resuming.ran()).toEqual({ plan: "1 1" });
      const yes = await talk(resuming, ["resume"], go, recorded, { see: asked, type: "yes\n" });
      expect(yes.code).toBe(0);
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "1 1" });
    });
  });

  it("goes back to the recorded files after one more yes", async () => {
    await withResuming(async (resuming) => {
      await killed(resuming);
      const { code, screen } = await talk(
        resuming,
        ["resume"],
        { see: "Choice [r/c/b/s/v/d/q]: ", type: "b\n" },
        { see: "[y/N]", type: "yes\n" },
      );
      expect(code).toBe(0);
      expect(screen).toMatch(/rolls back to [0-9a-f]{4}\b/);
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 1" });
    });
  });

  it("leaves everything as it is when nobody wants to go on", async () => {
    await withResuming(async (resuming) => {
      await killed(resuming);
      const { repo } = resuming.project;
      const before = await repo.storeRefs("refs/waymark");
      const quit = { see: "Choice [r/c/b/s/v/d/q]: ", type: "q\n" };
      expect((await talk(resuming, ["resume"], quit)).code).toBe(5);
      expect((await talk(resuming, ["resume"], { ...quit, type: "\u0004" })).code).toBe(5);
      expect((await talk(resuming, ["resume"], { ...quit, type: "\u0003" })).code).not.toBe(0);
      expect(await repo.storeRefs("refs/waymark")).toBe(before);
    });
  });

  it("is offered by run, with what was done and what runs again", async () => {
    await withResuming(async (resuming) => {
      await killed(resuming);
      const { code, screen } = await talk(
        resuming,
        ["run", resuming.file],
        { see: "Choice [r/s/v/d/q]: ", type: "v\n" },
        { see: "Choice [r/s/v/d/q]: ", type: "r\n" },
        { see: "Choice [k/d/b/q]: ", type: "k\n" },
        { see: "Choice [a/l/q]: ", type: "a\n" },
      );
      expect(code).toBe(0);
      expect(screen).toContain('Found an unfinished session for "Implement authentication system"');
      expect(await resuming.ran()).toEqual({ plan: "1 1", implement: "2 1" });
    });
  });

  it("starts fresh, and the old session is put away", async () => {
    await withResuming(async (resuming) => {
      await killed(resuming);
      const { code } = await talk(resuming, ["run", resuming.file], {
        see: "Choice [r/s/v/d/q]: ",
        type: "s\n",
      });
      expect(code).toBe(0);
      expect(await resuming.ran()).toEqual({ plan: "2 2", implement: "2 1" });
    });
  });
});
