/** The tables of docs/workflow-file.md. */
import { cell, fillMarks } from "../marked-tables.ts";
import {
  NODE_KEYS,
  NODES,
  PHASE_KEYS,
  PHASES,
  WORKFLOW_KEYS,
  type FileKey,
  type ListKey,
} from "./file-keys.ts";

export function fillWorkflowTables(document: string): string {
  return fillMarks(document, {
    workflow: table(WORKFLOW_KEYS, PHASES),
    phase: table(PHASE_KEYS, NODES),
    node: table(NODE_KEYS),
  });
}

function table(keys: Readonly<Record<string, FileKey>>, list?: ListKey): string {
  const rows = Object.values(keys).map(({ kind, ...key }) => row({ ...key, takes: kind.takes }));
  return [
    "| key | default | what it does | takes |",
    "|---|---|---|---|",
    ...rows,
    ...(list === undefined ? [] : [row(list)]),
  ].join("\n");
}

function row({ name, fallback, text, takes }: Omit<ListKey, "most">): string {
  return `| \`${name}\` | ${cell(fallback)} | ${cell(text)} | ${cell(takes)} |`;
}
