/** `waymark recover` */
import { recover } from "../../../operations/recover.ts";
import type { Context } from "../command-spec.ts";
import { recoveryDocument } from "../../../operations/documents/recovery-document.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  project.sweep();
  await project.sweepKept();
  const { takeOver } = context.options as { takeOver?: string };
  const result = await recover(project, takeOver === undefined ? {} : { takeOver });
  const document =
    result === undefined
      ? { outcome: null, rollback: null, kept: [], problems: [] }
      : recoveryDocument(result);
  for (const problem of document.problems) output.warn(problem);
  output.result("recovery", { recovered: result !== undefined, ...document }, [
    result === undefined
      ? "no interrupted rollback"
      : `the interrupted rollback${result.unfinished.targetId === "" ? "" : ` to ${result.unfinished.targetId}`} was ${result.outcome === "finished" ? "finished" : "reverted"}`,
    ...document.kept.map((one) => `  kept: ${one.path} (${one.kept_at})`),
  ]);
}
