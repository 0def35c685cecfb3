/** Asks before the project is changed. Without a terminal nobody can answer: then nothing is changed. */
import { createInterface } from "node:readline/promises";
import { Failure } from "../../domain/failure.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import type { Output } from "./output.ts";
import { planLines } from "./rollback-report.ts";

export async function confirmPlan(
  output: Output,
  plan: RollbackPlan,
  expected: boolean,
  command: "rollback" | "undo" | "redo",
): Promise<boolean> {
  if (!process.stdin.isTTY || output.options.json) {
    const flags = plan.leaving.length > 0 ? "--yes --discard-commits" : "--yes";
    throw new Failure(
      "needs_confirmation",
      `${command} changes the project and nobody can be asked here: there is no terminal`,
      {
        hint: `Nothing was changed. Add ${flags} to go on without a question${command === "rollback" ? ", or --dry-run to see what would happen" : ""}.`,
      },
    );
  }
  for (const line of planLines(plan, output)) process.stderr.write(`${line}\n`);
  if (!expected) {
    output.warn(
      "the project was changed since that rollback; those changes go too (undo brings them back)",
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      // Readline takes Ctrl+C for itself, and an end of the input would leave the question open for ever.
      prompt.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
      prompt.on("close", () => resolve(""));
      prompt.question("Go on? (yes/no) ").then(resolve, reject);
    });
    return ["y", "yes"].includes(answer.trim().toLowerCase());
  } finally {
    prompt.close();
  }
}
