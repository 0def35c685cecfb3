/** One call that is delivered twice is one step. */
import { describe, expect, it } from "vitest";
import { makeDirty } from "../support/seed-repository.ts";
import { withHooks, type CallOptions, type HookedProject } from "./hooked-project.ts";

const COPILOT = { COPILOT_CLI: "1" };

/** As Copilot sends it to its own hooks, and to those that are written for Claude. */
async function copilotBoth(hooked: HookedProject, at: string, content: string): Promise<void> {
  const args = { path: `${hooked.root}/b.txt`, file_text: content };
  const native = {
    sessionId: "c",
    timestamp: Date.parse(at),
    cwd: hooked.root,
    toolName: "create",
    toolArgs: args,
  };
  const result = await hooked.raw(JSON.stringify(native), {
    agent: "copilot",
    args: ["preToolUse"],
    env: COPILOT,
  });
  expect(result.code).toBe(0);
  const claudes = { session_id: "c", timestamp: at, tool_name: "Write", tool_input: args };
  await hooked.call("PreToolUse", claudes, { env: COPILOT });
}

describe("double delivery", () => {
  it("[R102] a call with an id is one step, however often and in parallel it comes", async () => {
    await withHooks(async (hooked) => {
      const same = { tool_use_id: "one" };
      const call = (): Promise<string> => hooked.preTool("Bash", { command: "make" }, same);
      await Promise.all([call(), call(), call()]);
      await hooked.project.repo.write("made.txt", "x\n");
      await call();
      expect(hooked.steps()).toHaveLength(1);
      expect(await hooked.checkpoints()).toHaveLength(1);
      await hooked.preTool("Bash", { command: "make" }, { tool_use_id: "two" });
      expect(hooked.steps()).toHaveLength(2);
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });

  it("[R102] two calls with ids of their own are two, also when they are alike", async () => {
    await withHooks(async (hooked) => {
      await Promise.all([
        hooked.preTool("Bash", { command: "make" }, { tool_use_id: "a" }),
        hooked.preTool("Bash", { command: "make" }, { tool_use_id: "b" }),
      ]);
      expect(hooked.steps()).toHaveLength(2);
    });
  });

  it("[R102] the two forms of one call meet, and the next call that is alike is another", async () => {
    await withHooks(async (hooked) => {
      await copilotBoth(hooked, "2026-11-16T08:42:47.250Z", "new\n");
      expect(hooked.steps().map(({ agent, tool }) => [agent, tool])).toEqual([
        ["copilot", "create"],
      ]);
      await hooked.project.repo.write("b.txt", "new\n");
      await copilotBoth(hooked, "2026-11-16T08:42:48.250Z", "new\n");
      expect(hooked.steps()).toHaveLength(2);
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });

  it("[R102] without ids, calls that are alike and come at once are one", async () => {
    await withHooks(async (hooked) => {
      const call = (command: string): Promise<string> =>
        hooked.call("PreToolUse", { tool_name: "Bash", tool_input: { command } });
      await Promise.all([call("make"), call("make"), call("make all")]);
      expect(hooked.steps()).toHaveLength(2);
    });
  });

  it("[R102] a prompt that comes twice is one turn", async () => {
    await withHooks(async (hooked) => {
      const call = (): Promise<string> =>
        hooked.call("UserPromptSubmit", { prompt: "go", prompt_id: "p1" });
      await Promise.all([call(), call()]);
      await hooked.call("UserPromptSubmit", { prompt: "go", prompt_id: "p2" });
      expect(hooked.steps().map((step) => step.turn)).toEqual([1, 2]);
    });
  });

  it("[R121] a delivery that failed leaves the call to the next: it is denied each time", async () => {
    await withHooks(async (hooked) => {
      await makeDirty(hooked.project.repo);
      const env = { WAYMARK_CAPTURE_MAX_FILES: "1", WAYMARK_AGENTS_POLICY: "fail_closed" };
      const ids = [{ tool_use_id: "one" }, { tool_use_id: undefined }];
      for (const id of ids) {
        const call = (more: CallOptions): Promise<string> =>
          hooked.preTool("Bash", { command: "make" }, id, more);
        const said = await Promise.all([call({ env }), call({ env }), call({ env })]);
        for (const reply of [...said, await call({ env })]) expect(reply).toContain('"deny"');
      }
      expect(hooked.steps()).toEqual([]);
      await hooked.preTool("Bash", { command: "make" }, { tool_use_id: "one" });
      expect(await hooked.checkpoints()).toHaveLength(1);
    });
  });

  it("[R121] a delivery that was killed leaves the call to the next", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      for (let n = 0; n < 8; n++) {
        await repo.write("a.txt", `${n}\n`);
        const id = { tool_use_id: `k${n}` };
        await hooked.killed("PreToolUse", { tool_name: "Bash", tool_input: {}, ...id }, 90 * n);
        await hooked.preTool("Bash", {}, id);
        await repo.write("a.txt", "changed by the tool\n");
        const step = hooked.steps().at(-1);
        expect(step?.tool_use_id).toBe(`k${n}`);
        const held = await repo.store(
          "show",
          `refs/waymark/cp/${step?.checkpoint_id}:worktree/a.txt`,
        );
        expect(held).toBe(`${n}\n`);
      }
    });
  });

  it("[R121] without ids, what is alike is another call when something changed in between", async () => {
    await withHooks(async (hooked) => {
      const call = (): Promise<string> =>
        hooked.call("PreToolUse", { tool_name: "Bash", tool_input: { command: "make" } });
      await call();
      await hooked.project.repo.write("made.txt", "x\n");
      await call();
      expect(await hooked.checkpoints()).toHaveLength(2);
      expect(hooked.steps()).toHaveLength(2);
    });
  });

  it("[R121] each end of a turn counts, however quickly the next one follows", async () => {
    await withHooks(async (hooked) => {
      await hooked.call("Stop");
      await hooked.project.repo.write("a.txt", "1\n");
      await hooked.call("Stop");
      expect(hooked.steps().map(({ moment }) => moment)).toEqual(["turn_end", "turn_end"]);
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });

  it("[R121] what a user types while the agent works is a prompt of its own", async () => {
    await withHooks(async (hooked) => {
      const prompt = (text: string): Promise<string> =>
        hooked.call("UserPromptSubmit", { prompt: text, prompt_id: "p1" });
      await prompt("go");
      await hooked.project.repo.write("a.txt", "1\n");
      await prompt("no, the other one");
      expect(hooked.steps().map(({ turn }) => turn)).toEqual([1, 2]);
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });

  it("[R121] another file is another call, also where the model gives its id again", async () => {
    await withHooks(async (hooked) => {
      const again = { tool_use_id: "call_0" };
      for (const name of ["a.txt", "b.txt"]) {
        await hooked.preTool("Write", { file_path: `${hooked.root}/${name}` }, again);
      }
      expect(hooked.steps().map(({ paths }) => paths)).toEqual([["a.txt"], ["b.txt"]]);
    });
  });

  it("[R121] two moments at once make one checkpoint of one state", async () => {
    await withHooks(async (hooked) => {
      const opencode = { agent: "opencode" };
      for (let n = 0; n < 4; n++) {
        await hooked.project.repo.write("a.txt", `${n}\n`);
        await Promise.all(
          ["session.idle", "dispose", "session.idle"].map((event) =>
            hooked.call(event, {}, { ...opencode, args: [event] }),
          ),
        );
        expect(await hooked.checkpoints()).toHaveLength(n + 1);
      }
    });
  });

  it("sessions do not take each other's calls", async () => {
    await withHooks(async (hooked) => {
      const same = { tool_use_id: "one" };
      await hooked.preTool("Bash", { command: "make" }, same);
      await hooked.as("session-2").preTool("Bash", { command: "make" }, same);
      expect(hooked.steps().map((step) => step.agent_session_id)).toEqual([
        "session-1",
        "session-2",
      ]);
    });
  });
});
