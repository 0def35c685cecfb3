/** The commands of the family `session`. */
import { SESSION_STATUSES } from "../../../../domain/workflow/session-status.ts";
import type { ArgumentSpec, CommandFamily, CommandSpec, OptionSpec } from "../../command-spec.ts";
import { notBlank, rowLimit, sessionStatus, wholeNumber } from "../../options.ts";

export const SESSION_FAMILY: CommandFamily = {
  name: "session",
  group: "Workflows",
  summary: "start, inspect, save and end workflow sessions",
};

const GROUP = SESSION_FAMILY.group;

const SESSION: ArgumentSpec = {
  name: "[session]",
  text: "its id or a part of it (default: the one that was started in this work tree)",
  completes: "session",
};

/** For what ends it. */
const WHOLE_SESSION: ArgumentSpec = {
  ...SESSION,
  text: "its full id (default: the one that was started in this work tree)",
};

const REASON: OptionSpec = {
  flags: "-m, --reason <text>",
  text: "why, for the journal",
  alias: "--message",
};
const TAKE_OVER: OptionSpec = {
  flags: "--take-over <token>",
  text: "take over from a process on another machine that is definitely gone; the error shows the token",
  parse: wholeNumber,
};
const NO_CHECKPOINT: OptionSpec = {
  flags: "--no-checkpoint",
  text: "do not create a checkpoint of its last state first",
};

const file = (flags: string, text: string): OptionSpec => ({
  flags: `${flags} <file>`,
  text: `${text}, \`-\` for standard input`,
  completes: "file",
});

const startSpec: CommandSpec = {
  name: "session start",
  group: GROUP,
  summary: "start a session: new checkpoints of this work tree belong to it until it ends",
  description:
    "The session becomes the current one of the work tree: `create`, `list`, `rollback` and other commands use it. Without --id, the id " +
    "consists of type, project and time. A session that is still active is not changed; `session show` and `resume` still find it.",
  options: [
    {
      flags: "--type <type>",
      text: "what kind of workflow it is: orchestrate, implement, test-all, or any word (required)",
      parse: notBlank,
    },
    {
      flags: "--project <name>",
      text: "the project (default: the name of its folder)",
      parse: notBlank,
    },
    { flags: "--description <text>", text: "what it is about" },
    { flags: "--topic <text>", text: "the same, in a few words" },
    { flags: "--task <id>", text: "the task that it belongs to" },
    { flags: "--issue <n>", text: "the issue that it belongs to", parse: wholeNumber },
    {
      flags: "--id <id>",
      text: "your own id; it must be new",
      parse: notBlank,
    },
  ],
  examples: [
    {
      command: 'waymark session start --type implement --project auth --description "log in"',
      text: "start a session",
    },
    {
      command: "ID=$(waymark session start --type implement --json | jq -r .session.id)",
      text: "from a script",
    },
  ],
  makesProject: true,
  kinds: ["session_change"],
  audits: "session",
  whenInterrupted: "No session was started.",
  load: () => import("./start.ts"),
};

const listSpec: CommandSpec = {
  name: "session list",
  group: GROUP,
  summary: "list sessions, most recently active first",
  description:
    "The work tree's own session, which new checkpoints belong to if none was started, is listed too. Abandoned sessions are shown with --all " +
    "or --status only.",
  options: [
    { flags: "--workflow <type>", text: "only of this type" },
    { flags: "--project <name>", text: "only of this project" },
    {
      flags: "--status <status>",
      text: "only in this status",
      parse: sessionStatus,
      completes: SESSION_STATUSES,
    },
    { flags: "-n, --limit <n>", text: "at most this many, 0 for all", parse: rowLimit },
    { flags: "-a, --all", text: "all sessions, abandoned ones too" },
  ],
  examples: [
    { command: "waymark session list", text: "active and completed sessions" },
    { command: "waymark session list --status failed --workflow implement", text: "what failed" },
  ],
  looksOnly: true,
  toleratesBadConfig: true,
  kinds: ["session_list"],
  load: () => import("./list.ts"),
};

const showSpec: CommandSpec = {
  name: "session show",
  group: GROUP,
  summary: "show a session: phases, graph, state, files, checkpoints, owner",
  arguments: [SESSION],
  examples: [
    { command: "waymark session show", text: "the one of this work tree" },
    { command: "waymark session show auth --json", text: "by a part of its id, for a program" },
  ],
  looksOnly: true,
  toleratesBadConfig: true,
  kinds: ["session"],
  load: () => import("./show.ts"),
};

