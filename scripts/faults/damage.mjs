// What can be wrong with a repository before a command begins: an object that something relies on is lost, damaged or empty, the session's
// document is damaged, or the clock has whole seconds.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { blobId, readIndex } from "./fingerprint.mjs";
import { readObjects, treeEntries } from "./objects.mjs";
import { checkpointRefs } from "./oracle.mjs";
import { IDENTITY, must } from "./process.mjs";
import { hasStore, mustStore, storeDir } from "./store.mjs";
import { waymark } from "./waymark.mjs";
import { wholeSeconds } from "./whole-seconds.mjs";

/** @typedef {import("./fingerprint.mjs").Place} Place */
/** @typedef {import("./fixtures.mjs").Fixture} Fixture */
/** @typedef {"lost" | "flipped" | "empty"} Harm */

/**
 * What was done to the project before the command.
 * @typedef {object} Harmed
 * @property {string} what
 * @property {string} [oid] the object that is damaged
 * @property {Record<string, string>} [env] what the command's environment has besides
 */

/**
 * @typedef {object} Ahead
 * @property {(from: Fixture) => Promise<number>} count how many ways there are, in a project that is in its place
 * @property {(from: Fixture, at: number) => Promise<Harmed>} apply the one with this number, from 1
 */

// ---------------------------------------------------------------------------------------------- objects

/** @typedef {{ oid: string, what: string }} Victim */

/** Each as a loose object, and in a pack. */
const FORMS = /** @type {const} */ (["loose", "packed"]);

/** @param {Harm} harm @returns {Ahead} */
export const objectHarm = (harm) => ({
  count: async ({ subject: { place } }) => (await victims(place)).length * FORMS.length,
  apply: async ({ subject: { place } }, at) => {
    const all = await victims(place);
    const { oid, what } = nth(all, Math.floor((at - 1) / FORMS.length));
    const form = nth(FORMS, (at - 1) % FORMS.length);
    await harmObject(place, harm, oid, form);
    return { what: `${what}, ${form}`, oid };
  },
});

/** @template T @param {readonly T[]} list @param {number} number @returns {T} */
function nth(list, number) {
  const found = list[number % list.length];
  if (found === undefined) throw new Error("there is nothing to damage");
  return found;
}

/**
 * The objects that HEAD, the index or a checkpoint relies on, by kind, and in the same order in every copy of a project.
 * @param {Place} place @returns {Promise<Victim[]>}
 */
export async function victims(place) {
  const { read, closure } = await readObjects(place);
  const options = { cwd: place.project, env: place.env };
  const head = (await must("git", ["rev-parse", "HEAD"], options)).stdout.toString().trim();
  const refs = [...(await checkpointRefs(place))].map(([ref, oid]) => ({ ref, oid }));
  const seq = (/** @type {string} */ oid) =>
    Number(/"seq": ?(\d+)/.exec(read.get(oid)?.body.toString("latin1") ?? "")?.[1] ?? 0);
  refs.sort((one, other) => seq(one.oid) - seq(other.oid));

  const ofHead = closure(head);
  /** @type {Map<string, Victim[]>} */ const kinds = new Map(
    KINDS.map((kind) => /** @type {const} */ ([kind, []])),
  );
  /** @type {Set<string>} */ const taken = new Set();
  const take = (
    /** @type {string} */ kind,
    /** @type {string} */ oid,
    /** @type {string} */ name,
  ) => {
    if (taken.has(oid) || !read.has(oid)) return;
    taken.add(oid);
    kinds.get(kind)?.push({ oid, what: `${kind} ${JSON.stringify(name)}` });
  };
  for (const [path, oid] of filesOf(read, treeOf(read, head))) {
    if (read.get(oid)?.type === "tree") take("tree of HEAD", oid, path);
    else take(isOnDisk(place, path, oid) ? "clean blob of HEAD" : "blob of HEAD", oid, path);
  }
  for (const [number, { oid: commit }] of refs.entries())
    for (const [path, oid] of filesOf(read, treeOf(read, commit)))
      take(
        read.get(oid)?.type === "tree" ? "tree of a checkpoint" : "blob of a checkpoint",
        oid,
        `${number}:${path}`,
      );
  for (const [key, entry] of await readIndex(place))
    if (!ofHead.has(entry.split(" ")[1] ?? ""))
      take("blob of the index", entry.split(" ")[1] ?? "", key.split("\0")[0] ?? "");
  take("commit of HEAD", head, "HEAD");
  for (const [number, { oid }] of refs.entries()) take("commit of a checkpoint", oid, `${number}`);
  return [...kinds.values()].flat();
}

