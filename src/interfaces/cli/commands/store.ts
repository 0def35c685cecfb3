/** `waymark store` */
import type { Context } from "../command-spec.ts";
import { printable } from "../printable.ts";
import { counted, humanBytes } from "../units.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  const { borrowed, ...facts } = await (await project.storage()).describe();
  const { path, bytes, packs, checkpoints, deleted, sessions, borrows } = facts;
  output.result("store", { ...facts, borrowed }, [
    printable(path),
    `  ${counted(checkpoints, "checkpoint")} (${deleted} deleted ones can be restored), ${counted(sessions, "session")}`,
    `  ${humanBytes(bytes)} in ${counted(packs, "pack")}`,
    borrows
      ? `  borrows ${counted(borrowed.length, "commit")} of the repository with their history`
      : "  owns all of its objects",
    ...borrowed.map(({ ref, commit }) => `    ${commit.slice(0, 10)}  ${ref}`),
  ]);
}
