/** `waymark validate` */
import { validateCheckpoints } from "../../../operations/validate-checkpoints.ts";
import type { Context } from "../command-spec.ts";

const INVALID = 4;

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const [selectors] = context.args as [string[]];
  const project = await context.openProject();
  const { schemaProblems } = await import("../../../domain/checkpoint-schema.ts");
  const { results, valid, invalid } = await validateCheckpoints(project, selectors, schemaProblems);
  const mark = (good: boolean): string =>
    good ? output.paint("green", "ok ") : output.paint("red", "BAD");
  const lines = results.flatMap((result) => [
    `${mark(result.overall)} ${result.id}  file ${mark(result.file)}  hash ${mark(result.hash)}  git ${mark(result.git)}  state ${mark(result.state)}`,
    ...result.problems.slice(0, 5).map((problem) => `      ${problem}`),
  ]);
  output.result("validation", { checkpoints: results, valid, invalid }, [
    ...lines,
    `${valid} valid, ${invalid} invalid`,
  ]);
  return invalid === 0 ? 0 : INVALID;
}
