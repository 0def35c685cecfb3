/** A guard on a terminal: programs have it for themselves, and Ctrl+C is followed by a question. */
import { describe, expect, it } from "vitest";
import { withDirty, type RuleProject } from "../spec/project.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { hasTerminal, inTerminal, type TerminalResult, type Turn } from "../support/terminal.ts";

const CTRL_C = "\u0003";

const guardOn = (
  { repo }: RuleProject,
  script: string,
  turns: readonly Turn[],
  ...flags: readonly string[]
): Promise<TerminalResult> =>
  inTerminal(repo.root, ["guard", ...flags, "--", "sh", "-c", script], turns, repo.env);

/** Not a shell that waits for another program: a signal that comes while it starts that one gets lost in some shells. */
const HALF = `echo half > b.txt; exec '${process.execPath}' -e "console.log('be' + 'gun'); setTimeout(() => {}, 60000)"`;

describe.skipIf(!hasTerminal)("guard on a terminal (needs `script` of util-linux)", () => {
  it("hands the terminal to the command, also when it may be tried again", async () => {
    await withDirty(async (project) => {
      const script = "test -t 0 && test -t 1 && test -t 2 && echo as''k && read x && echo \"<$x>\"";
      const turns = [{ see: "ask", type: "typed\r" }];
      const { code, screen } = await guardOn(project, script, turns, "--retries", "1");
      expect(screen).toContain("<typed>");
      expect(code).toBe(0);
    });
  });

  it.each([
    ["no", "n\r"],
    ["Enter", "\r"],
    ["Ctrl+C once more", CTRL_C],
    ["the end of the input", "\u0004"],
  ])("[R63] after Ctrl+C it asks, and rolls back at %s", async (_, answer) => {
    await withDirty(async (project) => {
      const before = await takeFingerprint(project.repo);
      const turns = [
        { see: "begun", type: CTRL_C },
        { see: "Keep what the command did? [y/N]", type: answer },
      ];
      const { code, screen } = await guardOn(project, HALF, turns);
      expect(code).toBe(130);
      expect(screen).toContain("interrupted");
      expect(screen).toContain("rolled back");
      expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("leaves everything at yes, and says how to go back", async () => {
    await withDirty(async (project) => {
      const turns = [
        { see: "begun", type: CTRL_C },
        { see: "Keep what the command did? [y/N]", type: "y\r" },
      ];
      const { code, screen } = await guardOn(project, HALF, turns);
      expect(code).toBe(130);
      expect((await project.repo.read("b.txt")).toString()).toBe("half\n");
      expect(screen).toMatch(/roll back with: waymark rollback [0-9a-f]{4}\r?\n/);
    });
  });

  it("leaves a program that knows what to do about Ctrl+C alone until it ends", async () => {
    await withDirty(async (project) => {
      const script = "trap 'echo cau''ght' INT; echo be''gun; read x; read x; echo la''st";
      const turns = [
        { see: "begun", type: CTRL_C },
        { see: "caught", type: "\r\r" },
        { see: "Keep what the command did? [y/N]", type: "y\r" },
      ];
      const { screen } = await guardOn(project, script, turns);
      expect(screen.indexOf("last")).toBeGreaterThan(screen.indexOf("caught"));
    });
  });
});
