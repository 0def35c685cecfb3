// Everything of the user's in a project, as values that can be compared: the oracle's eyes. It knows nothing of the
// program under test but the names of its own folders, which it leaves out.
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { must } from "./process.mjs";
import { isPlain } from "./store.mjs";

/**
 * Paths are latin1 strings, one character per byte, because names need not be UTF-8.
 * @typedef {object} Fingerprint
 * @property {Map<string, Entry>} files every file, link and empty folder
 * @property {Map<string, string>} stats inode, mode, size and times per path, for "was not touched at all"
 * @property {Map<string, string>} index path and stage to mode, object id and flags
 * @property {string} indexDigest of the index file's bytes
 * @property {string} head the HEAD file; a link to a branch (core.preferSymlinkRefs) says the same as a file
 * @property {Map<string, string>} refs name to object id, without those that the program may make
 * @property {Map<string, string>} operation files of a merge, rebase … in progress
 * @property {string} stash the stash's reflog
 * @property {string} exclude .git/info/exclude
 * @property {Map<string, string>} gitFiles digests of all other files of the repository but its objects (config, reflogs, hooks …)
 * @property {Map<string, string>} objects the files of its objects and packs by name, which says what is in them
 */

/** @typedef {{ kind: "file" | "link" | "folder" | "special", mode: number, id: string }} Entry `id` is a git blob id, "" for a folder or a pipe, socket … */

/** @typedef {{ project: string, gitDir: string, commonDir: string, env: Record<string, string> }} Place */

const OPERATION_FILES = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "AUTO_MERGE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "BISECT_LOG",
  "BISECT_START",
];
const OPERATION_FOLDERS = ["rebase-merge", "rebase-apply", "sequencer"];

/** Whether a fingerprint looks at a file of the git folder as a part of an operation. @param {string} path */
export const isOperationFile = (path) =>
  OPERATION_FILES.includes(path) || OPERATION_FOLDERS.includes(path.split("/")[0] ?? "");

/** @param {Place} place @returns {Promise<Fingerprint>} */
export async function takeFingerprint(place) {
  const [index, refs] = await Promise.all([readIndex(place), readRefs(place)]);
  /** @type {Map<string, Entry>} */ const files = new Map();
  /** @type {Map<string, string>} */ const stats = new Map();
  const own = new Set([".git", ...(isPlain(place) ? [".checkpoints"] : [])]);
  walk(Buffer.from(place.project), "", { own, files, stats });
  return {
    files,
    stats,
    index,
    indexDigest: digest(readIfThere(join(place.gitDir, "index")) ?? ""),
    head: readHead(join(place.gitDir, "HEAD")),
    refs,
    operation: readOperation(place.gitDir),
    stash: readIfThere(join(place.commonDir, "logs/refs/stash"))?.toString() ?? "",
    exclude: readIfThere(join(place.commonDir, "info/exclude"))?.toString("latin1") ?? "",
    gitFiles: readGitFiles(place),
    objects: isPlain(place) ? new Map() : readObjectFiles(place.commonDir),
  };
}

/** @param {string} path */
function readHead(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isSymbolicLink() === true
    ? `ref: ${readlinkSync(path)}\n`
    : (readIfThere(path)?.toString() ?? "");
}

/** @param {Buffer} folder @param {string} prefix @param {Pick<Fingerprint, "files" | "stats"> & { own: ReadonlySet<string> }} into */
function walk(folder, prefix, into) {
  const { own, files, stats } = into;
  const names = readdirSync(folder, { encoding: "buffer" });
  let count = 0;
  for (const name of names) {
    if (prefix === "" && own.has(name.toString("latin1"))) continue;
    count++;
    const path = prefix + name.toString("latin1");
    const full = Buffer.concat([folder, Buffer.from("/"), name]);
    const stat = lstatSync(full, { bigint: true });
    const mode = Number(stat.mode) & 0o7777;
    stats.set(path, `${stat.ino} ${mode.toString(8)} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`);
    if (stat.isDirectory()) {
      if (walk(full, `${path}/`, into) === 0) files.set(path, { kind: "folder", mode, id: "" });
    } else if (stat.isSymbolicLink()) {
      files.set(path, {
        kind: "link",
        mode: 0,
        id: blobId(readlinkSync(full, { encoding: "buffer" })),
      });
    } else {
      // A pipe would be waited for.
      const id = stat.isFile() ? blobId(readFileSync(full)) : "";
      files.set(path, { kind: stat.isFile() ? "file" : "special", mode, id });
    }
  }
  return count;
}

