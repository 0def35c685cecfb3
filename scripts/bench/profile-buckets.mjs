// What a CPU profile of Node says, in a few kinds of work.

/** @typedef {{ functionName: string, url: string }} Frame */
/** @typedef {{ id: number, callFrame: Frame, children?: number[] }} ProfileNode */
/** @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[], startTime: number, endTime: number }} Profile */

/** The order of the table. The first that a stack belongs to is the one that it counts for. */
export const BUCKETS = /** @type {const} */ ([
  "node's own start",
  "loading modules of node",
  "loading our code",
  "starting git processes",
  "waiting for git, or for the disk in the background",
  "waiting for the disk (`fsync`)",
  "looking at, reading and writing files",
  "packing and hashing",
  "collecting garbage",
  "our own code",
  "node around it: streams, events, promises",
]);

/** @typedef {(typeof BUCKETS)[number]} Bucket */

/** Functions of `src/load-code.ts`. */
const LOADING = new Set(["codeLoader", "load", "codeOf", "compile", "loadOther"]);

/** @param {Frame} frame */
const isOurs = ({ url }) => url.startsWith("file:") || url.startsWith("/");

/** @param {readonly Frame[]} stack the innermost first @returns {Bucket} */
export function bucketOf(stack) {
  const name = stack[0]?.functionName ?? "";
  if (name === "(idle)") return "waiting for git, or for the disk in the background";
  if (name === "(garbage collector)") return "collecting garbage";
  const firstOfOurs = stack.findIndex(isOurs);
  /** What our code called, if any of it did. */
  const called = firstOfOurs === -1 ? stack : stack.slice(0, firstOfOurs);
  const isIn = (/** @type {string} */ url) => called.some((frame) => frame.url.startsWith(url));
  const calls = (/** @type {RegExp} */ names) =>
    called.some(({ functionName }) => names.test(functionName));
  if (firstOfOurs === -1 && (isIn("node:internal/main") || isIn("node:internal/bootstrap")))
    return "node's own start";
  if (calls(/^compileForInternalLoader$/)) return "loading modules of node";
  if (stack.some((frame) => isOurs(frame) && LOADING.has(frame.functionName)))
    return "loading our code";
  if (isIn("node:child_process") || isIn("node:internal/child_process"))
    return "starting git processes";
  if (calls(/^fsync(Sync)?$/)) return "waiting for the disk (`fsync`)";
  if (isIn("node:fs") || isIn("node:internal/fs")) return "looking at, reading and writing files";
  if (isIn("node:zlib") || isIn("node:internal/crypto") || isIn("node:crypto"))
    return "packing and hashing";
  return firstOfOurs === 0 ? "our own code" : "node around it: streams, events, promises";
}

/** Milliseconds by kind of work, and of our own functions by name. @param {Profile} profile */
export function takeApart({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, number>} */ const parents = new Map();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  /** @type {Map<Bucket, number>} */ const buckets = new Map(BUCKETS.map((name) => [name, 0]));
  /** @type {Map<string, number>} */ const functions = new Map();
  for (const [at, id] of samples.entries()) {
    const ms = (timeDeltas[at + 1] ?? 0) / 1000;
    const stack = stackOf(id, byId, parents);
    const bucket = bucketOf(stack);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + ms);
    const [leaf] = stack;
    if (bucket === "our own code" && leaf !== undefined)
      functions.set(leaf.functionName, (functions.get(leaf.functionName) ?? 0) + ms);
  }
  return { buckets, functions };
}

/** @param {number} id @param {ReadonlyMap<number, ProfileNode>} byId @param {ReadonlyMap<number, number>} parents @returns {Frame[]} */
function stackOf(id, byId, parents) {
  /** @type {Frame[]} */ const stack = [];
  for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = parents.get(at)) {
    const frame = byId.get(at)?.callFrame;
    if (frame !== undefined && frame.functionName !== "(root)") stack.push(frame);
  }
  return stack;
}
