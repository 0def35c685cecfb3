import type { CommandSpec, OptionSpec } from "../command-spec.ts";

const OPTIONS: readonly OptionSpec[] = [
  { flags: "-y, --yes", text: "do not ask" },
  { flags: "-n, --dry-run", text: "show what would happen and change nothing" },
  { flags: "--discard-commits", text: "move the branch back even if that drops commits from it" },
  { flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" },
];

export const undoSpec: CommandSpec = {
  name: "undo",
  group: "Restore",
  summary: "undo the last rollback",
  options: OPTIONS,
  examples: [{ command: "waymark undo", text: "as if the rollback had never happened" }],
  toleratesBadConfig: true,
  kinds: ["rollback", "rollback_plan"],
  audits: "undo",
  whenInterrupted: "Nothing was undone.",
  load: () => import("./undo.ts"),
};

export const redoSpec: CommandSpec = {
  name: "redo",
  group: "Restore",
  summary: "redo the last undone rollback",
  options: OPTIONS,
  examples: [{ command: "waymark redo", text: "roll back again after all" }],
  toleratesBadConfig: true,
  kinds: ["rollback", "rollback_plan"],
  audits: "redo",
  whenInterrupted: "Nothing was redone.",
  load: () => import("./redo.ts"),
};
