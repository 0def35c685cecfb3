import type { CommandSpec } from "../command-spec.ts";
import { notBlank, workflowChoice, wholeNumber } from "../options.ts";
import { RUN_OPTIONS } from "../run/run-flags.ts";

export const resumeSpec: CommandSpec = {
  name: "resume",
  group: "Workflows",
  summary: "continue a session that was interrupted, paused or failed",
  description:
    "First checks whether another process runs the session, whether its checkpoints and the files it refers to are intact, and what has " +
    "changed since in its branch, files, issue and workflow file. Then it shows which nodes are done and which will run (again) and " +
    "why, and asks. Completed nodes never run again. A node that was running when its process ended runs again only if the workflow " +
    "file allows it (`rerun`, `idempotent`) or you say so.\n\n" +
    "Without a terminal it continues if no decision is needed; otherwise it ends with exit code 5 and names the flags that decide. With " +
    "--json the first line is the document `resume_plan`, and each event is a line.\n\n" +
    "The commands of a session that did not start on this machine (imported, fetched, copied, or of another user) are shown and need " +
    "your consent, also with --yes. --dry-run shows them and the digest for --trust-commands. An agent cannot consent for you: when an " +
    "agent runs it, it ends with exit code 5.\n\n" +
    "A session of phases (`waymark phase`, `waymark session start`) becomes active again, and the command for its next phase is " +
    "printed.",
  arguments: [
    {
      name: "[session]",
      text: "its id, or a part of it (default: the one of this work tree)",
      completes: "session",
    },
  ],
  options: [
    { flags: "--issue <n>", text: "the session of this issue", parse: wholeNumber },
    {
      flags: "--from <checkpoint>",
      text: "roll back to this checkpoint first and continue from there",
      parse: notBlank,
      completes: "checkpoint",
    },
    { flags: "--accept-changes", text: "continue with the project as it is now" },
    { flags: "--restore-files", text: "roll back to the session's last checkpoint first" },
    {
      flags: "--workflow-file <which>",
      text: "if the file changed: use the recorded or the current version",
      parse: workflowChoice,
      completes: ["recorded", "current"],
    },
    {
      flags: "--rerun-unknown <node...>",
      text: "nodes with unknown result that run again: names, `all`, or `none` for the others",
    },
    {
      flags: "--trust-commands <digest>",
      text: "run the commands of a session that did not start here, as shown by --dry-run",
    },
    {
      flags: "--take-over <token>",
      text: "take over from a process on another machine that is definitely gone; the error shows the token",
      parse: wholeNumber,
    },
    { flags: "--fresh", text: "archive the session and start its workflow over" },
    { flags: "-y, --yes", text: "do not ask, at the start or at breakpoints" },
    { flags: "-n, --dry-run", text: "show what would happen and change nothing" },
    { flags: "--discard-commits", text: "roll back even if that drops commits from their branch" },
    { flags: "--even-if-expired", text: "roll back to an expired checkpoint" },
    ...RUN_OPTIONS,
  ],
  examples: [
    { command: "waymark resume", text: "the session of this work tree" },
    { command: "waymark resume --dry-run --json", text: "preview only, for a program" },
    { command: "waymark resume --issue 42 --accept-changes", text: "in a script" },
    { command: "waymark resume --from phase:implement", text: "from before that phase" },
    {
      command: "waymark resume --rerun-unknown api none",
      text: "run api again, and no other node with unknown result",
    },
  ],
  kinds: ["resume_plan", "run_event", "session_change"],
  audits: "resume",
  whenInterrupted: "Nothing was run.",
  load: () => import("./resume.ts"),
};
