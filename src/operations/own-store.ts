/** Makes the store independent of the project's objects. */
import type { Ownership } from "../ports/storage.ts";
import { audited } from "./audited.ts";
import type { Project } from "./project.ts";

export function ownStore(project: Project): Promise<Ownership> {
  return audited(
    project,
    {
      operation: "store_own",
      outcome: ({ isNew, objects, bytes }) =>
        isNew ? { checkpointIds: [], details: { objects, bytes } } : undefined,
    },
    async () => (await project.storage()).own(project.progress),
  );
}
