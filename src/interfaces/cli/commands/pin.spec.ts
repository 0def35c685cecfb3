import type { ArgumentSpec, CommandSpec } from "../command-spec.ts";

const CHECKPOINTS: ArgumentSpec = {
  name: "<checkpoint...>",
  text: "id, part of an id, step, latest, latest~2, start, phase:NAME, session:ID/4",
  completes: "checkpoint",
};

export const pinSpec: CommandSpec = {
  name: "pin",
  group: "Storage and transfer",
  summary: "keep checkpoints: cleanup never removes them and `delete` refuses to",
  description:
    "Also applies to expired ones; `rollback` then still needs --even-if-expired. Pinning again with another reason replaces the " +
    "reason.",
  arguments: [CHECKPOINTS],
  options: [{ flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" }],
  examples: [
    { command: 'waymark pin latest -m "last good state"', text: "keep the last checkpoint" },
    { command: "waymark create --pin", text: "create one and keep it" },
  ],
  kinds: ["pin"],
  audits: "pin",
  toleratesBadConfig: true,
  load: () => import("./pin.ts"),
};

export const unpinSpec: CommandSpec = {
  name: "unpin",
  group: "Storage and transfer",
  summary: "let cleanup remove pinned checkpoints again",
  arguments: [CHECKPOINTS],
  options: [{ flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" }],
  examples: [{ command: "waymark unpin cp-04-implement", text: "no longer keep it" }],
  kinds: ["pin"],
  audits: "unpin",
  toleratesBadConfig: true,
  load: () => import("./unpin.ts"),
};
