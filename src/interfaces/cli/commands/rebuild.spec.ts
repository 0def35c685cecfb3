import type { CommandSpec } from "../command-spec.ts";

export const rebuildSpec: CommandSpec = {
  name: "rebuild",
  group: "Storage and transfer",
  summary: "repair a damaged checkpoint from other copies of its objects",
  description:
    "Looks for missing and damaged objects in the index, in the files of the project and, with --from, in another clone, an export or a " +
    "remote. Only objects with the right id are used. A lost document is reconstructed from the commit, and fields that cannot be " +
    "recovered are listed. Without --from, nothing outside this repository is read.",
  arguments: [
    { name: "<checkpoint>", text: "id, part of an id, step, latest …", completes: "checkpoint" },
  ],
  options: [
    {
      flags: "--from <place>",
      text: "another clone, a file of `waymark export`, or a remote of this repository",
      completes: "file",
    },
  ],
  examples: [
    { command: "waymark rebuild cp-04-implement", text: "from this repository" },
    {
      command: "waymark rebuild cp-04-implement --from ../other-clone",
      text: "from another clone",
    },
    { command: "waymark rebuild cp-04-implement --from backup.bundle", text: "from an export" },
  ],
  kinds: ["rebuild"],
  whenInterrupted: "`waymark validate` shows whether the checkpoint is intact.",
  audits: "rebuild",
  toleratesBadConfig: true,
  load: () => import("./rebuild.ts"),
};
