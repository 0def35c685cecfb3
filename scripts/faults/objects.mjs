// Every object of a repository and its store, read by plain git and hashed again: which are whole, and what of a checkpoint is.
import { createHash } from "node:crypto";
import { must, run } from "./process.mjs";
import { hasStore, isPlain, storeDir } from "./store.mjs";

/** @typedef {import("./fingerprint.mjs").Place} Place */
/** @typedef {{ type: string, body: Buffer }} ReadObject */

/**
 * @typedef {object} Objects
 * @property {ReadonlyMap<string, ReadObject>} read those that are whole
 * @property {(commit: string) => string[]} missing what a commit and its tree lack
 * @property {(commit: string) => Set<string>} closure the commit and everything in its tree, as far as it can be read
 * @property {(commit: string) => string[]} parents
 */

/** @param {Place} place @returns {Promise<Objects>} */
export async function readObjects(place) {
  /** @type {Map<string, ReadObject>} */ const read = new Map();
  await readAll([], place, read);
  // Whole is what either of them has whole.
  if (hasStore(place) && !isPlain(place))
    await readAll([`--git-dir=${storeDir(place)}`], place, read);
  return { read, ...lookInto(read) };
}

/** @param {readonly string[]} from options of git @param {Place} place @param {Map<string, ReadObject>} read */
async function readAll(from, { project, env }, read) {
  const options = { cwd: project, env };
  const list = [...from, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
  const ids = (await must("git", list, options)).stdout.toString().split("\n").filter(Boolean);
  // Git ends at the first object that it cannot read.
  for (let rest = ids.filter((id) => !read.has(id)); rest.length > 0;) {
    const input = rest.map((id) => `${id}\n`).join("");
    const { stdout } = await run("git", [...from, "cat-file", "--batch"], { ...options, input });
    const answered = readAnswers(stdout, read);
    rest = rest.slice(answered < rest.length ? answered + 1 : answered);
  }
}

/** @param {Buffer} answers of `git cat-file --batch` @param {Map<string, ReadObject>} read @returns {number} how many are whole answers */
function readAnswers(answers, read) {
  let count = 0;
  for (let at = 0; at < answers.length; count++) {
    const end = answers.indexOf("\n", at);
    if (end < 0) break;
    const [id = "", type = "", size] = answers.subarray(at, end).toString("latin1").split(" ");
    at = end + 1;
    if (size === undefined) continue; // "missing"
    const body = answers.subarray(at, at + Number(size));
    if (body.length < Number(size)) break;
    at += Number(size) + 1;
    const found = createHash("sha1").update(`${type} ${size}\0`).update(body).digest("hex");
    if (found === id) read.set(id, { type, body });
  }
  return count;
}

/** @param {ReadonlyMap<string, ReadObject>} read */
function lookInto(read) {
  /** @param {string} id @param {Set<string>} seen @param {(id: string) => void} absent */
  const visit = (id, seen, absent) => {
    if (seen.has(id)) return;
    seen.add(id);
    const object = read.get(id);
    if (!object) absent(id);
    else if (object.type === "commit") visit(object.body.toString("latin1", 5, 45), seen, absent);
    else if (object.type === "tree")
      for (const entry of treeEntries(object.body))
        if (entry.mode !== "160000") visit(entry.id, seen, absent);
  };
  return {
    missing: (/** @type {string} */ commit) => {
      /** @type {string[]} */ const absent = [];
      visit(commit, new Set(), (id) => absent.push(id));
      return absent;
    },
    closure: (/** @type {string} */ commit) => {
      /** @type {Set<string>} */ const seen = new Set();
      visit(commit, seen, () => {});
      return seen;
    },
    parents: (/** @type {string} */ commit) => {
      const text = read.get(commit)?.body.toString("latin1") ?? "";
      const [head = ""] = text.split("\n\n", 1);
      return [...head.matchAll(/^parent (\w+)$/gm)].map(([, id = ""]) => id);
    },
  };
}

/** @param {Buffer} tree @returns {{ mode: string, name: string, id: string }[]} */
export function treeEntries(tree) {
  const entries = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(" ", at);
    const end = tree.indexOf(0, space);
    entries.push({
      mode: tree.toString("latin1", at, space),
      name: tree.toString("latin1", space + 1, end),
      id: tree.toString("hex", end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}
