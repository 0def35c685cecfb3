/** What is installed for each agent: which of its events, in its own form and units. */
import type { AgentName } from "./agents.ts";

export interface HookEvent {
  /** The agent's own word. */
  readonly name: string;
  /** For which tools, as a regular expression; absent: for all. */
  readonly matcher?: string;
  /** In the agent's unit, where it is not the usual one. */
  readonly timeout?: number;
}

/** What people write into JSON although it is no part of it. */
export type JsonExtra = "comments" | "trailing commas" | "a byte order mark";

/** A JSON file that may hold more than our hooks. */
export interface SettingsLayout {
  readonly kind: "settings";
  /** `groups`: each entry of an event has a matcher and a list of handlers; `handlers`: each is one. */
  readonly entries: "groups" | "handlers";
  /** What the handler calls its command. */
  readonly commandField: "command" | "bash";
  readonly timeoutField: "timeout" | "timeoutSec" | null;
  /** Above our own deadline, in the agent's unit. */
  readonly timeout: number;
  /** The payload does not say which event it is, so the command does. */
  readonly namesEvent: boolean;
  /** Handlers say that they are commands. */
  readonly isTyped: boolean;
  /** What a new file has beside the hooks. */
  readonly head: Readonly<Record<string, unknown>>;
  /** What the agent reads beside plain JSON; a file with anything else it ignores, replaces, or refuses to start with. */
  readonly reads: ReadonlySet<JsonExtra>;
  readonly events: readonly HookEvent[];
}

/** A program of our own that the agent loads. */
export interface PluginFileLayout {
  readonly kind: "plugin_file";
}

/** One executable file for each event, named after it. */
export interface ScriptsLayout {
  readonly kind: "scripts";
  readonly events: readonly string[];
}

export type HookLayout = SettingsLayout | PluginFileLayout | ScriptsLayout;

const SECONDS = 30;
const MILLISECONDS = 30_000;

/**
 * Tools that only look, left out so that looking stays quick. What is not listed might change something. Matches the whole name: Copilot CLI, which reads
 * Claude Code's files, too, would never run a hook whose pattern matches less.
 */
const allBut = (names: string): string => `^(?!(?:${names})$).*`;

const CLAUDE_LOOKS = allBut("Read|Glob|Grep|LS|WebFetch|WebSearch|TodoWrite");
const GEMINI_LOOKS = allBut(
  "read_file|read_many_files|list_directory|glob|grep_search|search_file_content|google_web_search|web_fetch",
);
const QWEN_LOOKS = allBut(
  "read_file|read_many_files|list_directory|glob|grep_search|search_file_content|web_fetch",
);

const CLAUDE: SettingsLayout = {
  kind: "settings",
  entries: "groups",
  commandField: "command",
  timeoutField: "timeout",
  timeout: SECONDS,
  namesEvent: false,
  isTyped: true,
  head: {},
  reads: new Set(["a byte order mark"]),
  events: [
    { name: "SessionStart" },
    { name: "UserPromptSubmit" },
    { name: "PreToolUse", matcher: CLAUDE_LOOKS },
    { name: "Stop" },
    { name: "SessionEnd" },
  ],
};

export const HOOK_LAYOUTS: Readonly<Record<AgentName, HookLayout>> = {
  claude: CLAUDE,
  codex: {
    ...CLAUDE,
    reads: new Set(),
    events: [
      { name: "SessionStart" },
      { name: "UserPromptSubmit" },
      { name: "PreToolUse" },
      { name: "Stop" },
      // It waits no longer than this for the end of a session.
      { name: "SessionEnd", timeout: 3 },
    ],
  },
  gemini: {
    ...CLAUDE,
    timeout: MILLISECONDS,
    reads: new Set(["comments"]),
    events: [
      { name: "SessionStart" },
      { name: "BeforeAgent" },
      { name: "BeforeTool", matcher: GEMINI_LOOKS },
      { name: "AfterAgent" },
      { name: "SessionEnd" },
    ],
  },
  qwen: {
    ...CLAUDE,
    timeout: MILLISECONDS,
    // It adds this to each file that lacks it.
    head: { $version: 4 },
    reads: new Set(["comments", "a byte order mark"]),
    events: [
      { name: "SessionStart" },
      { name: "UserPromptSubmit" },
      { name: "PreToolUse", matcher: QWEN_LOOKS },
      { name: "Stop" },
      { name: "SessionEnd" },
    ],
  },
  copilot: {
    kind: "settings",
    entries: "handlers",
    commandField: "bash",
    timeoutField: "timeoutSec",
    timeout: SECONDS,
    namesEvent: true,
    isTyped: true,
    head: { version: 1 },
    reads: new Set(),
    events: [
      { name: "sessionStart" },
      { name: "userPromptSubmitted" },
      { name: "preToolUse" },
      { name: "agentStop" },
      { name: "sessionEnd" },
    ],
  },
  cursor: {
    kind: "settings",
    entries: "handlers",
    commandField: "command",
    // Its unit is disputed.
    timeoutField: null,
    timeout: 0,
    namesEvent: false,
    isTyped: false,
    head: { version: 1 },
    // It could not be tried.
    reads: new Set(["comments", "trailing commas", "a byte order mark"]),
    events: [
      { name: "sessionStart" },
      { name: "beforeSubmitPrompt" },
      { name: "preToolUse" },
      { name: "stop" },
      { name: "sessionEnd" },
    ],
  },
  opencode: { kind: "plugin_file" },
  cline: {
    kind: "scripts",
    events: [
      "TaskStart",
      "TaskResume",
      "UserPromptSubmit",
      "PreToolUse",
      "TaskComplete",
      "TaskCancel",
      "SessionShutdown",
    ],
  },
};
