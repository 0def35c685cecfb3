// Judges what a fault left behind: is anything lost, is the repository sound, are there locks or litter.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run, must } from "./process.mjs";
import { hasStore, isPlain, mustStore, runStore, storeDir } from "./store.mjs";

/** @typedef {import("./fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("./fingerprint.mjs").Place} Place */

/**
 * Every object that a ref, HEAD or an entry of the stash (which is a reflog) keeps alive, or a ref of the store. `git gc` may take anything else.
 * @param {Place} place @returns {Promise<Set<string>>}
 */
export async function reachableObjects(place) {
  const log = join(place.commonDir, "logs/refs/stash");
  const entries = existsSync(log) ? readFileSync(log, "latin1").split("\n") : [];
  const stashed = entries.map((line) => line.split(" ")[1] ?? "").filter((id) => id !== "");
  const options = { cwd: place.project, env: place.env };
  const { code } = await run("git", ["rev-parse", "-q", "--verify", "HEAD^{commit}"], options);
  const roots = ["--all", ...(code === 0 ? ["HEAD"] : []), ...stashed];
  // A repository that is damaged stops it; what it has found by then is what can be reached.
  const accept = [0, 128];
  const walk = ["rev-list", "--objects", "--in-commit-order"];
  const found = [await must("git", [...walk, ...roots], { ...options, accept })];
  if (hasStore(place)) found.push(await mustStore(place, [...walk, "--all"], { accept }));
  /** @type {Set<string>} */ const ids = new Set();
  for (const { stdout } of found)
    for (const line of stdout.toString("latin1").split("\n"))
      if (/^[0-9a-f]{40}/.test(line)) ids.add(line.slice(0, 40));
  return ids;
}

/**
 * Content of `before` that is neither where it was nor reachable. `kept` are ignored paths, `except` are paths that somebody
 * else was told to overwrite.
 * @param {Fingerprint} before @param {Fingerprint} now @param {Set<string>} reachable
 * @param {{ kept: (path: string) => boolean, except?: (path: string) => boolean }} rules
 * @returns {string[]}
 */
export function lostContent(before, now, reachable, { kept, except = () => false }) {
  /** @type {string[]} */ const lost = [];
  const staged = new Set([...now.index.values()].map((entry) => entry.split(" ")[1]));
  for (const [path, { kind, id }] of before.files) {
    if (kind === "folder" || except(path) || now.files.get(path)?.id === id) continue;
    if (!reachable.has(id))
      lost.push(`the bytes of ${kept(path) ? "the ignored file " : ""}${JSON.stringify(path)}`);
  }
  for (const [key, entry] of before.index) {
    const [mode, id = "", flags = "0"] = entry.split(" ");
    const [path = ""] = key.split("\0");
    // What is only intended to be added has no content yet, and so no object.
    const isEmpty = (parseInt(flags, 16) & INTENT_TO_ADD) !== 0;
    if (mode !== "160000" && !isEmpty && !staged.has(id) && !reachable.has(id))
      lost.push(`the staged bytes of ${JSON.stringify(path)}`);
  }
  for (const [name, id] of before.refs) if (!reachable.has(id)) lost.push(`the commits of ${name}`);
  const head = before.head.trim();
  if (/^[0-9a-f]{40}$/.test(head) && !reachable.has(head))
    lost.push("the commits of the detached HEAD");
  return lost;
}

/** @param {Place} place @returns {Promise<string[]>} what git itself finds wrong with the repository and the store */
export async function brokenRepository(place) {
  const fsck = ["fsck", "--full", "--no-dangling", "--no-progress"];
  const ofProject = await run("git", fsck, { cwd: place.project, env: place.env });
  return [
    ...complaintsOf("git fsck", ofProject),
    ...(hasStore(place) && !isPlain(place)
      ? complaintsOf("git fsck of the store", await runStore(place, fsck))
      : []),
  ];
}

/** @param {string} what @param {import("./process.mjs").Result} result @returns {string[]} */
function complaintsOf(what, { code, stdout, stderr }) {
  const said = `${stdout.toString()}${stderr}`.trim().split("\n").slice(0, 3).join("; ");
  return code === 0 ? [] : [`${what}: ${said}`];
}

/** Of an index entry, as `git ls-files --debug` shows it. */
export const INTENT_TO_ADD = 0x20000000;

/** Locks that stop the user's own git, as opposed to those on the program's own refs. */
const BLOCKING =
  /^(worktrees\/[^/]+\/)?(index|HEAD|ORIG_HEAD|MERGE_HEAD|config|packed-refs|shallow|refs\/(?!waymark\/).*)\.lock$/;

/** @param {string} path a lock's path below .git */
export const isBlocking = (path) => BLOCKING.test(path);

/** Unfinished work: git's temporary objects, packs held by .keep, and what is in the program's own quarantine and staging folders. */
const LITTER =
  /^(waymark\/store\/)?(packed-refs\.new$|objects\/(pack\/(tmp_|.*\.keep$)|[0-9a-f]{2}\/tmp_|incoming-|tmp_))|^(worktrees\/[^/]+\/)?waymark\/(?!store\/)(.*\/)?((quarantine|staging|tmp)\/.|[^/]*\.(tmp|partial|lock))/;

/**
 * Everything in the repository that an interrupted run may have left.
 * @param {Place} place @returns {{ locks: string[], litter: string[] }}
 */
