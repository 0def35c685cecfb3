/** `waymark completion` */
import { Failure } from "../../../domain/failure.ts";
import type { Context } from "../command-spec.ts";
import { readPackageFile } from "../package-files.ts";
import { SHELLS } from "./completion.spec.ts";

export async function run({ args }: Context): Promise<void> {
  const [name] = args as [string];
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) {
    throw new Failure("usage", `there is no completion script for "${name}"`, {
      hint: `Supported shells: ${SHELLS.join(", ")}.`,
    });
  }
  process.stdout.write(readPackageFile("completions", `waymark.${shell}`));
}
