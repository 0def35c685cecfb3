// Programs that run a session of their own by the library.
import { fileURLToPath } from "node:url";
import { run } from "../faults/process.mjs";
import { said } from "../faults/waymark.mjs";
import { heldFiles } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */

const AGENT = fileURLToPath(new URL("session-agent.mjs", import.meta.url));

/** A program that runs a session of its own by the library. @param {Journey} journey @param {Tree} tree */
export async function runSession(journey, tree) {
  const { project, env } = tree.subject.place;
  const seed = journey.random.between(0, 0x7fff_ffff);
  const id = `flow-${journey.repository.name}-${journey.step}`;
  const result = await run(process.execPath, [AGENT, project, id, String(seed)], {
    cwd: project,
    env,
  });
  journey.log(`${tree.name} session ${id} seed ${seed} -> ${result.code}`);
  journey.judge(
    "session",
    "sessions of a program (phases, state, completion) by the library",
    result.code === 0 ? [] : [said(result)],
  );
  for (const line of result.stdout.toString().split("\n").filter(Boolean)) {
    const { checkpoint, written } = JSON.parse(line);
    const held = await heldFiles(tree, checkpoint);
    const wrong = Object.entries(written).filter(([path, blob]) => held.get(path) !== blob);
    journey.judge(
      "session checkpoint",
      "checkpoints of such sessions: each holds what the program had written",
      wrong.map(([path]) => `${checkpoint} does not hold ${path}`),
    );
  }
}