const saveSpec: CommandSpec = {
  name: "session save",
  group: GROUP,
  summary: "save an orchestrator's data in a session",
  description:
    "Files are JSON. Replaces what is stored; --merge updates fields, null removes one (RFC 7396). " +
    "Unknown keys are kept. Captured knowledge stays captured, each entry once, and is no longer pending.\n\n" +
    "--phase moves the session to that phase: the previous one is completed; moving to an earlier step makes the later ones pending " +
    "again. A document that looks like a secret is refused, with its location; secrets are removed from texts and metrics. A session " +
    "that another process runs can only be changed by commands it started.",
  arguments: [SESSION],
  options: [
    file("--state", "the workflow's state: any JSON"),
    file("--outputs", "an object with the outputs, by name"),
    file("--metrics", "an object with metrics"),
    { flags: "--phase <name>", text: "the current phase", parse: notBlank },
    { flags: "--step <n>", text: "the number of the step", parse: wholeNumber },
    { flags: "--iteration <n>", text: "the number of the iteration", parse: wholeNumber },
    {
      flags: "--state-label <label>",
      text: "the workflow state as named by labels, such as state:enrich",
    },
    file("--team", "an object with team_id and members"),
    file("--messages", "an object with pending, awaiting, conflicts: lists of ids"),
    file("--knowledge", "an object with injected, captured, pending: lists of ids"),
    {
      flags: "--agent-output <agent:task-and-file...>",
      text: "AGENT:TASK FILE: the output of an agent for a task, an object; repeatable",
      completes: "file",
    },
    { flags: "--merge", text: "update fields instead of replacing; null removes one" },
    { flags: "--checkpoint", text: "create a checkpoint afterwards" },
    REASON,
  ],
  examples: [
    {
      command: "waymark session save --phase implement --step 4 --state state.json",
      text: "phase, step and state",
    },
    {
      command: `echo '{"tests": 12}' | waymark session save --metrics - --merge`,
      text: "add one field",
    },
    {
      command: "waymark session save --agent-output architect:create_spec out.json --checkpoint",
      text: "the output of an agent, and a checkpoint",
    },
  ],
  kinds: ["session_change"],
  audits: "session",
  whenInterrupted: "Nothing was saved.",
  load: () => import("./save.ts"),
};

const pauseSpec: CommandSpec = {
  name: "session pause",
  group: GROUP,
  summary: "pause a session, or ask the process that runs it to pause",
  description:
    "The process that runs it pauses between two steps. The command does not wait for that.",
  arguments: [SESSION],
  options: [TAKE_OVER, REASON],
  examples: [{ command: "waymark session pause", text: "the one of this work tree" }],
  toleratesBadConfig: true,
  kinds: ["session_change"],
  audits: "session",
  load: () => import("./pause.ts"),
};

const completeSpec: CommandSpec = {
  name: "session complete",
  group: GROUP,
  summary: "mark a session as completed",
  description:
    "First creates a checkpoint of its last state. Then checkpoints that are not milestones are deleted, depending on " +
    "retention.on_success (not with retention.auto_cleanup: false); `delete --undo` restores them for a day. Refused while results of " +
    "isolated nodes are not merged.",
  arguments: [WHOLE_SESSION],
  options: [
    NO_CHECKPOINT,
    { flags: "--force", text: "complete it even if results of nodes are not merged" },
    TAKE_OVER,
    REASON,
  ],
  examples: [{ command: "waymark session complete", text: "the one of this work tree" }],
  kinds: ["session_change"],
  audits: "session",
  load: () => import("./complete.ts"),
};

const failSpec: CommandSpec = {
  name: "session fail",
  group: GROUP,
  summary: "mark a session as failed; it is archived and can be resumed",
  description:
    "First creates a checkpoint of its last state. The session is kept for retention.failed_max_age.",
  arguments: [WHOLE_SESSION],
  options: [{ flags: "--error <text>", text: "what went wrong" }, NO_CHECKPOINT, TAKE_OVER, REASON],
  examples: [
    { command: 'waymark session fail --error "the tests hang"', text: "with what went wrong" },
  ],
  kinds: ["session_change"],
  audits: "session",
  load: () => import("./fail.ts"),
};

const abandonSpec: CommandSpec = {
  name: "session abandon",
  group: GROUP,
  summary: "abandon and archive a session",
  description:
    "Asks first: the session cannot be resumed, except by a rollback to one of its checkpoints. Creates a checkpoint of its last state. " +
    "Files do not change.",
  arguments: [WHOLE_SESSION],
  options: [{ flags: "-y, --yes", text: "do not ask" }, NO_CHECKPOINT, TAKE_OVER, REASON],
  examples: [{ command: "waymark session abandon --yes", text: "without a question" }],
  kinds: ["session_change"],
  audits: "session",
  load: () => import("./abandon.ts"),
};

const deleteSpec: CommandSpec = {
  name: "session delete",
  group: GROUP,
  summary: "delete a session with its checkpoints",
  description:
    "Shows the session and its checkpoints and asks. For a day (retention.grace), `delete --undo` restores the checkpoints; until then " +
    "the session is archived. Refused while a process runs the session or one of its checkpoints is pinned, and without --force while undo, redo " +
    "or another session needs one. Safety checkpoints that are the only reference to commits are kept. Files do not change. " +
    "One whose document is damaged is deleted with the checkpoints that name it; the damaged document stays in refs/waymark/damaged.",
  arguments: [{ name: "<session>", text: "its full id", completes: "session" }],
  options: [
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "--force", text: "also checkpoints that undo, redo or another session needs" },
    { flags: "--now", text: "delete for good, without a day to change your mind" },
    REASON,
  ],
  examples: [
    {
      command: "waymark session delete implement_auth_20261115_184530 --yes",
      text: "without a question",
    },
  ],
  kinds: ["session_change"],
  audits: "session",
  whenInterrupted: "Nothing was deleted.",
  load: () => import("./delete.ts"),
};

export const SESSION_SPECS: readonly CommandSpec[] = [
  startSpec,
  listSpec,
  showSpec,
  saveSpec,
  pauseSpec,
  completeSpec,
  failSpec,
  abandonSpec,
  deleteSpec,
];
