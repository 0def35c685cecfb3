// The projects of a soak run: a git repository with a linked work tree, a plain folder, a larger repository.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cleanEnvironment, IDENTITY, must } from "../faults/process.mjs";

/**
 * One work tree that agents work in.
 * @typedef {object} Tree
 * @property {string} name
 * @property {string} worktreeId as documents call it
 * @property {boolean} isPlain
 * @property {import("../faults/waymark.mjs").Subject} subject
 * @property {import("../faults/fingerprint.mjs").Place} seen the same place for the oracle's own git
 */

/**
 * @typedef {object} Repository
 * @property {string} name
 * @property {string} folder with everything that belongs to it
 * @property {Tree[]} trees
 */

/**
 * Few are kept and only for a short time, so that an hour shows what a year does. Deleted ones can be brought back for two minutes. They are the user's
 * own: a project's would need consent.
 */
const SETTINGS = `retention:
  manual: 12
  auto: 4
  tool_use: 12
  pre_rollback: 6
  pre_phase: 4
  post_phase: 4
  session_end: 2
  max_age: 10m
  failed_max_age: 5m
  grace: 2m
  auto_cleanup: false
`;

/** Never held by a checkpoint of the soak, and never touched by a rollback. @param {string} path */
export const isKept = (path) => /\.log$|^(build|nested)(\/|$)|^deploy\.pem$/.test(path);

const BASE = `
mkdir -p src docs build
printf '*.log\\nbuild/\\n' > .gitignore
printf '*.crlf text eol=crlf\\n' > .gitattributes
mkdir -p "$HOME/.config/waymark"
printf '${SETTINGS.replaceAll("\n", "\\n")}' > "$HOME/.config/waymark/config.yml"
for n in 1 2 3 4 5 6; do echo "file $n" > src/f$n.txt; echo "doc $n" > docs/d$n.txt; done
printf 'dos\\r\\nlines\\r\\n' > src/win.crlf
ln -s src/f1.txt link
echo '#!/bin/sh' > run.sh; chmod +x run.sh
`;

/**
 * @param {string} folder @param {"linked" | "plain" | "big"} kind @param {string} bin
 * @param {number} [links] how many linked work trees `linked` has
 * @returns {Promise<Repository>}
 */
export async function makeRepository(folder, kind, bin, links = 1) {
  const home = join(folder, "home");
  const project = join(folder, "repo");
  mkdirSync(home, { recursive: true });
  mkdirSync(project);
  const env = {
    ...cleanEnvironment(home),
    GIT_CEILING_DIRECTORIES: folder,
    WAYMARK_NO_AUTO_CLEANUP: "1",
    // A machine that is busy with other things must not look like a hook that hangs.
    WAYMARK_AGENTS_DEADLINE: "2m",
  };
  const sh = (/** @type {string} */ text) =>
    must("sh", ["-eu", "-c", text], { cwd: project, env: { ...env, ...IDENTITY } });
  await sh(BASE);
  writeFileSync(join(project, "deploy.pem"), `-----BEGIN PRIVATE KEY-----\n${kind}\n`);
  if (kind === "plain") {
    await must(process.execPath, [bin, "-C", project, "create", "--json"], { cwd: project, env });
    return { name: kind, folder, trees: [plainTree(project, env, bin)] };
  }
  if (kind === "big") await sh(manyFiles(200));
  await sh(`git init -q -b main --template= . && git config gc.auto 0
    git add -- . ':!deploy.pem' && git commit -qm base
    git checkout -q -b other && echo theirs > src/f1.txt && rm docs/d3.txt && git commit -qam theirs
    git checkout -q -b side main && echo picked > docs/d1.txt && git commit -qam picked
    git checkout -q main
    git init -q -b main nested && echo inner > nested/inner.txt`);
  const linked =
    kind === "linked" ? Array.from({ length: links }, (_, at) => `linked${at || ""}`) : [];
  for (const name of linked) await sh(`git worktree add -q ../${name} -b work-${name}`);
  const names = ["repo", ...linked];
  const trees = await Promise.all(names.map((name) => gitTree(join(folder, name), env, bin)));
  return { name: kind, folder, trees };
}

/** @param {number} folders of ten files each */
const manyFiles = (folders) =>
  `i=0; while [ $i -lt ${folders} ]; do mkdir -p many/$i; for n in 0 1 2 3 4 5 6 7 8 9; do echo "$i $n" > many/$i/$n.txt; done; i=$((i+1)); done`;

/** @param {string} project @param {Record<string, string>} env @param {string} bin @returns {Tree} */
function plainTree(project, env, bin) {
  const gitDir = join(project, ".checkpoints/repo.git");
  const place = { project, gitDir, commonDir: gitDir, env };
  return {
    name: "plain",
    worktreeId: "main",
    isPlain: true,
    subject: { bin, place },
    seen: { ...place, env: { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: project } },
  };
}

/** @param {string} project @param {Record<string, string>} env @param {string} bin @returns {Promise<Tree>} */
async function gitTree(project, env, bin) {
  const asked = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
  const { stdout } = await must("git", asked, { cwd: project, env });
  const [gitDir = "", commonDir = ""] = stdout.toString().split("\n");
  const place = { project, gitDir, commonDir, env };
  const name = gitDir === commonDir ? "main" : basename(project);
  return {
    name,
    // There from the first checkpoint on.
    get worktreeId() {
      const kept = join(gitDir, "waymark/work-tree-id");
      return existsSync(kept) ? readFileSync(kept, "utf8").trim() : name;
    },
    isPlain: false,
    subject: { bin, place },
    seen: { ...place, env: { ...env, GIT_OPTIONAL_LOCKS: "0" } },
  };
}
