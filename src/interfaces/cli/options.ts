/** Reads option values, and refuses wrong ones with what is allowed. */
import { exactTime } from "../../domain/exact-time.ts";
import { TRIGGER_FILTERS, type TriggerFilter } from "../../domain/trigger-filter.ts";
import { PART_TYPES, type PartType } from "../../domain/parts.ts";
import { TRIGGERS, type Trigger } from "../../domain/checkpoint.ts";
import type { Strategy } from "../../domain/config.ts";
import { durationMs } from "../../domain/duration.ts";
import { HOOK_SCOPES, type HookScope } from "../../domain/agents/hook-scope.ts";
import { instantOf, LAST_INSTANT } from "../../domain/instant.ts";
import { OLD_FORMATS, type OldFormat } from "../../domain/old-formats/old-formats.ts";
import {
  isSessionStatus,
  SESSION_STATUSES,
  type SessionStatus,
} from "../../domain/workflow/session-status.ts";
import { CHECKPOINT_ANSWERS, type CheckpointAnswer } from "../../domain/workflow/run-event.ts";
import { BadValue } from "./command-spec.ts";

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new BadValue("It must be an integer.");
  return Number(text);
}

/** How many rows; 0 means all of them. */
export function rowLimit(text: string): number {
  return wholeNumber(text) || Infinity;
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new BadValue("It must be 1 or more.");
  return number;
}

export function checkpointAnswer(text: string): CheckpointAnswer {
  const found = CHECKPOINT_ANSWERS.find((answer) => answer === text);
  if (found === undefined)
    throw new BadValue(`It must be one of ${CHECKPOINT_ANSWERS.join(", ")}.`);
  return found;
}

export function triggerFilter(text: string): TriggerFilter {
  const found = TRIGGER_FILTERS.find((trigger) => trigger === text);
  if (found === undefined) throw new BadValue(`It must be one of ${TRIGGER_FILTERS.join(", ")}.`);
  return found;
}

/** A safety checkpoint belongs to a rollback; one that nobody rolled back from would mislead undo and cleanup. */
export const GIVEN_TRIGGERS: readonly Trigger[] = TRIGGERS.filter(
  (trigger) => trigger !== "pre_rollback",
);

export function givenTrigger(text: string): Trigger {
  const found = GIVEN_TRIGGERS.find((trigger) => trigger === text);
  if (found !== undefined) return found;
  const why = text === "pre_rollback" ? "Only a rollback creates such a checkpoint. " : "";
  throw new BadValue(`${why}It must be one of ${GIVEN_TRIGGERS.join(", ")}.`);
}

export function partType(text: string): PartType {
  const found = PART_TYPES.find((type) => type === text);
  if (found === undefined) throw new BadValue(`It must be one of ${PART_TYPES.join(", ")}.`);
  return found;
}

export function oldFormat(text: string): OldFormat {
  const format = OLD_FORMATS.find((known) => known === text);
  if (format === undefined) throw new BadValue(`It must be one of ${OLD_FORMATS.join(", ")}.`);
  return format;
}

export function sessionStatus(text: string): SessionStatus {
  if (isSessionStatus(text)) return text;
  throw new BadValue(`It must be one of ${SESSION_STATUSES.join(", ")}.`);
}

export function durabilityName(text: string): "safe" | "fast" {
  if (text !== "safe" && text !== "fast") throw new BadValue("It must be safe or fast.");
  return text;
}

/** `90m`, `24h`, `7d`, `2w`; the result is in milliseconds. */
export function duration(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms === null) throw new BadValue("It must be like 90m, 24h, 7d or 2w.");
  return ms;
}

/** As a duration, but not nothing: no command ends in no time. */
export function timeLimit(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms === null || ms === 0) {
    throw new BadValue("It must be like 30s, 10m or 2h.");
  }
  return ms;
}

/** `24h`, `7d`, `never`, or a date in the future; the result is a time stamp, or `never`. */
export function expiry(text: string): string {
  const ms = durationMs(text);
  if (ms === null) return text;
  const now = Date.now();
  const at = ms === undefined ? instantOf(text) : now + ms;
  if (at === undefined) {
    throw new BadValue(
      "It must be like 24h, 7d, 2w, never, or a date such as 2030-01-31 or 2030-01-31T18:00+02:00.",
    );
  }
  if (at <= now) {
    throw new BadValue(
      `That time is in the past (now: ${exactTime(new Date(now).toISOString())}). Dates are UTC unless they name a time zone.`,
    );
  }
  if (at > LAST_INSTANT) throw new BadValue("That is too far in the future. Use never.");
  return new Date(at).toISOString();
}

/** `24h`: that long ago, or a date; the result is a time stamp. */
export function pastTime(text: string): string {
  const ms = durationMs(text);
  const at = typeof ms === "number" ? Math.max(0, Date.now() - ms) : instantOf(text);
  if (at === undefined) {
    throw new BadValue("It must be like 24h, 7d, 2w, or a date such as 2030-01-31.");
  }
  return new Date(at).toISOString();
}

/** What an empty variable of a script makes of `--session "$ID"`. */
export function notBlank(text: string): string {
  if (text.trim() === "") throw new BadValue("It must not be empty.");
  return text;
}

export function strategyName(text: string): Strategy {
  const found = STRATEGIES.find((strategy) => strategy === text);
  if (found === undefined) throw new BadValue(`It must be one of ${STRATEGIES.join(", ")}.`);
  return found;
}

const STRATEGIES: readonly Strategy[] = ["manual", "before_modify", "before_all", "smart"];

export function checkpointChoice(text: string): "retry" | "skip" | "stop" {
  if (text === "retry" || text === "skip" || text === "stop") return text;
  throw new BadValue("It must be retry, skip or stop.");
}

export function workflowChoice(text: string): "recorded" | "current" {
  if (text === "recorded" || text === "current") return text;
  throw new BadValue("It must be recorded or current.");
}

export function hookScope(text: string): HookScope {
  const found = HOOK_SCOPES.find((scope) => scope === text);
  if (found === undefined) throw new BadValue(`It must be one of ${HOOK_SCOPES.join(", ")}.`);
  return found;
}

export function hookRoute(text: string): "auto" | "plugin" | "file" {
  if (text === "auto" || text === "plugin" || text === "file") return text;
  throw new BadValue("It must be auto, plugin or file.");
}
