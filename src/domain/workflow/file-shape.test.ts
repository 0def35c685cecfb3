import { describe, expect, it } from "vitest";
import { NODE_KEYS, NODES, PHASE_KEYS, PHASES, WORKFLOW_KEYS, type FileKey } from "./file-keys.ts";
import type { NodeShape, PhaseShape, WorkflowShape } from "./file-shape.ts";

const COMMAND = {
  isolate: "worktree",
  rerun: "always",
  idempotent: true,
  agent: "planner",
  result: "json",
  retries: 1,
  timeout: "10m",
  outputs: { spec: "docs/spec.md", report: { file: "report.json", json: true } },
  env: { CI: 1 },
  cwd: "src",
} as const;

// Every key, or it does not compile.
const NODE: Required<NodeShape> = { ...COMMAND, name: "api", run: "true", needs: ["ui"] };
const PHASE: Required<PhaseShape> = {
  ...COMMAND,
  name: "implement",
  run: "true",
  nodes: [NODE],
  modifies: true,
  breakpoint: true,
  on_fail: "rollback",
  verify: ["npm test"],
  retry_delay: "1s",
  metrics: "true",
  resolver: "true",
};
const WORKFLOW: Required<WorkflowShape> = {
  name: "one",
  type: "implement",
  project: "auth",
  description: "log in",
  topic: "auth",
  task: "task-12",
  issue: 42,
  env: { CI: true },
  cwd: ".",
  concurrency: 2,
  phases: [PHASE],
};

function names(keys: Readonly<Record<string, FileKey>>, ...more: readonly string[]): string[] {
  return [...Object.values(keys).map(({ name }) => name), ...more].toSorted();
}

describe("the shape of a workflow for programs", () => {
  it("has the keys of workflow files", () => {
    expect(Object.keys(NODE).toSorted()).toEqual(names(NODE_KEYS));
    expect(Object.keys(PHASE).toSorted()).toEqual(names(PHASE_KEYS, NODES.name));
    expect(Object.keys(WORKFLOW).toSorted()).toEqual(names(WORKFLOW_KEYS, PHASES.name));
  });
});
