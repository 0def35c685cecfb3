import type { ArgumentSpec, CommandSpec } from "../command-spec.ts";

const CHECKPOINTS: ArgumentSpec = {
  name: "<checkpoint...>",
  text: "id, part of an id, step, latest, latest~2, phase:NAME, session:ID/4",
  completes: "checkpoint",
};

export const pinSpec: CommandSpec = {
  name: "pin",
  group: "Keeping and moving",
  summary: "keep checkpoints: no cleanup removes them and `delete` refuses them",
  description:
    "Also when they have expired: then `rollback` still needs --even-if-expired. With another reason, that becomes the reason.",
  arguments: [CHECKPOINTS],
  options: [{ flags: "-m, --reason <text>", text: "why, for the journal" }],
  examples: [
    { command: 'waymark pin latest -m "last good state"', text: "keep the last checkpoint" },
    { command: "waymark create --pin", text: "take one and keep it" },
  ],
  kinds: ["pin"],
  audits: "pin",
  toleratesBadConfig: true,
  load: () => import("./pin.ts"),
};

export const unpinSpec: CommandSpec = {
  name: "unpin",
  group: "Keeping and moving",
  summary: "let pinned checkpoints go again by the usual rules",
  arguments: [CHECKPOINTS],
  options: [{ flags: "-m, --reason <text>", text: "why, for the journal" }],
  examples: [{ command: "waymark unpin cp-04-implement", text: "no longer keep it" }],
  kinds: ["pin"],
  audits: "unpin",
  toleratesBadConfig: true,
  load: () => import("./unpin.ts"),
};
