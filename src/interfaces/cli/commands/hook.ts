/** `waymark hook`; agents get there without the parser of the command line (`src/bin.ts`). */
import { hook } from "../../hooks/main.ts";
import type { Context } from "../command-spec.ts";

export async function run({ args, directory }: Context): Promise<never> {
  const [agent, event] = args.map((word) => (typeof word === "string" ? word : undefined));
  return hook({ agent: agent ?? "", event, directory });
}