/** @param {Buffer} content */
export function blobId(content) {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** @param {Buffer | string} content */
const digest = (content) => createHash("sha1").update(content).digest("hex");

/** @param {string} path */
const readIfThere = (path) => ifThere(() => readFileSync(path));

/** Undefined when there is nothing of the kind. @template T @param {() => T} read @returns {T | undefined} */
function ifThere(read) {
  try {
    return read();
  } catch (error) {
    const { code = "" } = /** @type {NodeJS.ErrnoException} */ (error);
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(code)) return undefined;
    throw error;
  }
}

/** Assume-unchanged, skip-worktree and intent-to-add: the flags that are the user's, not git's cache. */
const INDEX_FLAGS = 0x8000 | 0x40000000 | 0x20000000;

/** @param {Place} place @returns {Promise<Map<string, string>>} */
export async function readIndex(place) {
  const { stdout } = await must("git", ["ls-files", "-s", "--debug", "-z"], {
    cwd: place.project,
    env: place.env,
  });
  const text = stdout.toString("latin1");
  /** @type {Map<string, string>} */ const index = new Map();
  const entry =
    /(\d{6}) ([0-9a-f]+) ([0-3])\t([^\0]+)\0(?:  [^\n]*\n){4}  size: \d+\tflags: ([0-9a-f]+)\n/gy;
  for (let at = 0; at < text.length; at = entry.lastIndex) {
    entry.lastIndex = at;
    const match = entry.exec(text);
    if (!match)
      throw new Error(
        `cannot read git ls-files --debug: ${JSON.stringify(text.slice(at, at + 200))}`,
      );
    const [, mode, id, stage, path, flags = "0"] = match;
    index.set(
      `${path}\0${stage}`,
      `${mode} ${id} ${((parseInt(flags, 16) & INDEX_FLAGS) >>> 0).toString(16)}`,
    );
  }
  return index;
}

/** @param {Place} place @returns {Promise<Map<string, string>>} */
async function readRefs(place) {
  const { stdout } = await must("git", ["for-each-ref", "--format=%(refname) %(objectname)"], {
    cwd: place.project,
    env: place.env,
  });
  /** @type {Map<string, string>} */ const refs = new Map();
  for (const line of stdout.toString("latin1").split("\n")) {
    const [name = "", id = ""] = line.split(" ");
    if (name !== "" && !name.startsWith(ownRefs(place))) refs.set(name, id);
  }
  return refs;
}

/** @param {string} gitDir @returns {Map<string, string>} */
function readOperation(gitDir) {
  /** @type {Map<string, string>} */ const operation = new Map();
  for (const name of OPERATION_FILES) {
    const content = readIfThere(join(gitDir, name));
    if (content) operation.set(name, content.toString("latin1"));
  }
  for (const folder of OPERATION_FOLDERS) {
    let names;
    try {
      names = readdirSync(join(gitDir, folder), { recursive: true, encoding: "utf8" });
    } catch {
      continue;
    }
    operation.set(folder, "");
    for (const name of names)
      operation.set(
        `${folder}/${name}`,
        readIfThere(join(gitDir, folder, name))?.toString("latin1") ?? "",
      );
  }
  return operation;
}

/** All that may come into a repository of the user's; the store of a plain folder has the others as well. @param {Place} place */
const ownRefs = (place) => (isPlain(place) ? "refs/waymark/" : "refs/waymark/keep/");

