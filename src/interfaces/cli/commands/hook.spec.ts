import { AGENTS } from "../../../domain/agents/agents.ts";
import type { CommandSpec } from "../command-spec.ts";

export const hookSpec: CommandSpec = {
  name: "hook",
  group: "Integrations",
  summary: "called by agents before they change something; reads a payload from stdin",
  description:
    "Creates a checkpoint before a tool that may change files, with each prompt, at the end of a turn and of a session; none if nothing " +
    "changed since the last one. The exit code is always 0, and it prints nothing unless there is something to tell the agent. " +
    "`waymark help agent-hooks` describes each event.",
  arguments: [
    { name: "[agent]", text: `the calling agent: ${AGENTS.join(", ")}`, completes: AGENTS },
    { name: "[event]", text: "the event, if the payload does not name it" },
  ],
  examples: [
    { command: "waymark hook claude", text: "as called by the hook of Claude Code" },
    { command: "waymark hook copilot preToolUse", text: "a payload without the name of its event" },
  ],
  toleratesBadConfig: true,
  kinds: [],
  load: () => import("./hook.ts"),
};
