/**
 * A workflow file as a value, for programs that make one: the same keys, unchecked and without defaults. `file-keys.ts` says what
 * each means; docs/workflow-file.md is for people.
 */
import type { OnFail, Rerun } from "./definition.ts";

type Map = Readonly<Record<string, string | number | boolean>>;

/** A path, or where else it comes from. */
export type OutputShape =
  | string
  | { readonly file: string; readonly json?: boolean }
  | { readonly stdout: "text" | "json" };

interface CommandShape {
  readonly isolate?: "worktree";
  readonly rerun?: Rerun;
  readonly idempotent?: boolean;
  readonly agent?: string;
  readonly result?: "json";
  readonly retries?: number;
  /** Such as `30s`, `10m`, or `never`. */
  readonly timeout?: string;
  readonly outputs?: Readonly<Record<string, OutputShape>>;
  readonly env?: Map;
  readonly cwd?: string;
}

export interface NodeShape extends CommandShape {
  readonly name: string;
  readonly run: string;
  readonly needs?: readonly string[];
}

/** With `run` or `nodes`, not both. */
export interface PhaseShape extends CommandShape {
  readonly name: string;
  readonly run?: string;
  readonly nodes?: readonly NodeShape[];
  readonly modifies?: boolean;
  readonly breakpoint?: boolean;
  readonly on_fail?: OnFail;
  readonly verify?: string | readonly string[];
  readonly retry_delay?: string;
  readonly metrics?: string;
  readonly resolver?: string;
}

export interface WorkflowShape {
  readonly name: string;
  readonly type?: string;
  readonly project?: string;
  readonly description?: string;
  readonly topic?: string;
  readonly task?: string;
  readonly issue?: number;
  readonly env?: Map;
  readonly cwd?: string;
  readonly concurrency?: number;
  readonly phases: readonly PhaseShape[];
}
