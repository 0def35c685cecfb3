/** Ids in their shortest unique form: on terminals, where people read them, and as selectors. */
import { describe, expect, it } from "vitest";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { writeWorkflow } from "../run/running-command.ts";

async function onTerminal({ repo }: RuleProject, ...args: readonly string[]): Promise<string> {
  const { screen } = await inTerminal(repo.root, args, [], { ...repo.env, NO_COLOR: "1" }, 100);
  return screen;
}

async function piped({ repo }: RuleProject, ...args: readonly string[]) {
  const env = cliEnvironment(repo.env);
  const { stdout, stderr } = await runCommand(
    process.execPath,
    waymarkArguments(repo.root, ...args),
    { env },
  );
  return stdout.toString("utf8") + stderr;
}

describe.runIf(hasTerminal)("short ids", () => {
  it("are what a terminal shows, in data, hints and suggested commands", async () => {
    await withSeed(async (project) => {
      const first = await project.create("-m", "one");
      await project.repo.write("a.txt", "changed\n");
      const second = await project.create("-m", "two");
      const hash = (id: string): string => id.slice(-4);
      const screen = await onTerminal(project, "list");
      expect(screen).toContain(hash(first));
      expect(screen).toContain(hash(second));
      expect(screen).not.toContain(first);
      await project.repo.write("a.txt", "again\n");
      expect(await onTerminal(project, "create")).toMatch(
        /^Created [0-9a-f]{4} \(1 file changed, commit [0-9a-f]{8}\)\r?\n/m,
      );
      const wrong = await onTerminal(project, "show", "cp-00-manual-2");
      expect(wrong).toContain(hash(first));
      expect(wrong).not.toContain(first);
    });
  });

  it("are in the prompts of run and resume, too", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await writeWorkflow(project, [
        { name: "plan", run: "echo plan > b.txt", breakpoint: true },
        { name: "implement", run: "true" },
      ]);
      const dialogue = async (args: readonly string[], see: string, type: string) => {
        const env = { ...repo.env, NO_COLOR: "1" };
        return (await inTerminal(repo.root, args, [{ see, type }], env, 100)).screen;
      };
      const run = await dialogue(["run", "wf.yml"], "plan> ", "*pause\r");
      await repo.write("b.txt", "mine\n");
      const resume = await dialogue(["resume"], "Choice", "q\r");
      expect(run).toMatch(/plan is done, checkpoint [0-9a-f]{4}/);
      expect(resume).toMatch(/\(b\)ack +roll back to [0-9a-f]{4} first/);
      expect(run + resume).not.toMatch(/cp-\d\d-[a-z-]+-\d{8}-\d{6}-[0-9a-f]{4}/);
    });
  });

  it("never mean another checkpoint when theirs is deleted", async () => {
    await withSeed(async (project) => {
      const first = await project.create("-m", "one");
      const hash = first.slice(-4);
      await project.create("--name", `after-${hash}`);
      await project.ok("delete", hash, "--yes", "--now");
      // Of letters alone it may be a name.
      if (/\d/.test(hash)) expectExit(await project.run("delete", hash, "--yes", "--now"), 3);
      expect((await piped(project, "list")).trim().split("\n")).toHaveLength(1);
    });
  });

  it("stand straight in tables, below their titles", async () => {
    await withSeed(async (project) => {
      await project.create("-m", "one");
      await project.create("-m", "two", "--phase", "implement");
      for (const args of [["validate"], ["cleanup", "--all", "--dry-run"]]) {
        const [title = "", ...rows] = (await onTerminal(project, ...args)).split(/\r?\n/);
        const second = title.search(/\b(?:FILE|ACTION)\b/);
        for (const row of rows.slice(0, 2)) {
          expect({ row, at: row.search(/(?<= {2})\S/) }).toEqual({ row, at: second });
        }
      }
    });
  });

  it("name the checkpoint, and a pipe, --json and --quiet have whole ids", async () => {
    await withSeed(async (project) => {
      const id = await project.create("-m", "one");
      expect(await piped(project, "list")).toContain(id);
      expect(await piped(project, "show", id.slice(-4), "--json")).toContain(`"id": "${id}"`);
      expect(await piped(project, "show", "cp-00-manual-3")).toContain(id);
      await project.repo.write("a.txt", "changed\n");
      expect(await onTerminal(project, "create", "--quiet")).toMatch(/^Created cp-00-manual-/m);
    });
  });
});
