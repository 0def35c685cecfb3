// Thousands of checkpoints and sessions in seconds: each is a real one with another id, content and number, and all of
// them come by one `git fast-import`. `waymark validate` finds nothing wrong with them.
import { createHash } from "node:crypto";

/** @typedef {import("../bench/process.mjs").Tools} Tools */
/** @typedef {Record<string, any>} Document */

/** Git runs on the store. */
const STORE = "--git-dir=.git/waymark/store";
const CHECKPOINTS = "refs/waymark/cp";
const SESSIONS = "refs/waymark/session";
/** The first one; each is a second later than the one before. */
const BEGIN_MS = Date.UTC(2026, 0, 1);
const WHO = "Waymark <waymark@localhost>";

/**
 * After a checkpoint was taken by `waymark create`: `count` more of the same session, in each of them `path` is different.
 * @param {Tools} tools @param {string} folder @param {string} path @param {number} count
 */
export function seedCheckpoints(tools, folder, path, count) {
  const like = documentOf(tools, folder, newestRef(tools, folder, CHECKPOINTS));
  const [part] = like["parts"];
  const trees = variants(tools, folder, part.digest, path, count);
  const head = tools.git(folder, "rev-parse", "HEAD").trim();
  /** @type {string[]} */ const stream = [];
  let previous = like["id"];
  for (const [at, { root, worktree }] of trees.entries()) {
    const time = new Date(BEGIN_MS + at * 1000);
    const id = `cp-00-manual-${stamp(time)}-${(at % 0x10000).toString(16).padStart(4, "0")}`;
    const document = withChecksum({
      ...like,
      id,
      seq: like["seq"] + at + 1,
      previous_id: previous,
      reason: `step ${at + 1}`,
      created_at: time.toISOString(),
      parts: [{ ...part, digest: root, worktree }],
      files: { created: [], modified: [path], deleted: [], total: 1 },
      sameness: sha256(root),
      content_hash: `sha256:${sha256(`040000 tree ${part.index}\tindex\n040000 tree ${worktree}\tworktree\n`)}`,
      restore_command: `waymark rollback ${id} --yes`,
    });
    previous = id;
    const message = `waymark manual: step ${at + 1}\n\n${JSON.stringify(document, null, 1)}\n`;
    stream.push(commit(`${CHECKPOINTS}/${id}`, time, message, [head], root));
  }
  importStream(tools, folder, stream);
  // As Waymark does it itself, from 128 on.
  tools.git(folder, STORE, "pack-refs", "--all");
}

/**
 * After one session was started by `waymark session start`: `count` more of the kind.
 * @param {Tools} tools @param {string} folder @param {string} id of that one @param {number} count
 */
export function seedSessions(tools, folder, id, count) {
  const like = documentOf(tools, folder, `${SESSIONS}/${id}`);
  const stream = Array.from({ length: count }, (_, at) => {
    const time = new Date(BEGIN_MS + at * 1000);
    const own = `implement_scale_${stamp(time).replace("-", "_")}`;
    const stamped = { created_at: time.toISOString(), updated_at: time.toISOString() };
    const document = { ...like, id: own, project_name: "scale", ...stamped };
    const message = `session ${own} begins\n\n${JSON.stringify(document, null, 1)}\n`;
    return commit(`${SESSIONS}/${own}`, time, message, [], undefined);
  });
  importStream(tools, folder, stream);
  tools.git(folder, STORE, "pack-refs", "--all");
}

/**
 * The tree of a checkpoint with another content of one file, `count` times: git makes and names them.
 * @param {Tools} tools @param {string} folder @param {string} tree @param {string} path @param {number} count
 */
function variants(tools, folder, tree, path, count) {
  const branch = "refs/waymark-seed/trees";
  const stream = Array.from({ length: count }, (_, at) => {
    const made = `M 100644 inline worktree/${path}\n${data(`checkpoint ${at + 1}\n`)}`;
    return commit(branch, new Date(BEGIN_MS + at * 1000), `${at}`, [], tree) + made;
  });
  importStream(tools, folder, stream);
  const commits = tools.git(folder, STORE, "rev-list", "--reverse", branch).trim().split("\n");
  const asked = commits.flatMap((oid) => [`${oid}^{tree}`, `${oid}:worktree`]);
  const found = tools
    .run("git", [STORE, "cat-file", "--batch-check=%(objectname)"], {
      cwd: folder,
      input: Buffer.from(`${asked.join("\n")}\n`),
    })
    .trim()
    .split("\n");
  tools.git(folder, STORE, "update-ref", "-d", branch);
  return commits.map((_, at) => ({
    root: found[2 * at] ?? "",
    worktree: found[2 * at + 1] ?? "",
  }));
}

/**
 * @param {string} ref @param {Date} time @param {string} message @param {readonly string[]} parents
 * @param {string | undefined} tree
 */
function commit(ref, time, message, parents, tree) {
  const seconds = Math.floor(time.getTime() / 1000);
  const who = `author ${WHO} ${seconds} +0000\ncommitter ${WHO} ${seconds} +0000\n`;
  const [first, ...others] = parents;
  const from = first === undefined ? "" : `from ${first}\n`;
  const merges = others.map((parent) => `merge ${parent}\n`).join("");
  const all = tree === undefined ? "" : `M 040000 ${tree} \n`;
  return `commit ${ref}\n${who}${data(message)}${from}${merges}${all}`;
}

/** @param {string} text */
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** @param {Tools} tools @param {string} folder @param {readonly string[]} stream */
function importStream(tools, folder, stream) {
  const input = Buffer.from(`${stream.join("")}done\n`);
  tools.run("git", [STORE, "fast-import", "--quiet", "--done"], { cwd: folder, input });
}

/** @param {Tools} tools @param {string} folder @param {string} prefix */
function newestRef(tools, folder, prefix) {
  const refs = tools.git(folder, STORE, "for-each-ref", "--format=%(refname)", prefix);
  return refs.trim().split("\n").at(-1) ?? "";
}

/** @param {Tools} tools @param {string} folder @param {string} ref @returns {Document} */
function documentOf(tools, folder, ref) {
  const text = tools.git(folder, STORE, "cat-file", "commit", ref);
  return JSON.parse(text.slice(text.indexOf("\n\n{") + 2));
}

/** As docs/storage-format.md says. @param {Document} document */
function withChecksum({ checksum: _checksum, ...rest }) {
  return { ...rest, checksum: `sha256:${sha256(canonical(rest))}` };
}

/** @param {string} text */
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Keys sorted, no white space. @param {unknown} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/** @param {Date} time */
const stamp = (time) => time.toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