const KINDS = [
  "clean blob of HEAD",
  "blob of HEAD",
  "blob of a checkpoint",
  "blob of the index",
  "tree of HEAD",
  "tree of a checkpoint",
  "commit of HEAD",
  "commit of a checkpoint",
];

/** @param {import("./objects.mjs").Objects["read"]} read @param {string} commit */
const treeOf = (read, commit) => read.get(commit)?.body.toString("latin1", 5, 45) ?? "";

/** Trees before what is in them. @param {import("./objects.mjs").Objects["read"]} read @param {string} tree @param {string} [path] @returns {Generator<readonly [string, string]>} */
function* filesOf(read, tree, path = "") {
  const object = read.get(tree);
  if (object?.type !== "tree") return;
  yield [path, tree];
  for (const { mode, name, id } of treeEntries(object.body))
    if (mode === "40000") yield* filesOf(read, id, `${path}${name}/`);
    else if (mode !== "160000") yield [path + name, id];
}

/** @param {Place} place @param {string} path @param {string} oid */
function isOnDisk(place, path, oid) {
  try {
    return blobId(readFileSync(Buffer.from(`${place.project}/${path}`, "latin1"))) === oid;
  } catch {
    return false;
  }
}

/**
 * The project's repository or the store.
 * @typedef {{ gitDir: string, env: Record<string, string> }} Side
 */

/** Those that have an object of their own. @param {Place} place @param {string} oid @returns {Promise<Side[]>} */
export async function sidesWith(place, oid) {
  const { env } = place;
  /** @type {Side[]} */ const found = [];
  for (const gitDir of new Set([place.commonDir, storeDir(place)])) {
    const side = { gitDir, env };
    if (existsSync(looseFile(side, oid)) || (await packsWith(side, oid)).length > 0)
      found.push(side);
  }
  return found;
}

/** @param {Side} side @param {string} oid */
export const looseFile = ({ gitDir }, oid) =>
  join(gitDir, "objects", oid.slice(0, 2), oid.slice(2));

/** Wherever it is: the project and the store may both have it. @param {Place} place @param {Harm} harm @param {string} oid @param {"loose" | "packed"} form */
export async function harmObject(place, harm, oid, form) {
  const sides = await sidesWith(place, oid);
  if (sides.length === 0) throw new Error(`there is no object ${oid}`);
  for (const side of sides)
    await withoutBorrowing(side, () =>
      form === "packed" ? harmInPack(side, harm, oid) : harmLoose(side, harm, oid),
    );
}

/** Git neither unpacks nor lists as its own what it can borrow. @param {Side} side @param {() => Promise<void>} work */
async function withoutBorrowing({ gitDir }, work) {
  const alternates = join(gitDir, "objects/info/alternates");
  const isBorrowing = existsSync(alternates);
  if (isBorrowing) renameSync(alternates, `${alternates}.aside`);
  try {
    await work();
  } finally {
    if (isBorrowing) renameSync(`${alternates}.aside`, alternates);
  }
}

/** @param {Side} side @param {Harm} harm @param {string} oid */
async function harmLoose(side, harm, oid) {
  await makeLoose(side, oid);
  const file = looseFile(side, oid);
  if (harm === "lost") return rmSync(file);
  chmodSync(file, 0o644);
  if (harm === "empty") truncateSync(file);
  else flipByte(file, 0, readFileSync(file).length);
}

/** @param {Side} side @param {readonly string[]} args @param {string | Buffer} input */
const git = ({ gitDir, env }, args, input = "") =>
  must("git", [`--git-dir=${gitDir}`, ...args], { cwd: gitDir, env, input });

