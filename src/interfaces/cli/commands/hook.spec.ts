import { AGENTS } from "../../../domain/agents/agents.ts";
import type { CommandSpec } from "../command-spec.ts";

export const hookSpec: CommandSpec = {
  name: "hook",
  group: "Machines",
  summary: "what agents call before they change something; reads its payload from standard input",
  description:
    "Takes a checkpoint before a tool that may change files, with each prompt, at the end of a turn and of a session; none when nothing changed since " +
    "the last one. It ends with exit code 0 whatever happens, and prints nothing unless there is something to tell the agent. " +
    "docs/agent-hooks.md says what happens when.",
  arguments: [
    { name: "[agent]", text: `the agent that calls: ${AGENTS.join(", ")}`, completes: AGENTS },
    { name: "[event]", text: "its event, where the payload does not name it" },
  ],
  examples: [
    { command: "waymark hook claude", text: "as the hook of Claude Code calls it" },
    { command: "waymark hook copilot preToolUse", text: "a payload that does not name its event" },
  ],
  toleratesBadConfig: true,
  kinds: [],
  load: () => import("./hook.ts"),
};
