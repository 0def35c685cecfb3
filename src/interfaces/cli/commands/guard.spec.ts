import type { CommandSpec } from "../command-spec.ts";
import { timeLimit, wholeNumber } from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const guardSpec: CommandSpec = {
  name: "guard",
  group: "Going back",
  summary: "run a command under a checkpoint; roll back when it or a check fails",
  description:
    "Takes a checkpoint, runs the command, then each check in the shell. When one fails, everything that the command did is rolled " +
    "back, commits too (exit code 7); the failed attempt stays as a checkpoint, and `waymark undo` brings it back. Without a check the " +
    "exit code of the command decides. Without a checkpoint nothing is run.\n\n" +
    "The command's output is passed on as it is; what checks write goes to stderr. A command that is tried again finds in " +
    "WAYMARK_GUARD_ATTEMPT the number of the attempt, and in WAYMARK_GUARD_FAILURE a file with what went wrong in the one before.\n\n" +
    "After Ctrl+C in a terminal it asks whether to roll back; without a terminal, and after the signals TERM and HUP, it rolls back. " +
    "The exit code is 130 then.",
  arguments: [
    {
      name: "<command...>",
      text: "the command and its arguments, after `--`",
      completes: "command",
    },
  ],
  options: [
    {
      flags: "--verify <check>",
      text: "a shell command that has to succeed afterwards; may be given several times",
      repeats: true,
    },
    {
      flags: "--retries <n>",
      text: "try again this often, each time from the checkpoint",
      parse: wholeNumber,
    },
    {
      flags: "--timeout <time>",
      text: "end the command, and each check, after this time: 30s, 10m, 2h",
      parse: timeLimit,
    },
    { flags: "--verify-timeout <time>", text: "another time for each check", parse: timeLimit },
    { flags: "--keep-on-fail", text: "leave what the last attempt did; exit code 1" },
    { flags: "--keep-head", text: "leave HEAD and branches where the command put them" },
    ...PART_OPTIONS,
    { flags: "-m, --reason <text>", text: "why, for the checkpoint" },
    { flags: "--name <name>", text: "a name for the checkpoint; becomes part of the id" },
  ],
  examples: [
    {
      command: "waymark guard --verify 'npm test' -- npx codemod src/",
      text: "keep the changes only if the tests pass",
    },
    {
      command: "waymark guard --verify 'npm test' --retries 2 --timeout 30m -- ./agent.sh",
      text: "three attempts, each from the same state",
    },
    { command: "waymark guard -- ./migrate.sh", text: "the command itself says whether it worked" },
    {
      command: "waymark guard --database sqlite:app.db --verify './check.sh' -- ./migrate.sh",
      text: "the database is rolled back too",
    },
  ],
  makesProject: true,
  kinds: ["guard"],
  audits: "guard",
  whenInterrupted: "Nothing was run.",
  load: () => import("./guard.ts"),
};