/** Unpacks every pack that has it. @param {Side} side @param {string} oid */
async function makeLoose(side, oid) {
  const folder = join(side.gitDir, "objects/pack");
  for (const { name } of await packsWith(side, oid)) {
    const pack = readFileSync(join(folder, `${name}.pack`));
    removePacks(folder, (file) => file.startsWith(`${name}.`));
    await git(side, ["unpack-objects", "-q"], pack);
  }
}

/** @param {Side} side @param {string} oid @returns {Promise<{ name: string, start: number, end: number }[]>} */
async function packsWith({ gitDir, env }, oid) {
  const folder = join(gitDir, "objects/pack");
  const found = [];
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    if (!file.endsWith(".idx")) continue;
    const input = readFileSync(join(folder, file));
    const { stdout } = await must("git", ["show-index"], { env, input });
    const lines = stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    const offsets = lines.map(([offset]) => Number(offset)).sort((one, other) => one - other);
    const name = file.slice(0, -".idx".length);
    const start = Number(lines.find(([, id]) => id === oid)?.[0] ?? -1);
    if (start < 0) continue;
    const trailer = readFileSync(join(folder, `${name}.pack`)).length - 20;
    found.push({ name, start, end: offsets.find((offset) => offset > start) ?? trailer });
  }
  return found;
}

/** All of the repository in one pack. Lost: without the object; empty: the object in a pack of its own, which is empty. @param {Side} side @param {Harm} harm @param {string} oid */
async function harmInPack(side, harm, oid) {
  const objects = join(side.gitDir, "objects");
  const folder = join(objects, "pack");
  const format = "--batch-check=%(objectname)";
  const listed = await git(side, ["cat-file", "--batch-all-objects", format]);
  const ids = listed.stdout.toString().split("\n").filter(Boolean);
  /** @param {readonly string[]} which */
  const pack = async (which) => {
    const input = which.map((id) => `${id}\n`).join("");
    // No deltas: only the one object is damaged.
    const args = ["pack-objects", "-q", "--window=0", join(folder, "pack")];
    return `pack-${(await git(side, args, input)).stdout.toString().trim()}`;
  };
  const rest = await pack(harm === "flipped" ? ids : ids.filter((id) => id !== oid));
  const own = harm === "empty" ? await pack([oid]) : rest;
  removePacks(folder, (file) => !file.startsWith(`${rest}.`) && !file.startsWith(`${own}.`));
  for (const name of readdirSync(objects))
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true });
  const file = join(folder, `${own}.pack`);
  chmodSync(file, 0o644);
  if (harm === "empty") truncateSync(file);
  const [where] = harm === "flipped" ? await packsWith(side, oid) : [];
  if (where) flipByte(file, where.start, where.end);
}

/** @param {string} folder @param {(file: string) => boolean} which */
function removePacks(folder, which) {
  for (const file of readdirSync(folder))
    if (which(file) || file.startsWith("multi-pack-index"))
      rmSync(join(folder, file), { force: true });
}