export function leftovers(place) {
  /** @type {string[]} */ const locks = [];
  /** @type {string[]} */ const litter = [];
  /** @param {string} prefix */
  const visit = (prefix) => {
    for (const entry of readdirSync(join(place.commonDir, prefix), { withFileTypes: true })) {
      const path = prefix + entry.name;
      if (LITTER.test(path)) litter.push(path);
      else if (entry.isDirectory()) visit(`${path}/`);
      else if (path.endsWith(".lock")) locks.push(path);
    }
  };
  visit("");
  return { locks, litter };
}

/** @param {Place} place @returns {Promise<Map<string, string>>} the program's checkpoint refs */
export async function checkpointRefs(place) {
  if (!hasStore(place)) return new Map();
  const format = "--format=%(refname) %(objectname)";
  const { stdout } = await mustStore(place, ["for-each-ref", format, "refs/waymark/cp"]);
  const lines = stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return new Map(lines.map((line) => /** @type {[string, string]} */ (line.split(" "))));
}

/**
 * Where each checkpoint is, in the list and in the trash, by id.
 * @param {Place} place @returns {Promise<Map<string, { cp?: string, trash?: string }>>}
 */
export async function readStore(place) {
  return hasStore(place) ? readCheckpoints(storeDir(place), place.env) : new Map();
}

/**
 * The same of any repository that has the refs.
 * @param {string} gitDir @param {Record<string, string>} env @returns {Promise<Map<string, { cp?: string, trash?: string }>>}
 */
export async function readCheckpoints(gitDir, env) {
  const args = [
    `--git-dir=${gitDir}`,
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/waymark/cp",
    "refs/waymark/trash",
  ];
  const { stdout } = await must("git", args, { env });
  /** @type {Map<string, { cp?: string, trash?: string }>} */ const store = new Map();
  for (const [, where, id = "", oid] of stdout
    .toString()
    .matchAll(/^refs\/waymark\/(cp|trash)\/(\S+) (\S+)$/gm))
    store.set(id, { ...store.get(id), [where === "cp" ? "cp" : "trash"]: oid });
  return store;
}

/**
 * The local halves of checkpoints, by checkpoint id.
 * @param {Place} place @returns {Promise<Map<string, string>>}
 */
export async function localHalves(place) {
  const { stdout } = await must(
    "git",
    ["for-each-ref", "--format=%(refname:lstrip=3) %(objectname)", "refs/waymark/local"],
    { cwd: place.project, env: place.env },
  );
  const lines = stdout.toString().split("\n").filter(Boolean);
  return new Map(lines.map((line) => /** @type {[string, string]} */ (line.split(" "))));
}

/**
 * Whether a checkpoint holds the work tree, by plain git and without the program's own opinion. Per path any of the given
 * states will do: while somebody saves a file, its old and its new bytes are both right.
 * @param {Place} place @param {string} ref @param {readonly Fingerprint[]} states @param {(path: string) => boolean} kept
 * @returns {Promise<string[]>}
 */
export async function missingFromCheckpoint(place, ref, states, kept) {
  const list = ["ls-tree", "-r", "-z", `${ref}:worktree`];
  const { code, stdout, stderr } = await runStore(place, list);
  if (code !== 0) return [`${ref} has no work tree: ${stderr.trim()}`];
  /** @type {Map<string, string>} */ const held = new Map();
  for (const line of stdout.toString("latin1").split("\0")) {
    const match = /^(\d{6}) blob ([0-9a-f]+)\t(.*)$/s.exec(line);
    if (match) held.set(match[3] ?? "", `${match[1]} ${match[2]}`);
  }
  /** @type {string[]} */ const wrong = [];
  const paths = new Set(states.flatMap((state) => [...state.files.keys()]));
  for (const path of paths) {
    if (kept(path)) continue;
    const allowed = states.map((state) => gitEntry(state.files.get(path)));
    if (!allowed.includes(held.get(path)))
      wrong.push(
        `${ref} holds ${held.get(path) ?? "nothing"} at ${JSON.stringify(path)}, not ${allowed.join(" or ")}`,
      );
  }
  for (const path of held.keys())
    if (!paths.has(path)) wrong.push(`${ref} holds ${JSON.stringify(path)}, which was never there`);
  return wrong;
}

/** @param {import("./fingerprint.mjs").Entry | undefined} entry */
function gitEntry(entry) {
  if (!entry || entry.kind === "folder") return undefined;
  return entry.kind === "link"
    ? `120000 ${entry.id}`
    : `${entry.mode & 0o100 ? "100755" : "100644"} ${entry.id}`;
}

/**
 * Where else in the project, the program's folders included, a file with exactly these bytes is, or `inside`: one that has them
 * somewhere.
 * @param {Place} place @param {Buffer} bytes @param {{ inside?: boolean }} [how] @returns {string[]} absolute paths
 */
export function filesHolding(place, bytes, { inside = false } = {}) {
  /** @type {string[]} */ const found = [];
  const holds = (/** @type {Buffer} */ content) =>
    inside ? content.includes(bytes) : content.equals(bytes);
  /** @param {Buffer} folder */
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && holds(readFileSync(path))) found.push(path.toString("latin1"));
    }
  };
  visit(Buffer.from(place.project));
  if (!place.gitDir.startsWith(`${place.project}/`)) visit(Buffer.from(place.commonDir));
  return found;
}
