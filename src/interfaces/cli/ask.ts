/** Asks before something is changed. Without a terminal nobody can answer: then nothing is changed. */
import { agentOfEnvironment } from "../../domain/agents/agent-of-environment.ts";
import { Failure } from "../../domain/failure.ts";
import type { Output } from "./output.ts";
import { askLine, askYes, canAsk } from "./prompt.ts";

export interface Question {
  /** Shown before the question. */
  readonly lines: readonly string[];
  /** What would be done, for the refusal where nobody can be asked. */
  readonly what: string;
  /** Which flag answers it. */
  readonly hint: string;
}

export async function askToGoOn(output: Output, question: Question): Promise<boolean> {
  prepare(output, question);
  return askYes("Go on?");
}

/** Of what can be taken back without loss: also `y` and an empty line go on. */
export async function askEasily(output: Output, question: Question): Promise<boolean> {
  prepare(output, question);
  const answer = await askLine("Go on? [Y/n] ");
  return answer !== undefined && /^(y|yes|)$/i.test(answer.trim());
}

/** Anything but `y` and `yes` is a no. */
export async function askYesNo(
  output: Output,
  question: Question,
  words: string,
): Promise<boolean> {
  prepare(output, question);
  const answer = await askLine(`${words} [y/N] `);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

/** Before what only the user may agree to. Also in a terminal: agents open them, too. */
export function refuseAgents(command: string): void {
  const agent = agentOfEnvironment(process.env)?.agent;
  if (agent === undefined) return;
  throw new Failure("needs_confirmation", `${agent} runs this command and cannot agree for you`, {
    hint: `Run \`${command}\` in a terminal of your own. Nothing was changed.`,
  });
}

function prepare(output: Output, question: Question): void {
  if (!canAsk() || output.options.json) {
    throw new Failure("needs_confirmation", `${question.what} and nobody can be asked here`, {
      hint: question.hint,
    });
  }
  for (const line of question.lines) process.stderr.write(`${line}\n`);
}

/** When the answer was no. */
export function notConfirmed(): Failure {
  return new Failure("needs_confirmation", "it was not confirmed; nothing was changed", {
    hint: "Only `yes` goes on. Add --yes to go on without a question.",
  });
}
