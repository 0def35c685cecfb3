/**
 * Makes a workflow of what a file says, or says everything that is wrong with it. A value that is wrong is reported and then
 * read as if it were not there, so that one look at a file finds all of it. Pure.
 */
import type { RawNode } from "../config-check.ts";
import { slug } from "../checkpoint-id.ts";
import { commandOf, readNodes } from "./check-nodes.ts";
import type { Workflow, WorkflowNode, WorkflowPhase } from "./definition.ts";
import { fieldsOf, type FileFields } from "./file-fields.ts";
import {
  NODES,
  ONE_COMMAND_KEYS,
  PHASE_KEYS,
  PHASE_LEVEL,
  PHASES,
  WORKFLOW_KEYS,
  WORKFLOW_LEVEL,
} from "./file-keys.ts";
import { FileProblems, type FileProblem } from "./file-problems.ts";
import { TakenNames } from "./taken-names.ts";

export type CheckedWorkflow =
  | { readonly kind: "ok"; readonly workflow: Workflow }
  | { readonly kind: "wrong"; readonly problems: readonly FileProblem[] };

export function checkWorkflow(root: RawNode): CheckedWorkflow {
  const problems = new FileProblems();
  const fields = fieldsOf(root, WORKFLOW_LEVEL, problems);
  const workflow = fields === undefined ? undefined : readWorkflow(fields, problems);
  const found = problems.all();
  return workflow !== undefined && found.length === 0
    ? { kind: "ok", workflow }
    : { kind: "wrong", problems: found };
}

function readWorkflow(fields: FileFields, problems: FileProblems): Workflow {
  const keys = WORKFLOW_KEYS;
  const name = fields.need(keys.name) ?? "";
  return {
    name,
    type: fields.take(keys.type) ?? slug(name),
    project: fields.take(keys.project) ?? null,
    description: fields.take(keys.description) ?? null,
    topic: fields.take(keys.topic) ?? null,
    task: fields.take(keys.task) ?? null,
    issue: fields.take(keys.issue) ?? null,
    env: fields.take(keys.env) ?? {},
    cwd: fields.take(keys.cwd) ?? ".",
    concurrency: fields.take(keys.concurrency) ?? 2,
    phases: readPhases(fields, problems),
  };
}

function readPhases(workflow: FileFields, problems: FileProblems): WorkflowPhase[] {
  const taken = new TakenNames("phase", problems);
  return workflow.items(PHASES).flatMap((item, at) => {
    const fields = fieldsOf(item, PHASE_LEVEL, problems);
    if (fields === undefined) return [];
    const phase = readPhase(fields, at + 1, problems);
    taken.add(phase.name, fields.placeOf(PHASE_KEYS.name));
    return [phase];
  });
}

function readPhase(fields: FileFields, step: number, problems: FileProblems): WorkflowPhase {
  const keys = PHASE_KEYS;
  const name = fields.need(keys.name) ?? "";
  checkCommands(fields, name, problems);
  const isGraph = fields.entry(NODES.name) !== undefined;
  const retries = fields.take(keys.retries) ?? 0;
  return {
    name,
    step,
    modifies: fields.take(keys.modifies) ?? null,
    breakpoint: fields.take(keys.breakpoint) ?? false,
    onFail: fields.take(keys.onFail) ?? "stop",
    nodes: isGraph
      ? readNodes(fields, { name, retries }, problems)
      : [onlyNode(fields, name, retries)],
    resolver: fields.take(keys.resolver) ?? null,
    verify: fields.take(keys.verify) ?? [],
    retries,
    retryDelayMs: fields.take(keys.retryDelay) ?? 0,
    timeoutMs: fields.take(keys.timeout)?.ms ?? null,
    outputs: (isGraph ? fields.take(keys.outputs) : undefined) ?? {},
    metrics: fields.take(keys.metrics) ?? null,
    env: fields.take(keys.env) ?? {},
    cwd: fields.take(keys.cwd) ?? null,
  };
}

/** One command, or a graph. */
function checkCommands(fields: FileFields, name: string, problems: FileProblems): void {
  const run = fields.entry(PHASE_KEYS.run.name);
  const nodes = fields.entry(NODES.name);
  const which = `phase ${name}`.trimEnd();
  if (nodes === undefined) {
    if (run !== undefined) return;
    const place = fields.placeOf(PHASE_KEYS.name);
    return problems.add(place, `${which} has nothing to run; set run or nodes`);
  }
  if (run !== undefined) problems.add(nodes, `${which} has both run and nodes; use one of them`);
  for (const key of ONE_COMMAND_KEYS) {
    const entry = fields.entry(key.name);
    if (entry === undefined) continue;
    problems.add(
      entry,
      `${key.name} applies to a single command; in a phase with nodes, set it on each node`,
    );
  }
}

/** What is said of the phase holds for it. */
function onlyNode(fields: FileFields, name: string, retries: number): WorkflowNode {
  return {
    ...commandOf(fields),
    name,
    run: fields.take(PHASE_KEYS.run) ?? "",
    needs: [],
    env: {},
    cwd: null,
    timeoutMs: null,
    retries,
    outputs: fields.take(PHASE_KEYS.outputs) ?? {},
  };
}
