/** The settings of a project, as docs/configuration.md explains them. */
import type { Trigger } from "./checkpoint.ts";
import { KEYS, type Key, type SettingValue } from "./config-keys.ts";
import { durationMs } from "./duration.ts";

export type Strategy = "manual" | "before_modify" | "before_all" | "smart";
export type FailurePolicy = "fail_open" | "fail_closed";

/** Milliseconds; null: for ever. */
export type Duration = number | null;

export interface Retention {
  /** How many to keep of each trigger; -1: all of them, whatever their age and number. */
  readonly counts: Readonly<Record<Trigger, number>>;
  readonly onSuccess: "keep_milestones" | "keep_all" | "delete_all";
  readonly maxPerTask: number;
  readonly maxAge: Duration;
  readonly failedMaxAge: Duration;
  readonly maxSizeMb: number;
  readonly autoCleanup: boolean;
  /** How long a deleted checkpoint can still be brought back. */
  readonly grace: Duration;
}

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
    readonly exclude: readonly string[];
  };
  readonly secrets: {
    readonly exclude: boolean;
    readonly patterns: readonly string[];
    readonly scan: boolean;
  };
  readonly backlog: { readonly enabled: "auto" | boolean };
  readonly git: { readonly tags: boolean };
  readonly agents: {
    readonly policy: FailurePolicy;
    /** Agents with a policy of their own. */
    readonly policies: Readonly<Record<string, FailurePolicy>>;
  };
}

type Read = <Value extends SettingValue>(key: Key<Value>) => Value;

/** The settings as the code uses them; `read` answers for each key with a value that the key takes. */
export function configOf(read: Read, policies: Config["agents"]["policies"]): Config {
  return {
    strategy: read(KEYS.strategy),
    phases: {
      order: read(KEYS.phaseOrder),
      modify: read(KEYS.phasesModify),
      always: read(KEYS.phasesAlways),
      never: read(KEYS.phasesNever),
    },
    triggers: {
      phaseTransition: read(KEYS.onPhaseTransition),
      batchComplete: read(KEYS.onBatchComplete),
      agentComplete: read(KEYS.onAgentComplete),
      conflictEvents: read(KEYS.onConflictEvents),
      toolUse: read(KEYS.onToolUse),
    },
    retention: {
      counts: {
        pre_phase: read(KEYS.keepPrePhase),
        post_phase: read(KEYS.keepPostPhase),
        batch_complete: read(KEYS.keepBatchComplete),
        agent_complete: read(KEYS.keepAgentComplete),
        conflict_start: read(KEYS.keepConflictStart),
        conflict_resolved: read(KEYS.keepConflictResolved),
        user_interrupt: read(KEYS.keepUserInterrupt),
        session_end: read(KEYS.keepSessionEnd),
        tool_use: read(KEYS.keepToolUse),
        pre_rollback: read(KEYS.keepPreRollback),
        manual: read(KEYS.keepManual),
        auto: read(KEYS.keepAuto),
      },
      onSuccess: read(KEYS.onSuccess),
      maxPerTask: read(KEYS.maxPerTask),
      maxAge: durationMs(read(KEYS.maxAge)) ?? null,
      failedMaxAge: durationMs(read(KEYS.failedMaxAge)) ?? null,
      maxSizeMb: read(KEYS.maxSizeMb),
      autoCleanup: read(KEYS.autoCleanup),
      grace: durationMs(read(KEYS.grace)) ?? null,
    },
    capture: {
      includeUntracked: read(KEYS.includeUntracked),
      includeIgnored: read(KEYS.includeIgnored),
      maxFileMb: read(KEYS.maxFileMb),
      maxFiles: read(KEYS.maxFiles),
      maxTotalMb: read(KEYS.maxTotalMb),
      exclude: read(KEYS.exclude),
    },
    secrets: {
      exclude: read(KEYS.secretsExclude),
      patterns: read(KEYS.secretsPatterns),
      scan: read(KEYS.secretsScan),
    },
    backlog: { enabled: read(KEYS.backlog) },
    git: { tags: read(KEYS.gitTags) },
    agents: { policy: read(KEYS.agentPolicy), policies },
  };
}

export const DEFAULT_CONFIG: Config = configOf((key) => key.fallback, {});
