// CCheckpoint, a checkpoint tool for Claude Code from npm: a copy of the project in a repository that isomorphic-git writes.
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {import("./contender.mjs").Place} place @param {string} script
 * @returns {import("./contender.mjs").Contender}
 */
export function ccheckpoint(place, script) {
  const { tools, repository } = place;
  const { folder } = repository;
  const projects = join(tools.home, ".ccheckpoint/projects");
  return {
    ...place,
    name: "`ccheckpoint create`",
    peer: true,
    create: () => tools.node(folder, script, "create", "checkpoint"),
    snapshot: (output) => {
      const gitDir = join(projects, readdirSync(projects)[0] ?? "", ".git");
      const id = /created: ([0-9a-f]+)/.exec(output)?.[1] ?? "";
      return { id, gitDir, tracked: "HEAD:snapshots", untracked: "HEAD:snapshots" };
    },
    restoreName: "`ccheckpoint restore --force`",
    restore: (id) => tools.node(folder, script, "restore", id, "--force"),
    undo: () => void tools.node(folder, script, "restore", "--cancel", "--force"),
    keepsIndex: false,
  };
}
