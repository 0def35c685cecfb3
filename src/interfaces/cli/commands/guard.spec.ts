import type { CommandSpec } from "../command-spec.ts";
import { timeLimit, wholeNumber } from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const guardSpec: CommandSpec = {
  name: "guard",
  group: "Restore",
  summary: "run a command; roll back if it or a check fails",
  description:
    "Creates a checkpoint, runs the command, then each check in the shell. If one fails, what the command did is rolled back, " +
    "commits too, as far as the checkpoint contains it (not ignored files, not other branches; exit code 7); the failed attempt is kept as a checkpoint, and `waymark undo` restores it. Without a check, the exit " +
    "code of the command decides. If no checkpoint can be created, nothing is run.\n\n" +
    "The output of the command is passed through; checks write to stderr. When a command is retried, WAYMARK_GUARD_ATTEMPT is the " +
    "number of the attempt, and WAYMARK_GUARD_FAILURE is the path of a file that describes the previous failure.\n\n" +
    "After Ctrl+C in a terminal it asks whether to keep what the command did, and rolls back if not; without a terminal, and after SIGTERM and SIGHUP, it rolls back. The exit " +
    "code is then 130.",
  arguments: [
    {
      name: "<command...>",
      text: "the command and its arguments; options from here on are its own",
      completes: "command",
    },
  ],
  options: [
    {
      flags: "--verify <check>",
      text: "a shell command that has to succeed afterwards; repeatable",
      repeats: true,
    },
    {
      flags: "--retries <n>",
      text: "retry this many times, each time from the checkpoint",
      parse: wholeNumber,
    },
    {
      flags: "--timeout <time>",
      text: "time limit for the command and for each check: 30s, 10m, 2h",
      parse: timeLimit,
    },
    {
      flags: "--verify-timeout <time>",
      text: "a different time limit for each check",
      parse: timeLimit,
    },
    { flags: "--keep-on-fail", text: "keep the changes of the last attempt; exit code 1" },
    { flags: "--keep-head", text: "do not move HEAD and branches back" },
    ...PART_OPTIONS,
    { flags: "-m, --reason <text>", text: "why, for the checkpoint", alias: "--message" },
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
    { command: "waymark guard -- ./migrate.sh", text: "the exit code of the command decides" },
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
