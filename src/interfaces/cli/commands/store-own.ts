/** `waymark store own` */
import { ownStore } from "../../../operations/own-store.ts";
import type { Context } from "../command-spec.ts";
import { counted, humanBytes } from "../units.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  project.sweep();
  const { isNew, objects, bytes, released, damaged } = await ownStore(project);
  for (const ref of damaged) output.warn(`${ref} is damaged; what is left of it was copied`);
  output.result(
    "store_own",
    { changed: isNew, copied_objects: objects, copied_bytes: bytes, released, damaged },
    [
      isNew
        ? `copied ${counted(objects, "object")} (${humanBytes(bytes)}); the store borrows nothing`
        : "the store borrows nothing; nothing to copy",
    ],
  );
}
