/** The commands of the family `session`. */
import { SESSION_STATUSES } from "../../../../domain/workflow/session-status.ts";
import type { ArgumentSpec, CommandFamily, CommandSpec, OptionSpec } from "../../command-spec.ts";
import { notBlank, sessionStatus, wholeNumber } from "../../options.ts";

export const SESSION_FAMILY: CommandFamily = {
  name: "session",
  group: "Workflows",
  summary: "start, look at, save and end the sessions of workflows",
};

const GROUP = SESSION_FAMILY.group;

const SESSION: ArgumentSpec = {
  name: "[session]",
  text: "its id or a part of it (default: the one that was started in this work tree)",
  completes: "session",
};

const REASON: OptionSpec = { flags: "-m, --reason <text>", text: "why, for the journal" };
const TAKE_OVER: OptionSpec = {
  flags: "--take-over <token>",
  text: "although a process on another machine ran it, which is surely gone: the token that the refusal shows",
  parse: wholeNumber,
};
const NO_CHECKPOINT: OptionSpec = {
  flags: "--no-checkpoint",
  text: "take no checkpoint of its last state first",
};

const file = (flags: string, text: string): OptionSpec => ({
  flags: `${flags} <file>`,
  text: `${text}, \`-\` for standard input`,
  completes: "file",
});

const startSpec: CommandSpec = {
  name: "session start",
  group: GROUP,
  summary: "start a session: checkpoints of this work tree are its own until it ends",
  description:
    "The session becomes the current one of the work tree: `create`, `list`, `rollback` and the others work with it. Its id is made of " +
    "type, project and time unless one is given. A session that goes on stays as it is; `session show` and `resume` still find it.",
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
      text: "an id of your own; refused if there is such a session",
      parse: notBlank,
    },
  ],
  examples: [
    {
      command: 'waymark session start --type implement --project auth --description "log in"',
      text: "the usual beginning",
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
  summary: "list sessions, the latest first",
  description:
    "Those that were given up (abandoned, or somebody started afresh) and those that nobody started, such as the work tree's " +
    "own, are shown with --all only; --status shows those of that status too.",
  options: [
    { flags: "--workflow <type>", text: "only of this type" },
    { flags: "--project <name>", text: "only of this project" },
    {
      flags: "--status <status>",
      text: "only in this status",
      parse: sessionStatus,
      completes: SESSION_STATUSES,
    },
    { flags: "--limit <n>", text: "at most this many", parse: wholeNumber },
    { flags: "-a, --all", text: "every one" },
  ],
  examples: [
    { command: "waymark session list", text: "what goes on, and what was completed" },
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
  summary: "show a session: phases, graph, state, files, checkpoints, who runs it",
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
  summary: "keep in a session what an orchestrator wants to find again",
  description:
    "Files are JSON. What is given takes the place of what is there; with --merge it changes it field by field, null removes one " +
    "(RFC 7396). Unknown keys are kept. Knowledge that was captured stays captured, each entry once, and is pending no more.\n\n" +
    "--phase goes on to that phase: the one before is completed; back to an earlier step, what comes after it is to be done again. " +
    "A document that looks like a secret is refused, with the place named; texts and metrics lose it. What others run is not changed " +
    "under them, except by commands that they started.",
  arguments: [SESSION],
  options: [
    file("--state", "the workflow's state: any JSON"),
    file("--outputs", "an object with what was made, by name"),
    file("--metrics", "an object with metrics"),
    { flags: "--phase <name>", text: "the phase that it is in now", parse: notBlank },
    { flags: "--step <n>", text: "the number of the step", parse: wholeNumber },
    { flags: "--iteration <n>", text: "how often it went round", parse: wholeNumber },
    { flags: "--state-label <label>", text: "what labels call where it is: state:enrich" },
    file("--team", "an object with team_id and members"),
    file("--messages", "an object with pending, awaiting, conflicts: lists of ids"),
    file("--knowledge", "an object with injected, captured, pending: lists of ids"),
    {
      flags: "--agent-output <agent:task-and-file...>",
      text: "AGENT:TASK FILE: what an agent made of a task, an object; may be given several times",
      completes: "file",
    },
    { flags: "--merge", text: "change what is there field by field" },
    { flags: "--checkpoint", text: "take a checkpoint afterwards" },
    REASON,
  ],
  examples: [
    {
      command: "waymark session save --phase implement --step 4 --state state.json",
      text: "where it is, and what it knows",
    },
    {
      command: `echo '{"tests": 12}' | waymark session save --metrics - --merge`,
      text: "one field more",
    },
    {
      command: "waymark session save --agent-output architect:create_spec out.json --checkpoint",
      text: "what an agent made, and a checkpoint",
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
  summary: "pause a session; whoever runs it is asked to",
  description:
    "Whoever runs it pauses between two steps. Nobody is made to wait: the answer says that it was asked.",
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
  summary: "end a session that succeeded",
  description:
    "Takes a checkpoint of its last state first. Then checkpoints that are no milestones go, as retention.on_success says; " +
    "`delete --undo` brings them back for a day. Not with retention.auto_cleanup: false. Refused while what nodes left is not merged.",
  arguments: [SESSION],
  options: [
    NO_CHECKPOINT,
    { flags: "--force", text: "also when what nodes left is not merged" },
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
  summary: "end a session that failed; it is archived and can be resumed",
  description:
    "Takes a checkpoint of its last state first. It is kept as long as retention.failed_max_age says, and leaves the list.",
  arguments: [SESSION],
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
  summary: "give a session up for good; it is archived",
  description:
    "Asks first: nobody can go on with it, unless by a rollback to one of its checkpoints. Takes a checkpoint of its last state. Files stay as they are.",
  arguments: [SESSION],
  options: [{ flags: "-y, --yes", text: "do not ask" }, NO_CHECKPOINT, TAKE_OVER, REASON],
  examples: [{ command: "waymark session abandon --yes", text: "without a question" }],
  kinds: ["session_change"],
  audits: "session",
  load: () => import("./abandon.ts"),
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
];
