// Steps that several scenarios measure.

/** @typedef {import("../site.mjs").Site} Site */
/** @typedef {import("../site.mjs").Step} Step */

/** The id of the checkpoint that `create` makes now. @param {Site} site */
export const createdId = ({ tools, project }) =>
  JSON.parse(tools.waymark(project, "create", "--force", "--json")).checkpoint.id;

/** @param {Site} site @param {string} first what the first `create` is called @param {() => void} edit @param {{ id: string }} made the newest checkpoint @returns {Step[]} */
export function changingSteps(site, first, edit, made) {
  return [
    { name: first, prepare: edit, args: ["create"], once: true },
    { name: "`create`, one file changed", prepare: edit, args: ["create"], flat: true },
    {
      name: "`rollback`",
      prepare: () => {
        made.id = createdId(site);
        edit();
      },
      args: () => ["rollback", made.id, "--yes"],
    },
  ];
}

/** Looking, and what is done in the background of work. @param {Site} site @param {() => string} id @returns {Step[]} */
export function lookingSteps(site, id) {
  return [
    {
      name: "`create`, nothing changed",
      prepare: () => site.tools.waymark(site.project, "create"),
      args: ["create"],
      check: ({ stdout }) => stdout.startsWith("unchanged "),
    },
    {
      name: "`hook`, nothing changed",
      args: ["hook", "claude"],
      input: () => payload(site, "Write"),
      check: ({ stdout }) => stdout === "",
    },
    {
      name: "`hook`, a tool that only reads",
      args: ["hook", "claude"],
      input: () => payload(site, "Read"),
      check: ({ stdout }) => stdout === "",
      flat: true,
    },
    { name: "`list`", args: ["list"] },
    { name: "`list --limit 20`", args: ["list", "--limit", "20"] },
    { name: "`show`", args: () => ["show", id()], check: ({ stdout }) => stdout.includes(id()) },
    { name: "`diff --stat`", args: () => ["diff", id(), "--stat"] },
    {
      name: "`validate` of one",
      args: () => ["validate", id()],
      check: ({ stdout }) => stdout.includes("1 valid, 0 invalid") || stdout,
    },
    { name: "`cleanup --dry-run`", args: ["cleanup", "--dry-run"] },
    { name: "`log --limit 20`", args: ["log", "--limit", "20"] },
    { name: "`session list`", args: ["session", "list"] },
    { name: "`doctor`", args: ["doctor"] },
  ];
}

let calls = 0;

/** What Claude Code sends before a tool. @param {Site} site @param {string} tool @param {string} [file] */
export function payload({ project }, tool, file = "CHANGES") {
  return JSON.stringify({
    session_id: "scale",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: { file_path: `${project}/${file}`, content: "x\n" },
    tool_use_id: `call-${calls++}`,
  });
}
