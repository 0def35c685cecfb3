/** `waymark recover` */
import { showPath } from "../../../domain/byte-path.ts";
import { recover } from "../../../operations/recover.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  project.sweep();
  const result = await recover(project);
  const kept = (result?.foreign ?? []).map((save) => ({
    path: showPath(save.path),
    kept_at: save.keptAt,
  }));
  output.result(
    "recovery",
    {
      recovered: result !== undefined,
      outcome: result?.outcome ?? null,
      rollback: result?.unfinished ?? null,
      kept,
    },
    [
      result === undefined
        ? "no interrupted rollback"
        : `the interrupted rollback to ${result.unfinished.targetId} was ${result.outcome === "finished" ? "finished" : "taken back"}`,
      ...kept.map((one) => `  kept: ${one.path} (${one.kept_at})`),
    ],
  );
}
