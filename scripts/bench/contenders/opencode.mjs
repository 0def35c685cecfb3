// The snapshots of opencode, by the command that it has for looking at them. It has none that restores: that is done in a session only.
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** What it would ask the network for while it is timed. */
export const OPENCODE_ENVIRONMENT = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

/**
 * @param {import("./contender.mjs").Place} place @param {readonly [string, ...string[]]} command
 * @returns {import("./contender.mjs").Contender}
 */
export function opencode(place, [program, ...before]) {
  const { tools, repository } = place;
  const { folder } = repository;
  const store = join(tools.home, ".local/share/opencode/snapshot");
  /** One folder for the project, in it one for the work tree. @param {string} parent */
  const only = (parent) => join(parent, readdirSync(parent)[0] ?? "");
  return {
    ...place,
    name: "`opencode debug snapshot track`",
    peer: true,
    create: () =>
      tools.run(program, [...before, "--pure", "debug", "snapshot", "track"], { cwd: folder }),
    snapshot: (output) => {
      const id = output.trim();
      return { id, gitDir: only(only(store)), tracked: id, untracked: id };
    },
    startUp: {
      name: "`opencode --version` (its start alone)",
      peer: true,
      run: () => tools.run(program, [...before, "--version"], { cwd: folder }),
    },
    keepsIndex: false,
  };
}
