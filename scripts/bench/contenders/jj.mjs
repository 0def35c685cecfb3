// Jujutsu, which takes a snapshot of the work tree with every command, beside git in the same folder.
/**
 * @param {import("./contender.mjs").Place} place @param {readonly [string, ...string[]]} command
 * @returns {import("./contender.mjs").Contender}
 */
export function jujutsu(place, [program, ...before]) {
  const { tools, repository } = place;
  const { folder } = repository;
  /** @param {string[]} args */
  const jj = (...args) => tools.run(program, [...before, "--quiet", ...args], { cwd: folder });
  /** @param {string[]} args */
  const look = (...args) => jj(...args, "--ignore-working-copy", "--no-graph").trim();
  return {
    ...place,
    name: "`jj util snapshot`",
    peer: true,
    start: () => jj("git", "init", "--git-repo", "."),
    create: () => jj("util", "snapshot"),
    snapshot: () => {
      const tree = look("log", "-r", "@", "--template=commit_id");
      const id = look("op", "log", "-n", "1", "--template=id");
      return { id, gitDir: `${folder}/.git`, tracked: tree, untracked: tree };
    },
    restoreName: "`jj op restore`",
    restore: (id) => jj("op", "restore", id),
    // `jj undo` would take back the snapshot that it takes itself first, where there is something new to take.
    undo: () => {
      const log = look("op", "log", `--template=id ++ " " ++ description.first_line() ++ "\\n"`);
      const lines = log.split("\n");
      const before = lines.findIndex((line) => line.includes("restore to operation")) + 1;
      jj("op", "restore", lines[before]?.split(" ")[0] ?? "");
    },
    keepsIndex: false,
  };
}
