/** What Waymark promises with every agent, tried with the real one and the hooks that `waymark hooks install` wrote. */
import { describe, expect, test } from "vitest";
import { field, items, text } from "../../support/json.ts";
import { type AgentDriver, type AgentRun, expectDone, runAgent } from "./agent-driver.ts";
import { AgentProject, withAgentProject } from "./agent-project.ts";
import {
  checkpointWith,
  contents,
  DONE,
  EACH_STATE,
  EDITED,
  ORIGINAL,
  states,
  USERS,
  withHooks,
  work,
} from "./agent-work.ts";
import { realAgent } from "./real-agent.ts";
import type { ModelStep } from "./scripted-model.ts";

export interface AgentSuiteOptions {
  readonly driver: AgentDriver;
  /** The agent's own names for its tools, as they are in a checkpoint's document. */
  readonly toolNames: { readonly edit: string; readonly shell: string };
  /** Whether a tool call has an id. */
  readonly hasCallIds: boolean;
  /** The file that `waymark hooks install` writes in the project, and what a user may have in it before; undefined: the file is ours alone. */
  readonly settings: { readonly file: string; readonly content: string | undefined };
  readonly limits?: AgentLimits;
  /** Registers the hooks once more, in another place that the agent reads as well. */
  registerAgain(project: AgentProject): Promise<void>;
}

/** What the agent itself cannot do; whatever is not said here is expected of it. */
export interface AgentLimits {
  /** A tool that is denied ends the run: the model is not asked again. */
  readonly denialEndsRun?: true;
  /** Without a terminal it shows nothing of what hooks say to the user. */
  readonly hidesMessages?: true;
  /** As above, and it has no word for such messages, so the model is asked to pass them on. */
  readonly modelPassesMessagesOn?: true;
  /** In a linked work tree it runs the hooks of the main one, and only if the linked one has some, too. */
  readonly hooksOfMainTree?: true;
  /** Without a terminal no run goes on with the session of another. */
  readonly forgetsSessions?: true;
}