/** The program's own, or compared by itself (objects, index, exclude), or a lock. */
const NOT_COMPARED =
  /^(objects|waymark|info\/exclude$|(worktrees\/[^/]+\/)?(index$|waymark))|\.lock$/;

/** @param {string} commonDir @returns {Map<string, string>} */
function readObjectFiles(commonDir) {
  const folder = join(commonDir, "objects");
  const entries =
    ifThere(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = entries.filter((entry) => !entry.isDirectory());
  return new Map(
    files.map(({ parentPath, name }) => [relative(folder, join(parentPath, name)), ""]),
  );
}

/** @param {Place} place @returns {Map<string, string>} */
function readGitFiles(place) {
  const { commonDir } = place;
  /** @type {Map<string, string>} */ const files = new Map();
  /** @param {string} prefix */
  const visit = (prefix) => {
    // A folder that somebody else's git has removed by now has no files.
    const entries = ifThere(() => readdirSync(join(commonDir, prefix), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const path = prefix + entry.name;
      if (NOT_COMPARED.test(path) || path.startsWith(ownRefs(place))) continue;
      if (entry.isDirectory()) visit(`${path}/`);
      else if (entry.isSymbolicLink())
        files.set(path, ifThere(() => `link ${readlinkSync(join(commonDir, path))}`) ?? "");
      else files.set(path, digest(readIfThere(join(commonDir, path)) ?? ""));
    }
  };
  visit("");
  return files;
}

/**
 * What differs between two fingerprints, in words; empty when they are equal. `strict` also compares inodes, times, objects and the
 * bytes of the index: the promise of `create`. `except` leaves paths of the work tree out.
 * @param {Fingerprint} wanted @param {Fingerprint} found
 * @param {{ strict?: boolean, except?: (path: string) => boolean, only?: "files" }} [options]
 * @returns {string[]}
 */
export function differences(wanted, found, { strict = false, except = () => false, only } = {}) {
  /** @type {string[]} */ const result = [];
  compare(
    "file",
    wanted.files,
    found.files,
    ({ kind, mode, id }) => `${kind} ${mode.toString(8)} ${id.slice(0, 10)}`,
    except,
    result,
  );
  if (only === "files") return result;
  compare("index entry", wanted.index, found.index, String, () => false, result);
  if (wanted.head !== found.head)
    result.push(`HEAD: wanted ${wanted.head.trim()}, found ${found.head.trim()}`);
  compare("ref", wanted.refs, found.refs, String, () => false, result);
  compare("operation", wanted.operation, found.operation, JSON.stringify, () => false, result);
  if (wanted.stash !== found.stash) result.push("the stash's reflog differs");
  const entries = new Set(found.exclude.split("\n"));
  for (const line of wanted.exclude.split("\n"))
    if (!entries.has(line)) result.push(`info/exclude lost the line ${JSON.stringify(line)}`);
  if (strict) {
    if (wanted.exclude !== found.exclude) result.push("info/exclude differs");
    compare("stat", wanted.stats, found.stats, String, except, result);
    compare("repository file", wanted.gitFiles, found.gitFiles, String, () => false, result);
    compare("file of objects", wanted.objects, found.objects, String, () => false, result);
    if (wanted.indexDigest !== found.indexDigest) result.push("the bytes of the index file differ");
  }
  return result;
}

/**
 * @template T
 * @param {string} what @param {Map<string, T>} wanted @param {Map<string, T>} found @param {(value: T) => string} show
 * @param {(key: string) => boolean} except @param {string[]} result
 */
function compare(what, wanted, found, show, except, result) {
  for (const [key, value] of wanted) {
    if (except(key)) continue;
    const other = found.get(key);
    if (other === undefined) result.push(`${what} ${JSON.stringify(key)} is missing`);
    else if (show(value) !== show(other))
      result.push(`${what} ${JSON.stringify(key)}: wanted ${show(value)}, found ${show(other)}`);
  }
  for (const [key, value] of found)
    if (!wanted.has(key) && !except(key))
      result.push(`${what} ${JSON.stringify(key)} is extra (${show(value)})`);
}
