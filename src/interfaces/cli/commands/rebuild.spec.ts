import type { CommandSpec } from "../command-spec.ts";

export const rebuildSpec: CommandSpec = {
  name: "rebuild",
  group: "Keeping and moving",
  summary: "repair a damaged checkpoint from whatever still has its pieces",
  description:
    "Looks for missing and damaged objects in the index, in the files of the project and, with --from, in another clone, an " +
    "export or a remote. Nothing is taken that does not have the right id. A document that is lost is written again from " +
    "the commit, and what nobody knows any more is named. Without --from nothing outside this repository is read.",
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
    { command: "waymark rebuild cp-04-implement", text: "with what is here" },
    {
      command: "waymark rebuild cp-04-implement --from ../other-clone",
      text: "with another clone",
    },
    { command: "waymark rebuild cp-04-implement --from backup.bundle", text: "with an export" },
  ],
  kinds: ["rebuild"],
  audits: "rebuild",
  toleratesBadConfig: true,
  load: () => import("./rebuild.ts"),
};
