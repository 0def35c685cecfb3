import type { CommandSpec } from "../command-spec.ts";
import { checkpointChoice, strategyName, timeLimit, wholeNumber } from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const phaseSpec: CommandSpec = {
  name: "phase",
  group: "Workflows",
  summary: "run a command as a phase of a workflow, with a checkpoint before and after",
  description:
    "Takes a checkpoint before the command, as the strategy says (`strategy` and `phases` in waymark.yml), and one after it when it " +
    "succeeded. A command that fails leaves the project as it is, and the error names the command that goes back to before the phase.\n\n" +
    "Phases belong to the session that was started in this work tree; without one a session of the type `phases` is begun and goes on " +
    "with the next phase until `waymark session complete`. The command sees WAYMARK_SESSION, WAYMARK_PHASE, WAYMARK_STEP, " +
    "WAYMARK_ATTEMPT and WAYMARK_CHECKPOINT.\n\n" +
    "Ctrl+C reaches the command; then a `user_interrupt` checkpoint is taken and the session waits to be resumed. The exit code is 130 then.",
  arguments: [
    { name: "<name>", text: "the phase: implement, validate, or any other word" },
    {
      name: "<command...>",
      text: "the command and its arguments, after `--`",
      completes: "command",
    },
  ],
  options: [
    { flags: "--task <id>", text: "the task that it works on" },
    { flags: "--issue <n>", text: "the issue that it works on", parse: wholeNumber },
    {
      flags: "--step <n>",
      text: "its number (default: its place in the order)",
      parse: wholeNumber,
    },
    { flags: "--workflow-state <state>", text: "what the workflow calls where it is" },
    { flags: "--description <text>", text: "what it is about" },
    {
      flags: "--strategy <strategy>",
      text: "when to take a checkpoint before it: manual, before_modify, before_all, smart",
      parse: strategyName,
      completes: ["manual", "before_modify", "before_all", "smart"],
    },
    { flags: "--modifies", text: "it changes the project, whatever it is called" },
    {
      flags: "--timeout <time>",
      text: "end the command after this time: 30s, 10m, 2h",
      parse: timeLimit,
    },
    { flags: "--resume", text: "go on in a session whose last phase was cut off" },
    { flags: "--fresh", text: "put such a session away and begin another" },
    {
      flags: "--on-checkpoint-failure <choice>",
      text: "what to do when no checkpoint can be taken: retry, skip (risky), stop",
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
      text: "one before it, whatever the settings say",
    },
  ],
  makesProject: true,
  kinds: ["phase"],
  audits: "phase",
  whenInterrupted: "Nothing was run.",
  load: () => import("./phase.ts"),
};
