import { expect, it } from "vitest";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { checkedDocument } from "./find-checkpoint.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

it("says of a checkpoint that was deleted after it was chosen that it is gone, not that it is damaged", async () => {
  const id = "cp-00-manual-20261116-161342-e926";
  const chosen = { kind: "ok", id } as StoredCheckpoint;
  const checkpoints = {
    read: () => Promise.resolve(undefined),
    listTrash: () => Promise.resolve([chosen]),
  };
  const project = { checkpoints } as unknown as Project;
  await expect(checkedDocument(project, {} as SessionView, chosen)).rejects.toMatchObject({
    code: "checkpoint_not_found",
    hint: expect.stringContaining(`waymark delete --undo ${id}`),
  });
});
