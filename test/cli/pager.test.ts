/** Long text on a terminal: what goes through the pager, and what happens without one. */
import { describe, expect, it } from "vitest";
import { waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const HOSTILE = "a\u001B]0;pwned\u0007\u001B[2J\u001B[31mb\u202Ec\u009B31m\td";

async function shown(project: RuleProject, env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  return await inTerminal(project.repo.root, args, [], { ...project.repo.env, ...env });
}

async function withChange(content: string, body: (project: RuleProject) => Promise<void>) {
  await withSeed(async (project) => {
    await project.create();
    await project.repo.write("a.txt", content);
    await body(project);
  });
}

describe.skipIf(!hasTerminal)("the pager", () => {
  it.each(["no-such-pager", "no-such-pager -R", "env X=1 no-such-pager"])(
    "prints unpaged and says so once when %s cannot be started",
    async (PAGER) => {
      await withChange(`${"long line\n".repeat(50_000)}the end\n`, async (project) => {
        const { code, screen } = await shown(project, { PAGER }, "diff", "--patch");
        expect(code).toBe(0);
        expect(screen.split("could not be started")).toHaveLength(2);
        expect(screen.split("+long line")).toHaveLength(50_001);
        expect(screen).toContain("+the end");
      });
    },
  );

  it("is given no color codes that less would print as they are", async () => {
    await withChange("changed\n", async (project) => {
      const PAGER = "less -E";
      const screen = async (env: NodeJS.ProcessEnv): Promise<string> =>
        (await shown(project, { PAGER, ...env }, "diff", "--patch")).screen;
      expect(await screen({ LESS: "-X" })).not.toMatch(/ESC\[|\p{Cc}\[32m/u);
      expect(await screen({ LESS: "-X -R" })).toContain("\u001B[32m+changed");
    });
  });

  it("is given nothing of a file that would act on the terminal", async () => {
    await withChange(`${HOSTILE}\n`, async (project) => {
      const { repo } = project;
      await repo.git("config", "core.quotePath", "false");
      await repo.write("n\u202Em.txt", "x\n");
      for (const PAGER of ["cat", "cat -u"]) {
        const { screen } = await shown(project, { PAGER }, "diff", "--patch");
        const rest = screen.replaceAll(/\p{Cc}\[[\d;]*m/gu, "");
        expect(rest).toContain("+a\uFFFD]0;pwned\uFFFD\uFFFD[2J\uFFFD[31mb\uFFFDc\uFFFD31m\td");
        expect(rest.match(/(?![\r\n\t])[\p{Cc}\p{Bidi_Control}]/u)).toBeNull();
        expect(screen).not.toContain("\u001B[31mb");
      }
      const piped = await runCommand(
        process.execPath,
        waymarkArguments(repo.root, "diff", "--patch"),
        { env: repo.env },
      );
      expect(piped.stdout.toString("utf8")).toContain(`+${HOSTILE}\n`);
    });
  });
});