/** In the middle: the first bytes say how long it is. @param {string} file @param {number} start @param {number} end */
function flipByte(file, start, end) {
  const bytes = readFileSync(file);
  const at = Math.floor((start + end) / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

// ---------------------------------------------------------------------------------------------- the session's document

/** What becomes of it. @type {Readonly<Record<string, (document: string) => string>>} */
const DOCUMENTS = {
  garbage: () => "\u0001garbage{",
  truncated: (document) => document.slice(0, Math.floor(document.length / 2)),
  newer: (document) => JSON.stringify({ ...parsed(document), schema_version: 99 }),
  empty: () => "",
  "another kind of value": () => "[1, null]",
  "without its fields": () => JSON.stringify({ schema_version: 1 }),
  "with fields of another type": (document) =>
    JSON.stringify({ ...parsed(document), worktrees: 7, history: "none", status: {} }),
};

/** @param {string} document @returns {object} */
function parsed(document) {
  try {
    return JSON.parse(document);
  } catch {
    return {};
  }
}

/** @type {Ahead} */
export const sessionHarm = {
  count: async () => Object.keys(DOCUMENTS).length,
  apply: async ({ subject }, at) => {
    const { place } = subject;
    const [what, change] = nth(Object.entries(DOCUMENTS), at - 1);
    const options = { env: { ...place.env, ...IDENTITY } };
    // The store begins with the first checkpoint.
    if (!hasStore(place)) await waymark(subject, ["create", "--force", "-m", "first", "--json"]);
    const ref = await sessionRef(place);
    const there = await mustStore(place, ["log", "-1", "--format=%B", ref, "--"], {
      ...options,
      accept: [0, 128],
    });
    const message = there.code === 0 ? there.stdout.toString() : "session\n\n{}";
    const cut = message.indexOf("\n\n") + 2;
    const hash = ["hash-object", "-w", "-t", "tree", "/dev/null"];
    const empty = (await mustStore(place, hash, options)).stdout;
    const parent = there.code === 0 ? ["-p", ref] : [];
    const commit = await mustStore(place, ["commit-tree", empty.toString().trim(), ...parent], {
      ...options,
      input: message.slice(0, cut) + change(message.slice(cut)),
    });
    await mustStore(place, ["update-ref", ref, commit.stdout.toString().trim()], options);
    return { what: `the session's document is ${what}` };
  },
};

/** That of the work tree itself. @param {Place} place */
async function sessionRef(place) {
  const file = join(place.gitDir, "waymark/work-tree-id");
  const id = existsSync(file) ? readFileSync(file, "utf8").trim() : "main";
  return `refs/waymark/session/worktree-${id}`;
}

// ---------------------------------------------------------------------------------------------- whole seconds

const INODE = 'stat -c %i "$(git rev-parse --git-path index)"';

/**
 * Work within one second, of the same size where it is on a file: no time stamp and no size tells it apart. `created` stands for a
 * checkpoint, which remembers what it saw.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const WITHIN_A_SECOND = {
  "three times git add": [
    "for n in 1 2 3; do echo \"edit $n\" > src/app.txt; git add src/app.txt; done; echo 'edit 4' > src/app.txt; git add src/app.txt",
  ],
  // Until the index has the inode that it had: git writes a new one each time, and a disk gives numbers again.
  "git add, a checkpoint, git add again and again": [
    `echo 'edit 1' > src/app.txt; git add src/app.txt; ${INODE} > "$HOME/inode"`,
    "created",
    `for n in 2 3 4 5 6 7 8 9; do echo "edit $n" > src/app.txt; git add src/app.txt; if test "$(${INODE})" = "$(cat "$HOME/inode")"; then break; fi; done`,
  ],
  "a checkpoint, then a tracked file": [
    "echo 'edit 1' > src/app.txt; git add src/app.txt",
    "created",
    "echo 'edit 2' > src/app.txt",
  ],
  "a checkpoint, then an untracked file": [
    "echo 'note 1' > within.txt",
    "created",
    "echo 'note 2' > within.txt",
  ],
  "a checkpoint, then a file of the same name": [
    "echo 'note 1' > within.txt",
    "created",
    "echo 'note 2' > within.new; mv within.new within.txt",
  ],
  "a checkpoint, then new files in known folders": [
    "mkdir -p within/deep; echo 1 > within/deep/one",
    "created",
    "echo 2 > within/deep/two; echo 3 > src/three; rm within/deep/one",
  ],
};

/** @type {Ahead} */
export const clockGrain = {
  count: async () => Object.keys(WITHIN_A_SECOND).length,
  apply: async ({ subject, store }, at) => {
    const [what, steps] = nth(Object.entries(WITHIN_A_SECOND), at - 1);
    const env = await wholeSeconds();
    const { place } = subject;
    const slow = { ...subject, place: { ...place, env: { ...place.env, ...env } } };
    for (const step of steps) {
      // Commands on the store count their checkpoints.
      if (step !== "created")
        await must("sh", ["-eu", "-c", step], {
          cwd: place.project,
          env: { ...slow.place.env, ...IDENTITY },
        });
      else if (!store) await waymark(slow, ["create", "--force", "-m", "within", "--json"]);
    }
    return { what, env };
  },
};
