/** The nodes of a phase: what each says, and whether they fit together. */
import type { RawEntry } from "../config-check.ts";
import { checkNeeds, type NeedsOfNode } from "./check-needs.ts";
import type { WorkflowNode } from "./definition.ts";
import { fieldsOf, type FileFields } from "./file-fields.ts";
import { NODE_KEYS, NODE_LEVEL, NODES, PHASE_KEYS } from "./file-keys.ts";
import type { FileProblems } from "./file-problems.ts";
import { TakenNames } from "./taken-names.ts";

export function readNodes(
  phase: FileFields,
  { name, retries }: { readonly name: string; readonly retries: number },
  problems: FileProblems,
): WorkflowNode[] {
  const names = new TakenNames("node", problems);
  const outputs = new TakenNames("output", problems);
  const needs: NeedsOfNode[] = [];
  const nodes: WorkflowNode[] = [];
  for (const item of phase.items(NODES)) {
    const fields = fieldsOf(item, NODE_LEVEL, problems);
    if (fields === undefined) continue;
    const node = readNode(fields, retries);
    nodes.push(node);
    names.add(node.name, fields.placeOf(NODE_KEYS.name));
    needs.push({ name: node.name, needs: needsIn(fields) });
    for (const entry of outputsIn(fields)) outputs.add(entry.key, entry);
  }
  for (const entry of outputsIn(phase)) {
    outputs.add(entry.key, entry);
    if (entry.value.kind !== "map" || !entry.value.entries.some(({ key }) => key === "stdout"))
      continue;
    problems.add(
      entry,
      `it is unclear which node's stdout is meant; move ${entry.key} to a node of the phase`,
    );
  }
  checkNeeds(name, needs, problems);
  return nodes;
}

function readNode(fields: FileFields, retries: number): WorkflowNode {
  const keys = NODE_KEYS;
  return {
    ...commandOf(fields),
    name: fields.need(keys.name) ?? "",
    run: fields.need(keys.run) ?? "",
    needs: [...new Set(fields.take(keys.needs))],
    env: fields.take(keys.env) ?? {},
    cwd: fields.take(keys.cwd) ?? null,
    timeoutMs: fields.take(keys.timeout)?.ms ?? null,
    retries: fields.take(keys.retries) ?? retries,
    outputs: fields.take(keys.outputs) ?? {},
  };
}

/** What a node, or a phase with one command, says about that command. */
export function commandOf(
  fields: FileFields,
): Pick<WorkflowNode, "isolate" | "rerun" | "idempotent" | "agent" | "result"> {
  const idempotent = fields.take(NODE_KEYS.idempotent) ?? false;
  return {
    isolate: fields.take(NODE_KEYS.isolate) ?? null,
    rerun: fields.take(NODE_KEYS.rerun) ?? (idempotent ? "if-idempotent" : null),
    idempotent,
    agent: fields.take(NODE_KEYS.agent) ?? null,
    result: fields.take(NODE_KEYS.result) ?? null,
  };
}

function needsIn(fields: FileFields): NeedsOfNode["needs"] {
  const node = fields.entry(NODE_KEYS.needs.name)?.value;
  if (node?.kind !== "list") return [];
  return node.items.flatMap(({ line, column, ...item }) =>
    item.kind === "scalar" && typeof item.value === "string"
      ? [{ name: item.value, line, column }]
      : [],
  );
}

function outputsIn(fields: FileFields): readonly RawEntry[] {
  const node = fields.entry(PHASE_KEYS.outputs.name)?.value;
  return node?.kind === "map" ? node.entries : [];
}
