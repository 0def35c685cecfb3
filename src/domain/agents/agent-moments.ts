/** Which of an agent's own events are moments to us. */
import type { AgentMoment } from "./agent-event.ts";
import type { AgentName } from "./agents.ts";

type Moments = Readonly<Record<string, AgentMoment>>;

const CLAUDE: Moments = {
  SessionStart: "session_start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre_tool",
  PostToolUse: "post_tool",
  PostToolUseFailure: "post_tool",
  Stop: "turn_end",
  StopFailure: "turn_end",
  SessionEnd: "session_end",
};

const MOMENTS: Readonly<Record<AgentName, Moments>> = {
  claude: CLAUDE,
  codex: CLAUDE,
  qwen: CLAUDE,
  gemini: {
    SessionStart: "session_start",
    BeforeAgent: "prompt",
    BeforeTool: "pre_tool",
    AfterTool: "post_tool",
    AfterAgent: "turn_end",
    SessionEnd: "session_end",
  },
  copilot: {
    sessionStart: "session_start",
    userPromptSubmitted: "prompt",
    preToolUse: "pre_tool",
    postToolUse: "post_tool",
    postToolUseFailure: "post_tool",
    agentStop: "turn_end",
    sessionEnd: "session_end",
    ...CLAUDE,
  },
  cursor: {
    sessionStart: "session_start",
    beforeSubmitPrompt: "prompt",
    preToolUse: "pre_tool",
    beforeShellExecution: "pre_tool",
    beforeMCPExecution: "pre_tool",
    postToolUse: "post_tool",
    postToolUseFailure: "post_tool",
    afterShellExecution: "post_tool",
    afterMCPExecution: "post_tool",
    stop: "turn_end",
    sessionEnd: "session_end",
    ...CLAUDE,
  },
  opencode: {
    "session.created": "session_start",
    "chat.message": "prompt",
    "tool.execute.before": "pre_tool",
    "tool.execute.after": "post_tool",
    "session.idle": "turn_end",
    dispose: "session_end",
  },
  cline: {
    TaskStart: "session_start",
    TaskResume: "session_start",
    UserPromptSubmit: "prompt",
    PreToolUse: "pre_tool",
    PostToolUse: "post_tool",
    TaskComplete: "turn_end",
    TaskCancel: "turn_end",
    TaskError: "turn_end",
    SessionShutdown: "session_end",
  },
};

export interface NamedMoment {
  /** As the agent spells it: answers name it again. */
  readonly eventName: string;
  readonly moment: AgentMoment;
}

/** Agents take over events from one another. */
const OF_ANY: Moments = Object.fromEntries(
  Object.values(MOMENTS).flatMap((moments) => Object.entries(moments)),
);

/** The first name that the agent has, else one that any agent has; people may spell it `pre-tool-use`. The first name of all is an event that is nothing to us. */
export function momentNamed(
  agent: AgentName,
  names: readonly (string | undefined)[],
): NamedMoment | undefined {
  const given = names.flatMap((name) => (name === undefined || name === "" ? [] : [name]));
  for (const moments of [MOMENTS[agent], OF_ANY])
    for (const name of given) {
      const found = findMoment(Object.entries(moments), name);
      if (found !== undefined) return { eventName: found[0], moment: found[1] };
    }
  const [first] = given;
  return first === undefined ? undefined : { eventName: first, moment: "other" };
}

function findMoment(
  moments: readonly [string, AgentMoment][],
  name: string,
): readonly [string, AgentMoment] | undefined {
  return (
    moments.find(([own]) => own === name) ?? moments.find(([own]) => plain(own) === plain(name))
  );
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z]/gu, "").toLowerCase();
}
