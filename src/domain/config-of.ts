/** The settings as the code uses them, from the values of their keys. */
import type { Trigger } from "./checkpoint.ts";
import { KEYS, LEAST_DEADLINE_MS, type Key, type SettingValue } from "./config-keys.ts";
import type { Config } from "./config.ts";
import { durationMs } from "./duration.ts";

type Read = <Value extends SettingValue>(key: Key<Value>) => Value;

const COUNTS = Object.entries({
  pre_phase: KEYS.keepPrePhase,
  post_phase: KEYS.keepPostPhase,
  batch_complete: KEYS.keepBatchComplete,
  agent_complete: KEYS.keepAgentComplete,
  conflict_start: KEYS.keepConflictStart,
  conflict_resolved: KEYS.keepConflictResolved,
  user_interrupt: KEYS.keepUserInterrupt,
  session_end: KEYS.keepSessionEnd,
  tool_use: KEYS.keepToolUse,
  pre_rollback: KEYS.keepPreRollback,
  manual: KEYS.keepManual,
  auto: KEYS.keepAuto,
} satisfies Record<Trigger, Key<number>>) as [Trigger, Key<number>][];

/** `read` answers for each key with a value that the key takes, `isSet` whether it is more than the default. */
export function configOf(
  read: Read,
  isSet: (key: Key) => boolean,
  policies: Config["agents"]["policies"],
): Config {
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
      counts: Object.fromEntries(
        COUNTS.map(([trigger, key]) => [trigger, read(key)]),
      ) as Config["retention"]["counts"],
      limitedByTask: isSet(KEYS.maxPerTask)
        ? COUNTS.flatMap(([trigger, key]) => (isSet(key) ? [] : [trigger]))
        : [],
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
      maxStateMb: read(KEYS.maxStateMb),
      maxDatabaseMb: read(KEYS.maxDatabaseMb),
      exclude: read(KEYS.exclude),
    },
    secrets: {
      exclude: read(KEYS.secretsExclude),
      patterns: read(KEYS.secretsPatterns),
      scan: read(KEYS.secretsScan),
    },
    backlog: { enabled: read(KEYS.backlog) },
    issues: {
      enabled: read(KEYS.issues),
      timeout: durationMs(read(KEYS.issuesTimeout)) ?? null,
    },
    git: { tags: tagged(read(KEYS.gitTags)) },
    isolation: { place: read(KEYS.isolationPlace) },
    agents: {
      policy: read(KEYS.agentPolicy),
      policies,
      deadline: durationMs(read(KEYS.agentDeadline)) ?? LEAST_DEADLINE_MS,
      prompts: read(KEYS.agentPrompts),
    },
  };
}

function tagged(value: "milestones" | "all" | boolean): Config["git"]["tags"] {
  return value === true ? "all" : value;
}
