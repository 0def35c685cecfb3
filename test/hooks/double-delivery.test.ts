/** One call that is delivered twice is one step. */
import { describe, expect, it } from "vitest";
import { withHooks, type HookedProject } from "./hooked-project.ts";

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
