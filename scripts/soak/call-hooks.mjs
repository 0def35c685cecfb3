// Hooks of agents, with what real agents were recorded to send, and what their tools do afterwards.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../faults/process.mjs";
import { said } from "../faults/waymark.mjs";
import { work } from "./edits.mjs";
import { touched, UNTOUCHED } from "./journey.mjs";
import { look } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */

const PAYLOADS = fileURLToPath(new URL("../../test/agent-payloads/", import.meta.url));
const RECORDED = "/home/you/project";

/** What agents were recorded to send, with what is different each time. */
const recordings = ["claude", "codex", "gemini", "qwen", "opencode"].flatMap((agent) =>
  readdirSync(join(PAYLOADS, agent)).map((name) =>
    JSON.parse(readFileSync(join(PAYLOADS, agent, name), "utf8")),
  ),
);

/** @param {Journey} journey @param {Tree} tree */
export function hookCall(journey, tree) {
  const { random } = journey;
  const recorded = random.pick(recordings);
  const { event } = recorded;
  const { project, env } = tree.subject.place;
  const session = `${event?.agent ?? "agent"}-${random.between(1, 3)}`;
  const call = `call-${journey.repository.name}-${journey.step}-${random.between(0, 0xffff)}`;
  const { payload } = recorded;
  const now = new Date().toISOString();
  let text = JSON.stringify("timestamp" in payload ? { ...payload, timestamp: now } : payload);
  const swap = (/** @type {unknown} */ from, /** @type {string} */ to) => {
    if (typeof from === "string" && from !== "") text = text.replaceAll(from, to);
  };
  swap(event?.sessionId, session);
  swap(event?.tool?.callId, call);
  swap(event?.turnId, `turn-${journey.step}`);
  swap(
    event?.tool?.paths?.[0],
    join(project, random.pick(["src/f1.txt", "src/f2.txt", "notes.txt"])),
  );
  swap(RECORDED, project);
  const args = [tree.subject.bin, "hook", ...recorded.arguments];
  return { command: [process.execPath, ...args], env: { ...env }, input: text, session, event };
}

/** A tool of an agent that is about to run: a hook, then the tool. @param {Journey} journey @param {Tree} tree */
export async function callHook(journey, tree) {
  const before = await look(tree);
  const known = failuresOf(tree).length;
  const { command, env, input, session, event } = hookCall(journey, tree);
  const [node = "", ...args] = command;
  const { project, gitDir } = tree.subject.place;
  const result = await run(node, args, { cwd: project, env, input });
  const isBeforeChange = event?.moment === "pre_tool" && event.tool?.kind !== "read";
  journey.log(`${tree.name} hook ${event?.agent} ${event?.eventName} -> ${result.code}`);
  journey.judge("untouched", UNTOUCHED, touched(before, await look(tree)));
  const newFailures = failuresOf(tree).slice(known);
  journey.judge("hook", "hooks: exit 0, no failure", [
    ...(result.code === 0 ? [] : [said(result)]),
    ...newFailures.filter((failure) => !isTimeout(failure)),
  ]);
  if (newFailures.some(isTimeout)) journey.count("hook: gave up for time, and said so");
  else if (isBeforeChange) {
    sessionsOf(journey, tree).add(session);
    const steps = lines(join(gitDir, "waymark/agents/steps.ndjson")).map((line) =>
      JSON.parse(line),
    );
    const step = steps.findLast(({ agent_session_id }) => agent_session_id === session);
    const id = step?.checkpoint_id;
    if (typeof id === "string" && journey.memory.recall(id) === undefined)
      journey.remember(id, tree, before);
    journey.judge(
      "before a tool",
      "tool calls of agents that may change something: a checkpoint holds what was there before",
      typeof id === "string" ? await journey.missing(tree, id, before) : ["no step was recorded"],
    );
  }
  await work(tree, journey.random, 2);
}

/** @param {Journey} journey @param {Tree} tree */
function sessionsOf(journey, tree) {
  const known = journey.agentSessions.get(tree.name) ?? new Set();
  journey.agentSessions.set(tree.name, known);
  return known;
}

/** What hooks remember of their failures: in the project, and where that could not be opened. @param {Tree} tree */
export function failuresOf(tree) {
  const { gitDir, env } = tree.subject.place;
  const elsewhere = join(env["HOME"] ?? "", ".local/state/waymark/agents");
  const places = existsSync(elsewhere) ? readdirSync(elsewhere) : [];
  const folders = [join(gitDir, "waymark/agents"), ...places.map((name) => join(elsewhere, name))];
  return folders.flatMap((folder) => lines(join(folder, "failures.ndjson")));
}

/** A machine that is too busy is no failure of the hook, if it is told. @param {string} failure */
export const isTimeout = (failure) => JSON.parse(failure).code === "interrupted";

/** @param {string} path @returns {string[]} none where there is no such file */
export function lines(path) {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
