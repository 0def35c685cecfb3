// Random work of people and agents in one work tree: edits of every kind, and the git commands that go with them.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { IDENTITY, run } from "../faults/process.mjs";

/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {import("../proof/random.mjs").Random} Random */

/** Few names, so that edits meet; some of them are folders of others. */
const NAMES = [
  "src/f1.txt",
  "src/f2.txt",
  "src/f3.txt",
  "src/deep/er/x.txt",
  "src/deep",
  "docs/d1.txt",
  "docs/d2.txt",
  "docs/new.md",
  "src/win.crlf",
  "run.sh",
  "link",
  "swap",
  "swap/inside.txt",
  "sp ace.txt",
  "new\nline.txt",
  "bad\xff.txt",
  "-dash.txt",
  "ünï.txt",
  "drafts/a.txt",
  "drafts/b.txt",
  "drafts/c/d.txt",
  "notes.txt",
  `long-${"x".repeat(200)}.txt`,
];
const MODES = [0o644, 0o755, 0o600, 0o444];
const TARGETS = ["src/f1.txt", "nowhere", "../outside", "drafts"];

/** @param {Tree} tree @param {string} name @returns {Buffer} names are bytes: one of them is not UTF-8 */
function fullPath(tree, name) {
  const bytes = name === "bad\xff.txt" ? Buffer.from(name, "latin1") : Buffer.from(name);
  return Buffer.concat([Buffer.from(`${tree.subject.place.project}/`), bytes]);
}

/** @param {Random} random */
function content(random) {
  const size = random.weighted({ small: 8, empty: 1, lines: 4, large: 1 });
  if (size === "empty") return Buffer.alloc(0);
  if (size === "large") return Buffer.from(random.text(60_000), "latin1");
  const line = () => `${random.text(random.between(5, 60))}\n`;
  return Buffer.from(Array.from({ length: size === "small" ? 1 : 40 }, line).join(""));
}

/** Whatever is in the way goes, as an agent would do it. @param {Buffer} path @param {Tree} tree */
function makeWay(path, tree) {
  const root = tree.subject.place.project;
  for (
    let folder = dirname(path.toString("latin1"));
    folder.length > root.length;
    folder = dirname(folder)
  ) {
    const bytes = Buffer.from(folder, "latin1");
    const found = lstatSync(bytes, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) rmSync(bytes);
  }
  mkdirSync(Buffer.from(dirname(path.toString("latin1")), "latin1"), { recursive: true });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) rmSync(path, { recursive: true });
  else if (found?.isSymbolicLink()) rmSync(path);
  else if (found) chmodSync(path, 0o644);
}

/** @type {Readonly<Record<string, (tree: Tree, random: Random, path: Buffer) => void>>} */
const FILE_EDITS = {
  write: (tree, random, path) => {
    makeWay(path, tree);
    writeFileSync(path, content(random));
  },
  append: (_tree, random, path) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
    chmodSync(path, 0o644);
    writeFileSync(path, `${random.text(20)}\n`, { flag: "a" });
  },
  // The same size in the same moment: git does not see it by looking at the file's times.
  sameSize: (_, random, path) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
    chmodSync(path, 0o644);
    writeFileSync(path, random.text(readFileSync(path).length));
  },
  remove: (_, __, path) => rmSync(path, { recursive: true, force: true }),
  link: (tree, random, path) => {
    makeWay(path, tree);
    rmSync(path, { force: true });
    symlinkSync(random.pick(TARGETS), path);
  },
  mode: (_, random, path) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
      chmodSync(path, random.pick(MODES));
  },
  move: (tree, random, path) => {
    const to = fullPath(tree, random.pick(NAMES));
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true || to.equals(path)) return;
    if (to.toString("latin1").startsWith(`${path.toString("latin1")}/`)) return;
    makeWay(to, tree);
    if (lstatSync(path, { throwIfNoEntry: false })) renameSync(path, to);
  },
  folder: (tree, random) => {
    const path = fullPath(tree, `empty-${random.between(1, 3)}/${random.pick(["", "inner"])}`);
    mkdirSync(path, { recursive: true });
  },
  ignored: (tree, random) => {
    const name = random.pick(["app.log", "build/out.o", `build/${random.between(1, 5)}.o`]);
    writeFileSync(join(tree.subject.place.project, name), content(random));
  },
  secret: (tree, random) =>
    writeFileSync(
      join(tree.subject.place.project, "deploy.pem"),
      `-----BEGIN PRIVATE KEY-----\n${random.text(40)}\n`,
    ),
};

const WEIGHTS = {
  write: 10,
  append: 4,
  sameSize: 3,
  remove: 3,
  link: 1,
  mode: 2,
  move: 2,
  folder: 1,
  ignored: 2,
  secret: 1,
};

/** One edit of a file. @param {Tree} tree @param {Random} random */
export function editFile(tree, random) {
  const kind = random.weighted(WEIGHTS);
  try {
    FILE_EDITS[kind]?.(tree, random, fullPath(tree, random.pick(NAMES)));
  } catch (error) {
    // What a tool of an agent would run into as well: a folder in the place of the file, a parent that is a link to nowhere.
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (
      !["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "ENOTEMPTY", "EACCES"].includes(
        code ?? "",
      )
    )
      throw error;
  }
  return kind;
}

/** The files that checkpoints may hold: never the secret one, which `git add` would make an ordinary file. */
const ALL_BUT_SECRETS = "-- . ':!deploy.pem' ':!nested'";

/** @type {Readonly<Record<string, string>>} */
const GIT_EDITS = {
  add: `git add -A ${ALL_BUT_SECRETS}`,
  addOne: "git add -- src",
  intent: "git add -N -- drafts notes.txt",
  unstage: "git reset -q",
  forget: "git rm -q --cached -r -- docs",
  commit: `git add -A ${ALL_BUT_SECRETS}; git commit -qm work --allow-empty`,
  commitStaged: "git commit -qm staged",
  merge: "git merge -q other",
  mergeEnd: `git add -A ${ALL_BUT_SECRETS}; git commit -qm merged`,
  mergeAbort: "git merge --abort",
  pick: "git cherry-pick --keep-redundant-commits side",
  stash: "git stash push -q -- src docs",
  stashPop: "git stash pop -q",
  detach: "git checkout -q --detach",
  branch: "git checkout -q -B topic-$(($$ % 3))",
  back: "git checkout -q main",
  assume: "git update-index --assume-unchanged -- src/f3.txt",
  skip: "git update-index --skip-worktree -- docs/d2.txt",
  dropBranch: "git branch -q -D topic-1",
};

/** @param {Tree} tree @param {Random} random */
export async function editByGit(tree, random) {
  const kind = random.pick(Object.keys(GIT_EDITS));
  const { project, env } = tree.subject.place;
  // Most of these cannot be done at most times; git says so, and nothing happens.
  await run("sh", ["-c", GIT_EDITS[kind] ?? ""], { cwd: project, env: { ...env, ...IDENTITY } });
  return kind;
}

/** A burst of work. @param {Tree} tree @param {Random} random @param {number} [most] */
export async function work(tree, random, most = 6) {
  const times = random.between(1, most);
  for (let edit = 0; edit < times; edit++) {
    if (!tree.isPlain && random.chance(0.2)) await editByGit(tree, random);
    else editFile(tree, random);
  }
  return times;
}
