/** `waymark validate` */
import { validateCheckpoints } from "../../../operations/validate-checkpoints.ts";
import type { AddCommand } from "../run-command.ts";

const INVALID = 4;

export const addValidate: AddCommand = (program, run) => {
  program
    .command("validate [checkpoint...]")
    .description("check that every object of every checkpoint is there and whole")
    .addHelpText("after", "\nExamples:\n  waymark validate\n  waymark validate latest --json")
    .action((selectors: string[], _options: unknown, command) =>
      run(command, async (project, output) => {
        const { schemaProblems } = await import("../../../domain/checkpoint-schema.ts");
        const { results, valid, invalid } = await validateCheckpoints(
          project,
          selectors,
          schemaProblems,
        );
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
      }),
    );
};
