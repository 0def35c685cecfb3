// Agents of three kinds (command line, library, hooks) that take checkpoints at the same time, in several work trees.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../faults/process.mjs";
import { parseDocument, said, waymarkCommand } from "../faults/waymark.mjs";
import { failuresOf, isTimeout, lines } from "../soak/call-hooks.mjs";
import { heldFiles } from "../soak/memory.mjs";
import { Generations } from "./generations.mjs";

/** @typedef {import("../soak/journey.mjs").Journey} Journey */
/** @typedef {import("../soak/repositories.mjs").Tree} Tree */
/** @typedef {{ name: string, kind: "command" | "library" | "hook", tree: Tree, files: Generations }} Agent */

const LIBRARY_AGENT = fileURLToPath(new URL("library-agent.mjs", import.meta.url));
const KINDS = /** @type {const} */ (["command", "library", "hook"]);

/** @param {Journey} journey @param {readonly Tree[]} trees @param {number} agents @param {number} rounds @param {string} side */
export async function agentsAtOnce(journey, trees, agents, rounds, side) {
  /** @type {Agent[]} */
  const all = Array.from({ length: agents }, (_, number) => {
    const tree = /** @type {Tree} */ (trees[number % trees.length]);
    const name = `agent-${number}`;
    return {
      name,
      kind: KINDS[number % KINDS.length] ?? "command",
      tree,
      files: new Generations(tree.subject.place.project, name, side),
    };
  });
  /** @type {Set<string>} */ const ids = new Set();
  /** @type {Set<Agent["kind"]>} */ const served = new Set();
  const live = async (/** @type {Agent} */ agent) => {
    for (let round = 1; round <= rounds; round++)
      if (await takeOne(journey, all, agent, round, ids)) served.add(agent.kind);
  };
  await Promise.all(all.map(live));
  for (const kind of new Set(all.map((agent) => agent.kind)))
    if (!served.has(kind)) journey.judge(`create ${kind}`, WORDS[kind], ["none succeeded"]);
}

/**
 * @param {Journey} journey @param {readonly Agent[]} all @param {Agent} agent @param {number} round @param {Set<string>} ids
 * @returns {Promise<boolean>} whether there is a checkpoint
 */
async function takeOne(journey, all, agent, round, ids) {
  agent.files.next();
  const others = all.filter(({ tree }) => tree === agent.tree);
  const least = others.map(({ files }) => files.done);
  const { id, isNew, problem, isLate } = await askFor(agent, round);
  const most = others.map(({ files }) => files.begun);
  if (id === undefined && isLate === true) {
    journey.besides(`create ${agent.kind}`, WORDS[agent.kind], "gave up for time, and said so");
    return false;
  }
  if (id === undefined) {
    journey.judge(`create ${agent.kind}`, WORDS[agent.kind], [problem]);
    return false;
  }
  const held = await heldFiles(agent.tree, id);
  journey.judge(`create ${agent.kind}`, WORDS[agent.kind], [
    ...agent.files.problems(held, round, round),
    ...(isNew && ids.has(id) ? [`${id} was given twice`] : []),
  ]);
  // A hook may take the checkpoint of somebody else, if nothing changed since.
  if (isNew) ids.add(id);
  const torn = others.flatMap(({ files }, at) =>
    files.problems(held, least[at] ?? 0, most[at] ?? 0),
  );
  journey.judge(
    "one moment",
    "the same checkpoints: files of other agents are whole, and of a moment during the create",
    torn,
  );
  return true;
}

const WORDS = {
  command:
    "creates by the command line at once: success, own id, exactly what the agent had written",
  library: "creates by the library at once: the same",
  hook: "tool calls of agents with hooks at once: the same",
};

/** @param {Agent} agent @param {number} round @returns {Promise<{ id: string | undefined, isNew: boolean, problem: string, isLate?: boolean }>} */
async function askFor({ name, kind, tree }, round) {
  const { project, env, gitDir } = tree.subject.place;
  if (kind === "hook") {
    const callId = `${name}-${round}`;
    const ownFailures = () =>
      failuresOf(tree).filter((failure) => JSON.parse(failure).agent_session_id === name);
    const known = ownFailures().length;
    const payload = {
      session_id: name,
      cwd: project,
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { file_path: join(project, name, "0.txt"), content: "x" },
      tool_use_id: callId,
    };
    const result = await run(process.execPath, [tree.subject.bin, "hook", "claude"], {
      cwd: project,
      env,
      input: JSON.stringify(payload),
    });
    const steps = lines(join(gitDir, "waymark/agents/steps.ndjson")).map((line) =>
      JSON.parse(line),
    );
    const step = steps.findLast(
      ({ tool_use_id, agent_session_id }) => agent_session_id === name && tool_use_id === callId,
    );
    const failures = ownFailures().slice(known);
    const isLate = step === undefined && failures.some(isTimeout);
    return {
      id: step?.checkpoint_id,
      isNew: false,
      problem: `no step was recorded; ${said(result)} ${failures.join("; ")}`,
      isLate,
    };
  }
  const [node = "", ...args] =
    kind === "library"
      ? [process.execPath, LIBRARY_AGENT, project]
      : waymarkCommand(tree.subject, ["create", "--force", "--json"]);
  const result = await run(node, args, { cwd: project, env, timeoutMs: 120_000 });
  const document = parseDocument(result.stdout);
  return {
    id: result.code === 0 ? document?.checkpoint?.id : undefined,
    isNew: document?.checkpoint_created === true,
    problem: said(result),
  };
}
