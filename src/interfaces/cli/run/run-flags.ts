/** Options that say how a workflow is run, whether it begins or goes on. */
import type { CheckpointAnswer } from "../../../domain/workflow/run-event.ts";
import type { OptionSpec } from "../command-spec.ts";
import { checkpointAnswer, positiveNumber, timeLimit } from "../options.ts";

export interface RunFlags {
  yes?: boolean;
  concurrency?: number;
  onCheckpointFailure?: CheckpointAnswer;
  timeout?: number;
  plain?: boolean;
}

export const RUN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--concurrency <n>",
    text: "how many nodes may run in parallel (overrides the file)",
    parse: positiveNumber,
  },
  {
    flags: "--on-checkpoint-failure <what>",
    text: "if a checkpoint cannot be created and stdin is not a terminal: retry, skip (risky), pause or fail (default)",
    parse: checkpointAnswer,
    completes: ["retry", "skip", "pause", "fail"],
  },
  { flags: "--timeout <time>", text: "time limit for the whole run: 30m, 2h", parse: timeLimit },
  {
    flags: "--plain",
    text: "print lines and the output of nodes instead of the live view, also on a terminal",
  },
];
