// A second repository over the same work tree, with git's own commands: what Roo Code and earlier versions of Cline do, and Gemini CLI at its heart.
import { join } from "node:path";

/** @param {import("./contender.mjs").Place} place @returns {import("./contender.mjs").Contender} */
export function shadow(place) {
  const { tools, repository } = place;
  const { folder } = repository;
  const gitDir = join(tools.home, "shadow.git");
  /** @param {string[]} args */
  const git = (...args) =>
    tools.git(folder, `--git-dir=${gitDir}`, `--work-tree=${folder}`, "-c", "gc.auto=0", ...args);
  return {
    ...place,
    name: "shadow repository: `git add -A`, `git commit`",
    peer: true,
    start: () => tools.git(folder, "init", "-q", "--bare", gitDir),
    create: () => {
      git("add", "-A");
      return git("commit", "-q", "--allow-empty", "-m", "checkpoint");
    },
    snapshot: () => {
      const id = git("rev-parse", "HEAD").trim();
      return { id, gitDir, tracked: id, untracked: id };
    },
    restoreName: "shadow repository: `git clean -fd`, `git reset --hard`",
    restore: (id) => {
      git("clean", "-fdfq");
      return git("reset", "-q", "--hard", id);
    },
    keepsIndex: false,
  };
}
