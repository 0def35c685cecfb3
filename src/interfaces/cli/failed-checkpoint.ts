/** What to do when a checkpoint of a workflow could not be taken: asked in a terminal, else by the policy that was given. */
import type { Failure } from "../../domain/failure.ts";
import type { CheckpointChoice } from "../../operations/standalone-phase.ts";
import type { Output } from "./output.ts";
import { askWord, canAsk } from "./prompt.ts";

/** Without a terminal `retry` ends some time. */
const RETRIES = 3;
const PAUSE_MS = 1000;

export function failedCheckpointPolicy(
  output: Output,
  given: CheckpointChoice | undefined,
): (failure: Failure) => Promise<CheckpointChoice> {
  let retries = 0;
  return async (failure) => {
    output.warn(`no checkpoint could be taken: ${failure.message}`);
    if (given === "retry" && retries < RETRIES) {
      retries += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      output.say(`trying again (${retries}/${RETRIES})`);
      return "retry";
    }
    if (given === "skip") {
      output.warn("going on without it: what is done from here on cannot be rolled back");
      return "skip";
    }
    if (given === "stop" || !canAsk()) return "stop";
    const word = await askWord(
      "Try again, go on without it (risky: what is done cannot be rolled back), or stop?",
      ["retry", "skip", "stop"],
      new AbortController().signal,
    );
    return word ?? "stop";
  };
}
