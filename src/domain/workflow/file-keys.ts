/**
 * Every key of a workflow file, described once. Checking, the tables of docs/workflow-file.md and the JSON Schema for editors
 * are made from these tables.
 */
import { ON_FAIL, RERUNS } from "./definition.ts";
import { OUTPUTS, VARIABLES } from "./map-kinds.ts";
import {
  count,
  DELAY,
  FLAG,
  INNER_PATH,
  NAME_KIND,
  NAME_LIST,
  SHELL_LINE,
  SHELL_LINES,
  TEXT,
  TIME_LIMIT,
  word,
  type ValueKind,
} from "./value-kinds.ts";

export interface FileKey<Value = unknown> {
  readonly name: string;
  readonly kind: ValueKind<Value>;
  /** What it means when it is not there, for people. */
  readonly fallback: string;
  /** What it does, in one line. */
  readonly text: string;
}

function key<Value>(
  name: string,
  kind: ValueKind<Value>,
  fallback: string,
  text: string,
): FileKey<Value> {
  return { name, kind, fallback, text };
}

/** Keys without which nothing can be run. */
export const REQUIRED = "required";

const MOST_CONCURRENCY = 64;
const MOST_RETRIES = 100;

const RETRIES = count(0, MOST_RETRIES);

export const WORKFLOW_KEYS = {
  name: key("name", TEXT, REQUIRED, "the name of the workflow"),
  type: key(
    "type",
    NAME_KIND,
    "derived from the name",
    "what kind of workflow it is: `orchestrate`, `implement`, or any word; part of the session's id",
  ),
  project: key(
    "project",
    NAME_KIND,
    "the name of the project's folder",
    "part of the session's id",
  ),
  description: key("description", TEXT, "none", "what it is for"),
  topic: key("topic", TEXT, "none", "what it is about, if that differs from the description"),
  task: key("task", TEXT, "none", "the id of a Backlog.md task"),
  issue: key("issue", count(1, 1_000_000_000), "none", "the number of an issue"),
  env: key("env", VARIABLES, "none", "variables for every command"),
  cwd: key("cwd", INNER_PATH, "the root of the project", "the folder that commands run in"),
  concurrency: key(
    "concurrency",
    count(1, MOST_CONCURRENCY),
    "2",
    "how many nodes may run in parallel",
  ),
} as const;

/** What a phase with `run` may say about its one command, and every node about its own. */
const COMMAND_KEYS = {
  isolate: key(
    "isolate",
    word(["worktree"]),
    "it works in the project itself",
    "`worktree`: it works in its own work tree, which is merged after the batch",
  ),
  rerun: key(
    "rerun",
    word(RERUNS),
    "`if-idempotent` with `idempotent: true`; otherwise a failed node runs again, and you are asked about one with an unknown result",
    "whether a resume may run it again if it failed or its result is unknown",
  ),
  idempotent: key("idempotent", FLAG, "false", "running it twice is harmless"),
  agent: key(
    "agent",
    NAME_KIND,
    "none",
    "the agent that does the work; its outputs are stored under this name",
  ),
  result: key(
    "result",
    word(["json"]),
    "none",
    "`json`: the JSON that it prints on stdout is its result",
  ),
} as const;

export const PHASE_KEYS = {
  name: key("name", NAME_KIND, REQUIRED, "unique in the file, ignoring case"),
  run: key("run", SHELL_LINE, "`run` or `nodes`, not both", "the one command of the phase"),
  modifies: key(
    "modifies",
    FLAG,
    "whether the setting `phases.modify` contains its name",
    "whether it changes files; together with the setting `strategy`, this decides which checkpoints it gets",
  ),
  breakpoint: key("breakpoint", FLAG, "false", "stop after it and ask whether to continue"),
  onFail: key(
    "on_fail",
    word(ON_FAIL),
    "stop",
    "when it fails: `stop` there, `rollback` to the checkpoint before it and stop, or `continue` with the next phase",
  ),
  verify: key("verify", SHELL_LINES, "none", "checks that must succeed after the last command"),
  retries: key(
    "retries",
    RETRIES,
    "0",
    "how often a failed command or check is retried, from the checkpoint before its batch",
  ),
  retryDelay: key("retry_delay", DELAY, "none", "how long to wait before a retry"),
  timeout: key("timeout", TIME_LIMIT, "never", "time limit for one attempt of the phase"),
  outputs: key("outputs", OUTPUTS, "none", "what is collected after success"),
  metrics: key(
    "metrics",
    SHELL_LINE,
    "none",
    "a command that prints JSON: numbers to keep with the checkpoint",
  ),
  resolver: key(
    "resolver",
    SHELL_LINE,
    "the session pauses for you to resolve them",
    "a command that resolves the conflicts of a merge",
  ),
  env: key("env", VARIABLES, "none", "more variables; they override those of the workflow"),
  cwd: key("cwd", INNER_PATH, "that of the workflow", "the folder that its commands run in"),
  ...COMMAND_KEYS,
} as const;

export const NODE_KEYS = {
  name: key("name", NAME_KIND, REQUIRED, "unique in its phase, ignoring case"),
  run: key("run", SHELL_LINE, REQUIRED, "the command"),
  needs: key("needs", NAME_LIST, "none", "nodes of the same phase that must be completed first"),
  ...COMMAND_KEYS,
  retries: key("retries", RETRIES, "that of the phase", "how often it is retried when it fails"),
  timeout: key("timeout", TIME_LIMIT, "never", "how long one attempt may take"),
  outputs: key("outputs", OUTPUTS, "none", "what is collected after success"),
  env: key("env", VARIABLES, "none", "more variables; they override those of the phase"),
  cwd: key("cwd", INNER_PATH, "that of the phase", "the folder that it runs in"),
} as const;

/** They say something about one command, so a phase with `nodes` cannot have them. */
export const ONE_COMMAND_KEYS: readonly FileKey[] = Object.values(COMMAND_KEYS);

/** A list of maps; what is in it has keys of its own. */
export interface ListKey {
  readonly name: string;
  readonly takes: string;
  readonly most: number;
  readonly fallback: string;
  readonly text: string;
}

export const PHASES: ListKey = {
  name: "phases",
  takes: "a list of phases",
  // Ids of checkpoints have two digits for the step.
  most: 99,
  fallback: REQUIRED,
  text: "the phases, run in this order; their numbers are the steps",
};

export const NODES: ListKey = {
  name: "nodes",
  takes: "a list of nodes",
  most: 1000,
  fallback: "`run` or `nodes`, not both",
  text: "the commands of the phase as a graph: independent ones run in parallel",
};

/** What a map is, and which keys it has. */
export interface MapLevel {
  readonly what: string;
  readonly example: string;
  readonly names: readonly string[];
}

const namesOf = (keys: Readonly<Record<string, FileKey>>): string[] =>
  Object.values(keys).map(({ name }) => name);

export const WORKFLOW_LEVEL: MapLevel = {
  what: "a workflow",
  example: '"name: build"',
  names: [...namesOf(WORKFLOW_KEYS), PHASES.name],
};
export const PHASE_LEVEL: MapLevel = {
  what: "a phase",
  example: "{name: plan, run: ./plan.sh}",
  names: [...namesOf(PHASE_KEYS), NODES.name],
};
export const NODE_LEVEL: MapLevel = {
  what: "a node",
  example: "{name: api, run: ./api.sh}",
  names: namesOf(NODE_KEYS),
};
export const LEVELS: readonly MapLevel[] = [WORKFLOW_LEVEL, PHASE_LEVEL, NODE_LEVEL];
