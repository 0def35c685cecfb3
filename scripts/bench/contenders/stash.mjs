// git's own stash, in the two ways in which tools use it.

/** @typedef {import("./contender.mjs").Contender} Contender */
/** @typedef {import("./contender.mjs").Place} Place */

/** What is tracked, as an object that no ref keeps. @param {Place} place @returns {Contender} */
export function stashCreate(place) {
  const { tools, repository } = place;
  const { folder } = repository;
  return {
    ...place,
    name: "`git stash create` (no untracked files)",
    peer: true,
    create: () => tools.git(folder, "stash", "create"),
    snapshot: (output) => ({
      id: output.trim(),
      gitDir: `${folder}/.git`,
      tracked: output.trim(),
    }),
    keepsIndex: true,
  };
}

/**
 * Everything is put away and brought back, and a tag with the description is made. `--index`, because without it all that was staged is staged no more.
 * @param {Place} place @returns {Contender}
 */
export function stashPush(place) {
  const { tools, repository } = place;
  const { folder } = repository;
  let number = 0;
  return {
    ...place,
    name: "`git stash push -u`, `apply --index`, `tag -a`",
    peer: true,
    create: () => {
      tools.git(folder, "stash", "push", "-q", "-u", "-m", "checkpoint");
      tools.git(folder, "tag", "-a", `checkpoint-${number++}`, "-m", "{}", "stash@{0}");
      return tools.git(folder, "stash", "apply", "-q", "--index");
    },
    snapshot: () => {
      const id = tools.git(folder, "rev-parse", "stash@{0}").trim();
      return { id, gitDir: `${folder}/.git`, tracked: id, untracked: `${id}^3` };
    },
    restoreName: "`git stash apply --index`, after `reset --hard` and `clean -fd`",
    restore: (id) => {
      tools.git(folder, "reset", "-q", "--hard");
      tools.git(folder, "clean", "-fdq");
      return tools.git(folder, "stash", "apply", "-q", "--index", id);
    },
    keepsIndex: true,
  };
}
