// One of several processes that contend for a session: takes it, does steps, gives it back or is killed.
//
//   node chaos-worker.mjs PROJECT SESSION STEPS LOG SEED
//
// Now and then it takes the owner for dead though it lives: then that one writes with an old token and must be refused.
import { appendFileSync } from "node:fs";

// Not a literal: the build need not exist for the type check.
const library = new URL("../../dist/index.js", import.meta.url).href;
const { acquireSession, openProject } = await import(library);

const [directory, sessionId, stepsText, log = "", seedText] = process.argv.slice(2);
const steps = Number(stepsText);
let seed = Number(seedText);

/** The same every time for the same seed. */
function random() {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}

const pause = (most) => new Promise((resolve) => setTimeout(resolve, random() * most));
const note = (line) => appendFileSync(log, `${line}\n`);
const doneOf = (document) => document.workflow.outputs.steps ?? [];

const project = await openProject({ directory });

async function take() {
  const isThief = random() < 0.4;
  const liveness = {
    own: () => project.liveness.own(),
    lifeOf: (holder) => (isThief ? "dead" : project.liveness.lifeOf(holder)),
  };
  return (await acquireSession({ ...project, liveness }, sessionId, { purpose: "chaos" })).owned;
}

async function work(owned) {
  for (let round = 0; round < 4; round++) {
    const next = doneOf(await owned.read()).length + 1;
    if (next > steps) return true;
    await pause(60);
    const token = owned.token;
    // Decided before the write, as a real step is done before it is recorded.
    await owned.update(`step ${next}`, (document) => ({
      ...document,
      workflow: {
        ...document.workflow,
        outputs: { steps: [...doneOf(document), { step: next, token, pid: process.pid }] },
      },
    }));
    note(`recorded ${next}`);
    if (random() < 0.3) await owned.renew();
    if (random() < 0.12) process.kill(process.pid, "SIGKILL");
  }
  await owned.release();
  return false;
}

for (let isOver = false; !isOver;) {
  try {
    isOver = await work(await take());
  } catch (error) {
    if (error.code === "lease_lost") note("refused");
    else if (error.code !== "session_held" && error.code !== "repository_busy") throw error;
  }
  await pause(80);
}
project.close();