export function agentSuite(options: AgentSuiteOptions): void {
  const { driver, toolNames, settings, limits = {} } = options;
  const agent = realAgent(driver.name, "what every agent gets");

  describe.skipIf(agent.isMissing)(agent.title, () => {
    test("a checkpoint holds the project as it was before each write, edit and shell command", async () => {
      await withHooks(driver, async (project) => {
        const run = await runAgent(driver, project, { script: work(driver, project) });
        expectDone(run);
        expect(await contents(project)).toEqual(DONE);

        const taken = await project.checkpoints();
        await checkpointWith(taken, { a: ORIGINAL, b: undefined });
        const beforeEdit = await checkpointWith(taken, { a: ORIGINAL, b: "new\n" });
        const beforeShell = await checkpointWith(taken, { a: EDITED, b: "new\n" });
        expect(beforeEdit.trigger).toBe("tool_use");
        expect(beforeShell.trigger).toBe("tool_use");
        expect(field(beforeEdit.document, "created_by", "tool")).toBe(toolNames.edit);
        expect(field(beforeShell.document, "created_by", "tool")).toBe(toolNames.shell);
        for (const { document } of [beforeEdit, beforeShell]) {
          expect(field(document, "created_by", "agent")).toBe(driver.name);
          expect(text(document, "created_by", "agent_session_id")).not.toBe("");
          // One-shot runs of Cline do not tell their prompt.
          const prompt = driver.name === "cline" ? undefined : "Please do the work.";
          expect(field(document, "created_by", "prompt")).toBe(prompt);
          if (options.hasCallIds) {
            expect(text(document, "created_by", "tool_use_id")).not.toBe("");
          }
        }
        // What it left behind is held as well: later edits of the user are not taken for its work.
        await checkpointWith(taken, DONE);
      });
    });

    test("what a shell command did is rolled back byte for byte", async () => {
      await withHooks(driver, async (project) => {
        await project.repo.write("ignored-by-nobody.bin", Buffer.from([0, 255, 10, 13]));
        const command =
          "rm a.txt ignored-by-nobody.bin; echo gone > keep.txt; mkdir d; echo x > d/x";
        await runAgent(driver, project, {
          script: [{ calls: [driver.tools.shell(command)] }, { text: "Done." }],
        });
        expect(await project.repo.exists("a.txt")).toBe(false);
        const before = await checkpointWith(await project.checkpoints(), {
          a: ORIGINAL,
          b: undefined,
        });
        await project.ok("rollback", before.id, "--yes");
        expect(String(await project.repo.read("a.txt"))).toBe(ORIGINAL);
        expect(String(await project.repo.read("keep.txt"))).toBe(USERS);
        const binary = await project.repo.read("ignored-by-nobody.bin");
        expect([...binary]).toEqual([0, 255, 10, 13]);
        expect(await project.repo.exists("d")).toBe(false);
      });
    });

    test("fail_closed: without a checkpoint the tool does not run, and the model reads why", async () => {
      await withHooks(driver, async (project) => {
        await project.repo.write("waymark.yml", `agents:\n  ${driver.name}: fail_closed\n`);
        await project.breakCheckpoints();
        const run = await runAgent(driver, project, { script: writeAndShell(driver, project) });
        expect(await project.repo.exists("b.txt")).toBe(false);
        expect(await project.repo.exists("c.txt")).toBe(false);
        if (limits.denialEndsRun) expect(run.output).toMatch(/abort/);
        else expect(run.reachedModel).toContain("waymark doctor");
        await expectFailuresInDoctor(project);

        // As soon as checkpoints work again, so does the agent.
        await project.mendCheckpoints();
        await runAgent(driver, project, { script: writeAndShell(driver, project) });
        expect(String(await project.repo.read("b.txt"))).toBe("new\n");
        expect(String(await project.repo.read("c.txt"))).toBe("c\n");
      });
    });

    test("fail_open: without a checkpoint the tool runs, and the user is told once", async () => {
      await withHooks(driver, async (project) => {
        await project.breakCheckpoints();
        const run = await runAgent(driver, project, { script: writeAndShell(driver, project) });
        expectDone(run);
        expect(String(await project.repo.read("b.txt"))).toBe("new\n");
        expect(String(await project.repo.read("c.txt"))).toBe("c\n");
        if (!limits.hidesMessages) {
          const told = limits.modelPassesMessagesOn ? run.lastRequest : run.output;
          expect(count(told, "waymark doctor")).toBe(1);
        }
        await expectFailuresInDoctor(project);
      });
    });

    test("registered twice: one checkpoint for each state, and nothing is in the way", async () => {
      await withHooks(driver, async (project) => {
        await options.registerAgain(project);
        const run = await runAgent(driver, project, { script: work(driver, project) });
        expectDone(run);
        expect(await contents(project)).toEqual(DONE);
        expect(await states(project)).toEqual(EACH_STATE);
      });
    });

    test("a linked work tree with an odd name gets checkpoints of its own", async () => {
      await withAgentProject(async ({ repo }) => {
        const project = new AgentProject(repo.at("odd näme $HOME 'x'"));
        await repo.git("worktree", "add", "-q", "-b", "side", project.repo.root);
        await project.repo.write("keep.txt", USERS);
        await driver.configure(project);
        await project.ok("hooks", "install", driver.name, "--via", "file");
        if (limits.hooksOfMainTree) {
          await new AgentProject(repo).ok("hooks", "install", driver.name, "--via", "file");
        }
        expectDone(await runAgent(driver, project, { script: work(driver, project) }));
        expect(await contents(project)).toEqual(DONE);
        expect(await states(project)).toEqual(EACH_STATE);
        expect(await contents(new AgentProject(repo))).toEqual({ a: ORIGINAL, b: undefined });
        expect(items((await new AgentProject(repo).ok("list")).json, "checkpoints")).toEqual([]);
      });
    });

    test("waymark is gone while its hooks are still there: the agent works as if they were not", async () => {
      await withHooks(driver, async (project) => {
        await project.removeWaymark();
        const run = await runAgent(driver, project, { script: work(driver, project) });
        expectDone(run);
        expect(await contents(project)).toEqual(DONE);
        // Gemini itself says of its start that a mark is "not found".
        expect(run.output).not.toMatch(/(?<!\[STARTUP\].*)not found|hook (error|failed)/i);
        expect(await project.checkpoints()).toHaveLength(0);
      });
    });

    test("a waymark that fails, is killed or says nonsense is in nobody's way", async () => {
      await withHooks(driver, async (project) => {
        for (const body of ["exit 2", "echo nonsense; echo more >&2; exit 1", "kill -9 $$"]) {
          await project.replaceWaymark(`#!/bin/sh\n${body}\n`);
          const run = await runAgent(driver, project, { script: work(driver, project) });
          expectDone(run);
          expect(await contents(project)).toEqual(DONE);
          await project.repo.write("a.txt", ORIGINAL);
        }
        expect(await project.checkpoints()).toHaveLength(0);
      });
    });

    test("settings are the same bytes after install, work of the agent, and uninstall", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        if (settings.content !== undefined) {
          await project.repo.write(settings.file, settings.content);
          // Some keep programs there.
          await project.repo.chmod(settings.file, 0o755);
        }
        await project.ok("hooks", "install", driver.name, "--via", "file");
        expect(await settingsIn(project, settings.file)).not.toBe(settings.content);
        await runAgent(driver, project, { script: work(driver, project) });
        expect((await project.checkpoints()).length).toBeGreaterThan(0);
        const taken = await project.checkpoints();
        await project.ok("hooks", "uninstall", driver.name);
        expect(await settingsIn(project, settings.file)).toBe(settings.content);

        await project.repo.write("a.txt", ORIGINAL);
        await runAgent(driver, project, { script: work(driver, project) });
        expect(await project.checkpoints()).toHaveLength(taken.length);
      });
    });

    test.skipIf(limits.forgetsSessions)(
      "after a rollback the next prompt of the session tells the model, once",
      async () => {
        await withHooks(driver, async (project) => {
          await runAgent(driver, project, { script: work(driver, project) });
          const before = await checkpointWith(await project.checkpoints(), {
            a: ORIGINAL,
            b: undefined,
          });
          await project.ok("rollback", before.id, "--yes");
          const next = await goOn(driver, project);
          expect(next.reachedModel).toContain(before.id);
          expect(next.reachedModel).toMatch(/rolled back/i);
          expect(next.reachedModel).toContain("a.txt");
          // After the conversation that it is about, not before it.
          const note = next.lastRequest.indexOf("Note from Waymark");
          expect(note).toBeGreaterThan(next.lastRequest.indexOf("Please do the work."));

          const last = await goOn(driver, project);
          expect(count(last.reachedModel, before.id)).toBeLessThanOrEqual(
            count(next.reachedModel, before.id),
          );
        });
      },
    );

    test("two runs at once in one repository: nothing is lost, and every checkpoint is good", async () => {
      await withHooks(driver, async (project) => {
        const shell = (name: string): ModelStep[] => [
          { calls: [driver.tools.write(project, `${name}.txt`, `${name}\n`)] },
          { calls: [driver.tools.shell(`echo more >> ${name}.txt`)] },
          { text: "Done." },
        ];
        const runs = await Promise.all(
          ["one", "two"].map((name) => runAgent(driver, project, { script: shell(name) })),
        );
        for (const run of runs) expectDone(run);
        expect(String(await project.repo.read("one.txt"))).toBe("one\nmore\n");
        expect(String(await project.repo.read("two.txt"))).toBe("two\nmore\n");
        const taken = await project.checkpoints();
        for (const name of ["one", "two"]) {
          const held = await Promise.all(taken.map((checkpoint) => checkpoint.file(`${name}.txt`)));
          expect(held).toContain(`${name}\n`);
        }
        const sessions = taken.map(({ document }) =>
          field(document, "created_by", "agent_session_id"),
        );
        expect(new Set(sessions).size).toBe(2);
        const { json } = await project.ok("validate");
        expect(items(json, "checkpoints")).toHaveLength(taken.length);
        expect(field(json, "invalid")).toBe(0);
      });
    });
  });
}

function writeAndShell(driver: AgentDriver, project: AgentProject): readonly ModelStep[] {
  return [
    { calls: [driver.tools.write(project, "b.txt", "new\n")] },
    { calls: [driver.tools.shell("echo c > c.txt")] },
    { text: "Done." },
  ];
}

function goOn(driver: AgentDriver, project: AgentProject): Promise<AgentRun> {
  const script = [{ text: "I see." }];
  return runAgent(driver, project, { prompt: "Go on.", script, continues: true });
}

/** There it is whatever the agent shows or hides. */
async function expectFailuresInDoctor(project: AgentProject): Promise<void> {
  const { json } = await project.run("doctor");
  expect(JSON.stringify(json)).toMatch(/hooks? failed within the last day/);
}

async function settingsIn(project: AgentProject, file: string): Promise<string | undefined> {
  return (await project.repo.exists(file)) ? String(await project.repo.read(file)) : undefined;
}

const count = (where: string, what: string): number => where.split(what).length - 1;
