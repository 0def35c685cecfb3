// Rollbacks of a part of a project: some paths, only files, what one session of an agent did. What is no part of it must stay.
import { differences } from "../faults/fingerprint.mjs";
import { said } from "../faults/waymark.mjs";
import { look } from "./memory.mjs";
import { judgeRefusal, LOST } from "./roll-back.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */

/** @typedef {{ kind: "paths" | "files only" | "selective", args: string[], target?: string }} Part */

const FOLDER = "src";

/** @param {Journey} journey @param {Tree} tree @returns {Promise<Part | undefined>} */
async function choosePart(journey, tree) {
  const { random } = journey;
  const targets = await journey.targets(tree);
  const sessions = [...(journey.agentSessions.get(tree.name) ?? [])];
  /** @type {Part[]} */ const parts = [];
  if (targets.length > 0) {
    const [one, other] = [random.pick(targets), random.pick(targets)];
    const paths = [one, "--even-if-expired", "--paths", FOLDER];
    parts.push({ kind: "paths", target: one, args: paths });
    const filesOnly = [other, "--even-if-expired", "--files-only"];
    parts.push({ kind: "files only", target: other, args: filesOnly });
  }
  if (sessions.length > 0)
    for (const option of ["--only-session", "--only-paths-of"])
      parts.push({ kind: "selective", args: [option, random.pick(sessions)] });
  return parts.length === 0 ? undefined : random.pick(parts);
}

/** Most are undone at once. @param {Journey} journey @param {Tree} tree */
export async function rollBackAPart(journey, tree) {
  const part = await choosePart(journey, tree);
  if (part === undefined) return;
  const before = await look(tree);
  const target = await journey.expected(tree, part.target, before);
  const result = await journey.waymark(tree, ["rollback", ...part.args, "--yes", "--json"]);
  const now = await look(tree);
  if (result.code !== 0) {
    judgeRefusal(journey, part.kind, { before, now, result });
    return;
  }
  journey.judge(
    "part",
    "rollbacks of a part (paths, files only, one session's work): it is what it has to be, and nothing else changed",
    WRONG_ABOUT[part.kind]({ before, now, target, result }),
  );
  journey.judge("lost", LOST, await journey.lost(tree, before, now));
  const safety = result.document?.undo_checkpoint_id;
  if (typeof safety !== "string") return;
  journey.remember(safety, tree, before);
  if (journey.random.chance(0.3)) journey.partial.add(safety);
  else await undoThePart(journey, tree, part, { before, now });
}

/** @typedef {{ before: Fingerprint, now: Fingerprint, target: Fingerprint | undefined, result: Answer }} Outcome `target`: nobody remembers it */

/** @type {Readonly<Record<Part["kind"], (outcome: Outcome) => string[]>>} */
const WRONG_ABOUT = {
  paths: ({ before, now, target }) => {
    const inside = withoutFlags(target ?? now);
    const wanted = {
      ...before,
      files: combine(before.files, inside.files, isInFolder),
      index: combine(before.index, inside.index, isInFolder),
    };
    const found = { ...now, index: combine(now.index, withoutFlags(now).index, isInFolder) };
    return differences(wanted, found);
  },
  "files only": ({ before, now, target }) =>
    differences({ ...before, files: (target ?? now).files }, now),
  selective: ({ before, now, result }) => {
    const { selective, changes_reverted: changes = [] } = result.document ?? {};
    const named = new Set([
      ...(selective?.taken_back ?? []).map(readPath),
      ...changes.map((/** @type {{ file: string }} */ { file }) => readPath(file)),
    ]);
    const isEmpty = (/** @type {string} */ path) =>
      [before, now].some(({ files }) => files.get(path)?.kind === "folder");
    // A folder that gets its first file, or loses its last one, is named by that file.
    const isNamed = (/** @type {string} */ path) =>
      named.has(path) || (isEmpty(path) && [...named].some((one) => one.startsWith(`${path}/`)));
    const files = combine(before.files, now.files, isNamed);
    return differences({ ...before, files }, now);
  },
};

/** @param {string} key a path, or one with its stage in the index */
const isInFolder = (key) => key === FOLDER || key.startsWith(`${FOLDER}/`);

/**
 * @template T @param {ReadonlyMap<string, T>} outside @param {ReadonlyMap<string, T>} inside
 * @param {(key: string) => boolean} isInside @returns {Map<string, T>}
 */
const combine = (outside, inside, isInside) =>
  new Map([
    ...[...outside].filter(([key]) => !isInside(key)),
    ...[...inside].filter(([key]) => isInside(key)),
  ]);

const ESCAPES = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
]);

/** A path of a document, as fingerprints have it: names that are no plain text are quoted as git does it. @param {string} shown */
function readPath(shown) {
  if (!shown.startsWith('"')) return Buffer.from(shown).toString("latin1");
  return shown
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/g, (_, code) =>
      code.length === 3
        ? String.fromCharCode(Number.parseInt(code, 8))
        : (ESCAPES.get(code) ?? code),
    );
}

/** @param {Journey} journey @param {Tree} tree @param {Part} part @param {{ before: Fingerprint, now: Fingerprint }} states */
async function undoThePart(journey, tree, part, { before, now }) {
  const undone = await journey.waymark(tree, ["undo", "--yes", "--json"]);
  // `--paths` restores index entries without their flags (docs/known-limitations.md).
  const known = part.kind === "paths" ? withoutFlags : (/** @type {Fingerprint} */ state) => state;
  const wrong =
    undone.code === 0 ? differences(known(before), known(await look(tree))) : [said(undone)];
  journey.judge("part undone", "such rollbacks, undone at once: everything is as it was", wrong);
  const back = undone.document?.undo_checkpoint_id;
  if (typeof back !== "string") return;
  journey.remember(back, tree, now);
  journey.partial.add(back);
}

/** @param {Fingerprint} state @returns {Fingerprint} */
function withoutFlags(state) {
  const entries = [...state.index].map(
    ([path, entry]) => /** @type {const} */ ([path, entry.split(" ").slice(0, 2).join(" ")]),
  );
  return { ...state, index: new Map(entries) };
}
