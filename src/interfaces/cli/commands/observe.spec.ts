import type { CommandSpec } from "../command-spec.ts";

export const observeSpec: CommandSpec = {
  name: "observe",
  group: "Workflows",
  summary: "watch and steer a workflow from another terminal",
  description:
    "Without a command, it shows the live view of `waymark run`, also for a run that starts later, with a prompt below it that takes " +
    "the same commands as a breakpoint. In a pipe, it prints events as lines and reads commands until its input ends. With a command, it " +
    "runs that and exits. Commands begin with an asterisk (quote them in a shell); `*help` lists them: `*pause`, `*skip`, " +
    "`*skip-to:N`, `*continue`, `*abort` are for the process that runs the session; `*checkpoints`, `*cp-show:N`, `*cp-diff:A:B`, `*rollback:N`, " +
    "`*cp-validate`, `*cp-export`, `*cp-rebuild:N`, `*sessions`, `*session-info`, `*resume`, `*abandon:ID`, `*cleanup` are the commands of " +
    "the same names, with the same questions and the same safety checkpoint.",
  arguments: [
    {
      name: "[command]",
      text: "one command, such as '*cp-list'",
      completes: ["*cp-list", "*session-info", "*sessions", "*pause", "*continue", "*help"],
    },
  ],
  options: [
    { flags: "--yes", text: "answer yes to the question of the command" },
    { flags: "-n, --dry-run", text: "show what *rollback would do and change nothing" },
    {
      flags: "--discard-commits",
      text: "let *rollback move the branch back even if that drops commits from it",
    },
    { flags: "--keep-head", text: "let *rollback leave HEAD and branches where they are" },
  ],
  examples: [
    { command: "waymark observe", text: "the live view" },
    { command: "waymark observe '*cp-list'", text: "one command" },
    { command: "waymark observe '*pause'", text: "pause the workflow that runs here" },
  ],
  toleratesBadConfig: true,
  kinds: ["observer", "request", "checkpoint_list", "rollback"],
  load: () => import("./observe.ts"),
};
