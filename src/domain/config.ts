/** The settings of a project, as docs/configuration.md explains them. */
import type { Trigger } from "./checkpoint.ts";

export type Strategy = "manual" | "before_modify" | "before_all" | "smart";
export type FailurePolicy = "fail_open" | "fail_closed";

/** Milliseconds; null: for ever. */
export type Duration = number | null;

export interface Retention {
  /** How many to keep of each trigger; -1: all of them, whatever their age and number. */
  readonly counts: Readonly<Record<Trigger, number>>;
  /** Triggers that `maxPerTask` limits although all are kept by default: it was set, and their count was not. */
  readonly limitedByTask: readonly Trigger[];
  readonly onSuccess: "keep_milestones" | "keep_all" | "delete_all";
  readonly maxPerTask: number;
  readonly maxAge: Duration;
  readonly failedMaxAge: Duration;
  readonly maxSizeMb: number;
  readonly autoCleanup: boolean;
  /** How long a deleted checkpoint can still be brought back. */
  readonly grace: Duration;
}

/** Where the work trees of isolated nodes are. */
export type IsolationPlace = "cache" | "git_folder";

export interface Config {
  readonly strategy: Strategy;
  readonly phases: {
    readonly order: readonly string[];
    readonly modify: readonly string[];
    readonly always: readonly string[];
    readonly never: readonly string[];
  };
  readonly triggers: {
    readonly phaseTransition: boolean;
    readonly batchComplete: boolean;
    readonly agentComplete: boolean;
    readonly conflictEvents: boolean;
    readonly toolUse: boolean;
  };
  readonly retention: Retention;
  readonly capture: {
    readonly includeUntracked: boolean;
    readonly includeIgnored: readonly string[];
    readonly maxFileMb: number;
    readonly maxFiles: number;
    readonly maxTotalMb: number;
    readonly maxStateMb: number;
    readonly maxDatabaseMb: number;
    readonly exclude: readonly string[];
  };
  readonly secrets: {
    readonly exclude: boolean;
    readonly patterns: readonly string[];
    readonly scan: boolean;
  };
  readonly backlog: { readonly enabled: "auto" | boolean };
  readonly issues: { readonly enabled: "auto" | boolean; readonly timeout: Duration };
  /** Which checkpoints get a tag in the repository of the user. */
  readonly git: { readonly tags: false | "milestones" | "all" };
  readonly isolation: { readonly place: IsolationPlace };
  readonly agents: {
    readonly policy: FailurePolicy;
    /** Agents with a policy of their own. */
    readonly policies: Readonly<Record<string, FailurePolicy>>;
    /** Milliseconds that a hook takes at most. */
    readonly deadline: number;
    /** Checkpoints of hooks have the first line of the prompt in them. */
    readonly prompts: boolean;
  };
}

const DAY = 86_400_000;

/** What the keys fall back to, written out: most projects have no settings, and then no command loads the table of them. */
export const DEFAULT_CONFIG: Config = {
  strategy: "before_modify",
  phases: {
    order: ["assess", "specify", "research", "plan", "implement", "validate", "operate"],
    modify: ["implement", "validate", "operate"],
    always: ["implement"],
    never: [],
  },
  triggers: {
    phaseTransition: true,
    batchComplete: true,
    agentComplete: false,
    conflictEvents: true,
    toolUse: true,
  },
  retention: {
    counts: {
      pre_phase: -1,
      post_phase: -1,
      batch_complete: 3,
      agent_complete: 1,
      conflict_start: 3,
      conflict_resolved: -1,
      user_interrupt: 1,
      session_end: 3,
      tool_use: 50,
      pre_rollback: 20,
      manual: -1,
      auto: 20,
    },
    limitedByTask: [],
    onSuccess: "keep_milestones",
    maxPerTask: 10,
    maxAge: 7 * DAY,
    failedMaxAge: 30 * DAY,
    maxSizeMb: 2048,
    autoCleanup: true,
    grace: DAY,
  },
  capture: {
    includeUntracked: true,
    includeIgnored: [],
    maxFileMb: 50,
    maxFiles: 200_000,
    maxTotalMb: 2048,
    maxStateMb: 16,
    maxDatabaseMb: 1024,
    exclude: [],
  },
  secrets: { exclude: true, patterns: [], scan: true },
  backlog: { enabled: "auto" },
  issues: { enabled: "auto", timeout: 5000 },
  git: { tags: false },
  isolation: { place: "cache" },
  agents: { policy: "fail_open", policies: {}, deadline: 10_000, prompts: true },
};
