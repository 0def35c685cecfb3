// Cleanups, deletions, pins, exports and imports, and the user's own git gc.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { differences, takeFingerprint } from "../faults/fingerprint.mjs";
import { IDENTITY, must, run } from "../faults/process.mjs";
import { said, waymark } from "../faults/waymark.mjs";
import { look, refsOf } from "./memory.mjs";
import { isKept } from "./repositories.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */

const CLEANUP =
  "cleanups: what goes is what was reported, and nothing that is pinned or that undo needs";
const UNCHANGED = "cleanups, deletions, exports, imports: nothing of the user's changed";

/** @param {Journey} journey @param {Tree} tree @param {readonly string[]} [how] */
export async function cleanUp(journey, tree, how) {
  const { random } = journey;
  const args =
    how ?? random.pick([[], ["--keep", "5"], ["--older-than", "3m"], ["--now", "--yes"]]);
  const before = await look(tree);
  const there = await refsOf(tree, "cp");
  const needed = await journey.neededForUndo();
  const result = await journey.waymark(tree, ["cleanup", ...args, "--json"]);
  const left = await refsOf(tree, "cp");
  const gone = [...there].filter((id) => !left.has(id));
  const reported = new Set(
    (result.document?.removed ?? []).map((/** @type {{ id: string }} */ { id }) => id),
  );
  journey.judge("cleanup", CLEANUP, [
    ...(result.code === 0 ? [] : [said(result)]),
    ...gone.filter((id) => !reported.has(id)).map((id) => `${id} is gone, and was not reported`),
    ...gone.filter((id) => needed.has(id)).map((id) => `${id} is gone, and undo needs it`),
    ...gone
      .filter((id) => journey.memory.pinned.has(id))
      .map((id) => `${id} is gone, and was pinned`),
  ]);
  journey.judge("kept all", UNCHANGED, differences(before, await look(tree)));
  journey.memory.forgetOthers(new Set([...left, ...(await refsOf(tree, "trash"))]));
  return result.document;
}

/** @param {Journey} journey @param {Tree} tree */
export async function deleteOne(journey, tree) {
  const targets = await journey.targets(tree);
  if (targets.length === 0) return;
  const id = journey.random.pick(targets);
  const before = await look(tree);
  const result = await journey.waymark(tree, ["delete", id, "--yes", "--json"]);
  if (result.code !== 0) journey.answered("delete", result);
  else if (journey.random.chance(0.5)) {
    const back = await journey.waymark(tree, ["delete", "--undo", id, "--json"]);
    const state = journey.memory.recall(id);
    journey.judge("undelete", "deleted checkpoints that were brought back: each is what it was", [
      ...(back.code === 0 ? [] : [said(back)]),
      ...(state && back.code === 0 ? await journey.missing(tree, id, state) : []),
    ]);
  }
  journey.judge("kept all", UNCHANGED, differences(before, await look(tree)));
}

/** @param {Journey} journey @param {Tree} tree */
export async function pinOne(journey, tree) {
  const { pinned } = journey.memory;
  const [oldest] = pinned;
  if (oldest !== undefined && pinned.size >= 3) {
    await journey.waymark(tree, ["unpin", oldest, "--json"]);
    pinned.delete(oldest);
    return;
  }
  const targets = await journey.targets(tree);
  if (targets.length === 0) return;
  const id = journey.random.pick(targets);
  const { code } = await journey.waymark(tree, ["pin", id, "--json"]);
  if (code === 0) pinned.add(id);
}

/** To a file, and from it into a repository that has nothing in common. @param {Journey} journey @param {Tree} tree */
export async function exportAndImport(journey, tree) {
  const targets = (await journey.targets(tree)).filter((id) => !id.includes("pre-rollback"));
  if (targets.length === 0) return;
  const id = journey.random.pick(targets);
  const file = join(journey.repository.folder, "export.bundle");
  const before = await look(tree);
  const exported = await journey.waymark(tree, ["export", id, "-o", file, "--force", "--json"]);
  const again =
    exported.code === 0 ? await journey.waymark(tree, ["import", file, "--json"]) : exported;
  journey.judge("kept all", UNCHANGED, differences(before, await look(tree)));
  const folder = join(journey.repository.folder, "elsewhere");
  const problems = [exported, again].filter(({ code }) => code !== 0).map(said);
  try {
    if (problems.length === 0) problems.push(...(await arrivesIn(folder, journey, tree, id, file)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(file, { force: true });
  }
  journey.judge(
    "export",
    "exports: imported elsewhere and rolled back to, the files are those of the checkpoint",
    problems,
  );
}

/** @param {string} folder @param {Journey} journey @param {Tree} tree @param {string} id @param {string} file */
async function arrivesIn(folder, journey, tree, id, file) {
  mkdirSync(folder);
  const { env } = tree.subject.place;
  await must("git", ["init", "-q", "-b", "main", "--template="], { cwd: folder, env });
  const gitDir = join(folder, ".git");
  const place = { project: folder, gitDir, commonDir: gitDir, env };
  const there = { bin: tree.subject.bin, place };
  const imported = await waymark(there, ["import", file, "--json"]);
  if (imported.code !== 0) return [said(imported)];
  const args = ["rollback", id, "--yes", "--discard-commits", "--even-if-expired", "--json"];
  const rolledBack = await waymark(there, args);
  if (rolledBack.code !== 0) return [said(rolledBack)];
  const state = journey.memory.recall(id);
  const options = { only: /** @type {const} */ ("files"), except: isKept };
  return state ? differences(state, await takeFingerprint(place), options) : [];
}

const GARBAGE = [
  "gc -q",
  "gc -q --prune=now",
  "repack -adq",
  "pack-refs --all",
  "prune",
  "reflog expire --expire=now --all",
];

/** @param {Journey} journey @param {Tree} tree @param {string} [which] */
export async function collectGarbage(journey, tree, which = journey.random.pick(GARBAGE)) {
  const { project, env } = tree.seen;
  const { code, stderr } = await run("git", which.split(" "), {
    cwd: project,
    env: { ...env, ...IDENTITY },
    timeoutMs: 300_000,
  });
  journey.log(`${tree.name} git ${which} -> ${code}`);
  journey.judge(
    "user's git",
    "the user's own gc, repack, prune, pack-refs: none fails",
    code === 0 ? [] : [`git ${which}: ${stderr}`],
  );
}
