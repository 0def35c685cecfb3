// A program that runs a session by the library: phases that write files, state, checkpoints, an end.
//
//   node session-agent.mjs PROJECT SESSION SEED
//
// Prints one line of JSON for each checkpoint that it took: what it had written by then.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blobId } from "../faults/fingerprint.mjs";
import { Random } from "../proof/random.mjs";

// Not a literal: the build need not exist for the type check.
const library = new URL("../../dist/index.js", import.meta.url).href;
const { openSession } = await import(library);

const [, , directory = "", id = "", seed = "0"] = process.argv;
const random = new Random(Number(seed));
/** @type {Record<string, string>} */ const written = {};

/** @param {string} phase */
function write(phase) {
  for (let file = random.between(1, 3); file > 0; file--) {
    const path = `flow/${phase}-${file}.txt`;
    const bytes = Buffer.from(`${random.text(40)}\n`);
    mkdirSync(join(directory, "flow"), { recursive: true });
    writeFileSync(join(directory, path), bytes);
    written[path] = blobId(bytes);
  }
}

const session = await openSession({ directory, id, type: "implement", projectName: "soak" });
try {
  for (const phase of ["plan", "implement", "validate"]) {
    await session.phase(phase, { modifies: random.chance(0.5) }, () => write(phase));
    await session.save({
      state: { last: phase, notes: random.text(200) },
      metrics: { files: 1 },
      merge: true,
    });
    if (random.chance(0.5)) {
      const { checkpoint } = await session.checkpoint({ reason: `after ${phase}`, force: true });
      process.stdout.write(`${JSON.stringify({ checkpoint: checkpoint.id, written })}\n`);
    }
  }
  if (random.chance(0.6)) await session.complete({ reason: "done" });
  else if (random.chance(0.5)) await session.fail(new Error("it did not work out"));
  else await session.pause();
} finally {
  await session.release();
}
