import type { CommandSpec } from "../command-spec.ts";
import { workflowChoice, wholeNumber } from "../options.ts";
import { RUN_OPTIONS } from "../run/run-flags.ts";

export const resumeSpec: CommandSpec = {
  name: "resume",
  group: "Workflows",
  summary: "go on with a session that was interrupted, paused or failed",
  description:
    "Looks first: whether somebody runs the session, whether its checkpoints are whole and what it refers to is there, and what happened meanwhile " +
    "to its branch, files, issue and workflow file. Then it shows which nodes are done, which run (again) and why, and asks. What is completed " +
    "never runs again. A node that was running when its process ended runs again only where the workflow file says that it may (`rerun`, " +
    "`idempotent`), or somebody says so.\n\n" +
    "Without a terminal nobody guesses: it goes on when nothing has to be decided, and otherwise ends with exit code 5 and names the flags that " +
    "decide. With --json the first line is the document `resume_plan`, and each event is a line.\n\n" +
    "The commands of a session that did not begin on this machine (imported, fetched, copied, of another user) are shown and run only after a yes, " +
    "also with --yes. --dry-run shows them, and the digest that --trust-commands takes. An agent cannot agree for you: in a command of an agent it ends with exit code 5.\n\n" +
    "A session of phases (`waymark phase`, `waymark session start`) becomes active again, and the command for its next phase is printed.",
  arguments: [
    {
      name: "[session]",
      text: "its id, or a part of it (default: the one of this work tree)",
      completes: "session",
    },
  ],
  options: [
    { flags: "--issue <n>", text: "the session that is about this issue", parse: wholeNumber },
    {
      flags: "--from <checkpoint>",
      text: "roll back to this checkpoint first, and go on from there",
      completes: "checkpoint",
    },
    { flags: "--accept-changes", text: "go on with things as they are now" },
    { flags: "--restore-files", text: "roll back to the session's last checkpoint first" },
    {
      flags: "--workflow-file <which>",
      text: "when the file changed: go on by the recorded or by the current one",
      parse: workflowChoice,
      completes: ["recorded", "current"],
    },
    {
      flags: "--rerun-unknown <node...>",
      text: "nodes of unknown end that run again; all, or none for the others",
    },
    {
      flags: "--trust-commands <digest>",
      text: "run the commands of a session that did not begin here, as --dry-run showed them",
    },
    {
      flags: "--take-over <token>",
      text: "take it from an owner on another machine that is surely gone",
      parse: wholeNumber,
    },
    { flags: "--fresh", text: "put the session away and begin its workflow anew" },
    { flags: "-y, --yes", text: "do not ask: neither before it goes on nor at breakpoints" },
    { flags: "-n, --dry-run", text: "show what would happen and change nothing" },
    { flags: "--discard-commits", text: "roll back even if commits leave their branch" },
    { flags: "--even-if-expired", text: "roll back to an expired checkpoint" },
    ...RUN_OPTIONS,
  ],
  examples: [
    { command: "waymark resume", text: "the session of this work tree" },
    { command: "waymark resume --dry-run --json", text: "only look, for a program" },
    { command: "waymark resume --issue 42 --accept-changes", text: "in a script" },
    { command: "waymark resume --from phase:implement", text: "from before that phase" },
    {
      command: "waymark resume --rerun-unknown api none",
      text: "run api again, and nothing else of unknown end",
    },
  ],
  kinds: ["resume_plan", "run_event", "session_change"],
  audits: "resume",
  whenInterrupted: "Nothing was run.",
  load: () => import("./resume.ts"),
};
