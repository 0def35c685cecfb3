/** `waymark observe` */
import { createInterface } from "node:readline";
import { parseObserver } from "../../../domain/workflow/observer-command.ts";
import type { Context } from "../command-spec.ts";
import { canAsk, askLine } from "../prompt.ts";
import { Observing } from "../observing.ts";

export async function run(context: Context): Promise<number> {
  const [line] = context.args as [string | undefined];
  const observing = new Observing(context);
  if (line !== undefined) return observing.carryOut(parseObserver(line));
  await observing.showWhere();
  return canAsk() ? converse(context, observing) : readLines(context, observing);
}

async function converse(context: Context, observing: Observing): Promise<number> {
  context.output.say("*help lists the commands, *exit leaves; the workflow goes on.");
  for (;;) {
    const line = await askLine("observe> ");
    if (line === undefined) return 0;
    const command = parseObserver(line);
    if (command.kind === "exit") return 0;
    await context.reopenProject();
    if (line.trim() === "") await observing.showWhere();
    else await observing.tryOut(command);
  }
}

/** A script that writes commands; the worst exit code is that of all. */
async function readLines(context: Context, observing: Observing): Promise<number> {
  let worst = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const command = parseObserver(line);
    if (command.kind === "exit") break;
    await context.reopenProject();
    worst = Math.max(worst, await observing.tryOut(command));
  }
  return worst;
}
