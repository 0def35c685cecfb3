/** Cases of the commands for checking and repairing. */
import { deleteObject } from "../../support/damage.ts";
import { checkpointAndChange, damaged, repairable, withoutDocument } from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const REPAIR_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  validate: [
    {
      title: "all whole",
      prepare: checkpointAndChange,
      args: ["validate"],
      prints: { kind: "validation" },
    },
    {
      title: "damage",
      prepare: damaged,
      args: ["validate"],
      prints: { kind: "validation", exit: 4 },
    },
    {
      title: "no such checkpoint",
      args: ["validate", "nothing"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  rebuild: [
    {
      title: "nothing was wrong",
      prepare: checkpointAndChange,
      args: ["rebuild", "latest"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a missing file that the project still has",
      prepare: repairable,
      args: ["rebuild", "latest"],
      prints: { kind: "rebuild" },
    },
    {
      title: "with an export",
      prepare: async (project) => {
        const id = await project.create();
        await project.ok("export", "-o", "../all.bundle");
        const ref = `refs/waymark/cp/${id}:worktree/untracked.txt`;
        await deleteObject(project.repo, (await project.repo.store("rev-parse", ref)).trim());
        await project.repo.remove("untracked.txt");
      },
      args: ["rebuild", "latest", "--from", "../all.bundle"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a lost document",
      prepare: withoutDocument,
      args: ["rebuild", "cp-00-manual"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a file that nobody has",
      prepare: damaged,
      args: ["rebuild", "latest"],
      prints: { error: "rebuild_failed" },
    },
    {
      title: "no such checkpoint",
      args: ["rebuild", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "no such place",
      prepare: damaged,
      args: ["rebuild", "latest", "--from", "../nowhere"],
      prints: { error: "usage" },
    },
  ],
};
