/** The one confirmation of the product: `[y/N]`. Without a terminal there is no answer, and nothing is changed. */
import { agentOfEnvironment } from "../../domain/agents/agent-of-environment.ts";
import { Failure } from "../../domain/failure.ts";
import type { Output } from "./output.ts";
import { askYes, canAsk } from "./prompt.ts";

export interface Confirmation {
  /** Shown before the question; may be painted. */
  readonly lines?: readonly string[];
  readonly question: string;
  /** Which flag answers it. */
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Any other answer than `y` and `yes` is a no. */
export async function confirm(output: Output, asked: Confirmation): Promise<boolean> {
  requireTerminal(output, asked);
  output.question(asked.lines ?? []);
  return askYes(asked.question);
}

export function requireTerminal(
  { options: { json } }: Output,
  { hint, details }: Pick<Confirmation, "hint" | "details">,
): void {
  if (canAsk() && !json) return;
  const stream = process.stdin.isTTY ? "stderr" : "stdin";
  const why = canAsk() ? "--json asks no questions" : `${stream} is not a terminal`;
  throw new Failure("needs_confirmation", `confirmation required: ${why}`, {
    hint,
    ...(details === undefined ? {} : { details }),
  });
}

/** Before what only the user may agree to. Also in a terminal: agents open them, too. */
export function refuseAgents(command: string): void {
  const agent = agentOfEnvironment(process.env)?.agent;
  if (agent === undefined) return;
  throw new Failure(
    "needs_confirmation",
    `${agent} is running this command and cannot consent for you`,
    {
      hint: `Run \`${command}\` in a terminal of your own. Nothing was changed.`,
    },
  );
}
