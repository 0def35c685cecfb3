// Programs that save files of four kinds all the time, while the project is rolled back and forth under them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { blobId } from "../faults/fingerprint.mjs";
import { filesHolding, reachableObjects } from "../faults/oracle.mjs";
import { must } from "../faults/process.mjs";
import { mustStore } from "../faults/store.mjs";
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
  /** @type {string[]} */ let reports;
  try {
    reports = await backAndForth(journey, tree, target, rounds);
  } finally {
    writeFileSync(stop, "");
    await Promise.all(
      writers
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map((writer) => once(writer, "exit")),
    );
  }
  for (const args of [["recover"], ["create", "--force"]])
    reports.push((await journey.waymark(tree, [...args, "--json"])).stdout.toString());
  const named = reports.join("\n");
  for (const [at, kind] of KINDS.entries()) {
    const saves = readSaves(join(side, `${at}.log`));
    const { exitCode, signalCode } = /** @type {import("node:child_process").ChildProcess} */ (
      writers[at]
    );
    journey.judge("writers", "programs that save beside rollbacks: each saved, to the end", [
      ...(exitCode === 0 ? [] : [`the one that saves (${kind}) ended: ${exitCode ?? signalCode}`]),
      ...(saves.length > 0 ? [] : [`the one that saves (${kind}) never saved anything`]),
    ]);
    await judgeSaves(journey, tree, kind, files[at] ?? "", saves, named);
  }
}

const BESIDE = "rollbacks and undos beside programs that save: done, or refused with a reason";

/**
 * @param {Journey} journey @param {Tree} tree @param {string} target @param {number} rounds
 * @returns {Promise<string[]>} everything that was reported
 */
async function backAndForth(journey, tree, target, rounds) {
  /** @type {string[]} */ const reports = [];
  /** @type {Set<string>} */ const done = new Set();
  const commands = { rollback: [target], undo: [] };
  for (let round = 0; round < rounds; round++) {
    writeFileSync(join(tree.subject.place.project, "src/f1.txt"), `round ${round}\n`);
    for (const [command, args] of Object.entries(commands)) {
      const options = ["--yes", "--discard-commits", "--json"];
      const result = await journey.waymark(tree, [command, ...args, ...options]);
      reports.push(result.stdout.toString(), result.stderr);
      if (result.code === 0) done.add(command);
      else
        journey.besides(
          "rollback beside saves",
          BESIDE,
          `${command} refused (${result.document?.error?.code})`,
        );
      const isRefusal = result.code > 1 && result.code <= 6;
      journey.judge(
        "rollback beside saves",
        BESIDE,
        result.code === 0 || isRefusal ? [] : [said(result)],
      );
    }
  }
  for (const command of Object.keys(commands))
    if (!done.has(command))
      journey.judge("rollback beside saves", BESIDE, [`no ${command} succeeded`]);
  return reports;
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
  /** @type {Set<string>} */ const blobs = new Set();
  for (const id of await refsOf(tree, "cp")) {
    const blob = (await heldFiles(tree, id)).get(file);
    if (blob !== undefined) blobs.add(blob);
  }
  const read = async (/** @type {string} */ blob) =>
    (await mustStore(tree.seen, ["cat-file", "blob", blob])).stdout.toString();
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
