/** What to do when a checkpoint of a workflow could not be taken: asked in a terminal, else by the policy that was given. */
import type { Failure } from "../../domain/failure.ts";
import type { CheckpointChoice } from "../../operations/standalone-phase.ts";
import { askChoice } from "./choice.ts";
import type { Output } from "./output.ts";
import { canAsk } from "./prompt.ts";

/** Without a terminal `retry` ends some time. */
const RETRIES = 3;
const PAUSE_MS = 1000;

export function failedCheckpointPolicy(
  output: Output,
  given: CheckpointChoice | undefined,
): (failure: Failure) => Promise<CheckpointChoice> {
  let retries = 0;
  return async (failure) => {
    output.warn(`no checkpoint could be created: ${failure.message}`);
    if (given === "retry" && retries < RETRIES) {
      retries += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      output.say(`retrying (${retries}/${RETRIES})`);
      return "retry";
    }
    if (given === "skip") {
      output.warn("continuing without it: no rollback to this point will be possible");
      return "skip";
    }
    if (given === "stop" || !canAsk()) return "stop";
    const word = await askChoice(output, [
      { word: "retry", text: "try again" },
      { word: "skip", text: "continue without it (risky: no rollback to this point)" },
      { word: "quit", text: "stop here" },
    ]);
    return word === undefined || word === "quit" ? "stop" : word;
  };
}
