// Programs that save files of four kinds all the time, while the project is rolled back and forth under them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { blobId } from "../faults/fingerprint.mjs";
import { filesHolding, reachableObjects } from "../faults/oracle.mjs";
import { must } from "../faults/process.mjs";
import { said } from "../faults/waymark.mjs";
import { heldFiles, refsOf } from "../soak/memory.mjs";

/** @typedef {import("../soak/journey.mjs").Journey} Journey */
/** @typedef {import("../soak/repositories.mjs").Tree} Tree */
/** @typedef {{ text: string, over: string | null }} Save */

const WRITER = fileURLToPath(new URL("writer.mjs", import.meta.url));
const KINDS = ["in place", "rename", "append", "held"];
/** Whole files; of the others each line is a save. */
const WHOLE = new Set(["in place", "rename"]);

/** @param {Journey} journey @param {Tree} tree @param {number} rounds @param {string} side */
export async function savesDuringRollbacks(journey, tree, rounds, side) {
  const { project, env } = tree.subject.place;
  const files = KINDS.map((kind) => `saves/${kind.replace(" ", "-")}.txt`);
  mkdirSync(join(project, "saves"), { recursive: true });
  for (const file of files) writeFileSync(join(project, file), "at the checkpoint\n");
  writeFileSync(join(project, "src/f1.txt"), "at the checkpoint\n");
  if (!tree.isPlain)
    await must("git", ["add", "--", "saves/rename.txt", "saves/append.txt"], { cwd: project, env });
  const { document } = await journey.waymark(tree, ["create", "--force", "--json"]);
  const target = document.checkpoint.id;
  const stop = join(side, "stop");
  const writers = KINDS.map((kind, at) =>
    spawn(
      process.execPath,
      [WRITER, kind, join(project, files[at] ?? ""), join(side, `${at}.log`), stop, side],
      { env, stdio: "inherit" },
    ),
  );
  /** @type {string[]} */ const reports = [];
  for (let round = 0; round < rounds; round++) {
    writeFileSync(join(project, "src/f1.txt"), `round ${round}\n`);
    for (const args of [
      ["rollback", target, "--yes", "--discard-commits"],
      ["undo", "--yes", "--discard-commits"],
    ]) {
      const result = await journey.waymark(tree, [...args, "--json"]);
      reports.push(result.stdout.toString(), result.stderr);
      journey.judge(
        "rollback beside saves",
        "rollbacks and undos beside programs that save: done, or refused with a reason",
        result.code === 1 || result.code > 6 ? [said(result)] : [],
      );
    }
  }
  writeFileSync(stop, "");
  await Promise.all(
    writers.filter(({ exitCode }) => exitCode === null).map((writer) => once(writer, "exit")),
  );
  for (const args of [["recover"], ["create", "--force"]])
    reports.push((await journey.waymark(tree, [...args, "--json"])).stdout.toString());
  const named = reports.join("\n");
  for (const [at, kind] of KINDS.entries())
    await judgeSaves(
      journey,
      tree,
      kind,
      files[at] ?? "",
      readSaves(join(side, `${at}.log`)),
      named,
    );
}

/** @param {string} log @returns {Save[]} */
const readSaves = (log) =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

/** @param {Journey} journey @param {Tree} tree @param {string} kind @param {string} file @param {Save[]} saves @param {string} named */
async function judgeSaves(journey, tree, kind, file, saves, named) {
  const what = `saves (${kind}) during rollbacks and undos: in place, in a checkpoint, or in a file that a report names`;
  const reachable = await reachableObjects(tree.seen);
  const path = join(tree.subject.place.project, file);
  const now = existsSync(path) ? readFileSync(path, "utf8") : "";
  const over = new Set(saves.map((save) => save.over));
  const versions = WHOLE.has(kind) ? [] : [now, ...(await versionsOf(tree, file))];
  const lines = new Set(versions.flatMap((text) => text.split("\n")));
  for (const { text } of saves) {
    const isThere = WHOLE.has(kind)
      ? now === text || over.has(text) || reachable.has(blobId(Buffer.from(text)))
      : lines.has(text.slice(0, -1));
    journey.judge(
      `save ${kind}`,
      what,
      isThere || isNamed(tree, kind, text, named) ? [] : [`${JSON.stringify(text)} is nowhere`],
    );
  }
}

/** Everything that checkpoints hold of a file. @param {Tree} tree @param {string} file @returns {Promise<string[]>} */
async function versionsOf(tree, file) {
  const { project, env } = tree.seen;
  /** @type {Set<string>} */ const blobs = new Set();
  for (const id of await refsOf(tree, "cp")) {
    const blob = (await heldFiles(tree, id)).get(file);
    if (blob !== undefined) blobs.add(blob);
  }
  const read = async (/** @type {string} */ blob) =>
    (await must("git", ["cat-file", "blob", blob], { cwd: project, env })).stdout.toString();
  return Promise.all([...blobs].map(read));
}

/**
 * A write through a descriptor that was open all the time may come after the last look at a file that was moved away; that it is
 * kept must do then.
 * @param {Tree} tree @param {string} kind @param {string} text @param {string} named
 */
function isNamed(tree, kind, text, named) {
  const { project } = tree.subject.place;
  const bytes = Buffer.from(text);
  const found = filesHolding(tree.seen, bytes, { inside: !WHOLE.has(kind) });
  return found.some(
    (path) =>
      named.includes(path) ||
      named.includes(path.slice(project.length + 1)) ||
      (kind === "held" && path.includes("/waymark/restore/")),
  );
}
