import type { CommandSpec } from "../command-spec.ts";
import { checkpointChoice, strategyName, timeLimit, wholeNumber } from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const phaseSpec: CommandSpec = {
  name: "phase",
  group: "Workflows",
  summary: "run a command as a phase of a workflow, with checkpoints according to the strategy",
  description:
    "Creates a checkpoint before the command, for the first phase of a session always and for later ones depending on the strategy " +
    "(`strategy` and `phases` in waymark.yml), and one after it if it succeeds. If the command fails, its changes are kept, and the error names the command that restores the state before the phase.\n\n" +
    "Phases belong to the session that was started in this work tree; without one, a session of type `phases` is started, and later " +
    "phases join it until `waymark session complete`. The command sees WAYMARK_SESSION, WAYMARK_PHASE, WAYMARK_STEP, WAYMARK_ATTEMPT " +
    "and WAYMARK_CHECKPOINT.\n\n" +
    "Ctrl+C is passed to the command; then a `user_interrupt` checkpoint is created and the session waits to be resumed. The exit code " +
    "is then 130.",
  arguments: [
    { name: "<name>", text: "the phase: implement, validate, or any other word" },
    {
      name: "<command...>",
      text: "the command and its arguments; options from here on are its own",
      completes: "command",
    },
  ],
  options: [
    { flags: "--task <id>", text: "the task it works on" },
    { flags: "--issue <n>", text: "the issue it works on", parse: wholeNumber },
    {
      flags: "--step <n>",
      text: "its number (default: its place in the order)",
      parse: wholeNumber,
    },
    { flags: "--workflow-state <state>", text: "the state of the workflow, such as Planned" },
    { flags: "--description <text>", text: "what it is about" },
    {
      flags: "--strategy <strategy>",
      text: "when to create a checkpoint before it: manual, before_modify, before_all, smart",
      parse: strategyName,
      completes: ["manual", "before_modify", "before_all", "smart"],
    },
    {
      flags: "--modifies",
      text: "treat it as a phase that changes the project, whatever its name",
    },
    {
      flags: "--timeout <time>",
      text: "time limit for the command: 30s, 10m, 2h",
      parse: timeLimit,
    },
    { flags: "--resume", text: "continue a session whose last phase was interrupted" },
    { flags: "--fresh", text: "archive such a session and start another" },
    {
      flags: "--on-checkpoint-failure <choice>",
      text: "what to do if no checkpoint can be created: retry, skip (risky), stop",
      parse: checkpointChoice,
      completes: ["retry", "skip", "stop"],
    },
    ...PART_OPTIONS,
  ],
  examples: [
    {
      command: "waymark phase implement --task task-12 -- claude -p '/flow:implement'",
      text: "a checkpoint before and after",
    },
    { command: "waymark rollback phase:implement", text: "back to before it" },
    {
      command: "waymark phase validate --strategy before_all --timeout 30m -- npm test",
      text: "always with a checkpoint before it",
    },
  ],
  makesProject: true,
  kinds: ["phase"],
  audits: "phase",
  whenInterrupted: "Nothing was run.",
  load: () => import("./phase.ts"),
};
