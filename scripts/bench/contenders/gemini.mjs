// The checkpoints of Gemini CLI: the class itself, from @google/gemini-cli-core.
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTimed } from "./contender.mjs";

const CALL = fileURLToPath(new URL("gemini-call.mjs", import.meta.url));

/**
 * @param {import("./contender.mjs").Place} place @param {string} core the folder of the package
 * @returns {import("./contender.mjs").Contender}
 */
export function gemini(place, core) {
  const { tools, repository } = place;
  const { folder } = repository;
  const gitDir = join(tools.home, ".gemini/history", basename(folder), ".git");
  /** @param {string[]} args */
  const call = (...args) => tools.node(folder, CALL, core, ...args);
  return {
    ...place,
    name: "Gemini CLI `GitService`, in a running process",
    peer: true,
    create: () => call("create"),
    snapshot: (output) => {
      const { id } = readTimed(output);
      return { id, gitDir, tracked: id, untracked: id };
    },
    restore: (id) => call("restore", id),
    timed: readTimed,
    keepsIndex: false,
  };
}
