/**
 * Every setting, described once. Checking, `waymark config`, the file that `init` writes, docs/configuration.md and the JSON
 * Schema for editors are all made from this table.
 */
import {
  anyOf,
  below,
  broad,
  exactly,
  OUTSIDE,
  shorterThan,
  weakerThanUsers,
  type ConsentRule,
} from "./consent-rules.ts";
import { durationMs, showDuration } from "./duration.ts";
import { patternProblem } from "./path-pattern.ts";

export type SettingValue = string | number | boolean | readonly string[];

export type ValueKind =
  | { readonly type: "boolean" }
  | { readonly type: "integer"; readonly min: number }
  /** `min`: milliseconds; where there is one, `never` is not allowed. */
  | { readonly type: "duration"; readonly min?: number }
  | { readonly type: "word"; readonly words: readonly string[] }
  /** One of some words, or on and off by hand. */
  | { readonly type: "switch"; readonly words: readonly string[] }
  | { readonly type: "names" }
  | { readonly type: "patterns" };

export interface Key<Value extends SettingValue = SettingValue> {
  /** As in the file: `retention.max_age`. */
  readonly path: string;
  readonly kind: ValueKind;
  readonly fallback: Value;
  /** What it does, in one line. */
  readonly text: string;
  /** The value as it is kept; undefined when this is not allowed. What it returns it also takes. */
  readonly read: (raw: unknown) => Value | undefined;
  /** The values that a project's file may not decide alone. */
  readonly consent?: ConsentRule | undefined;
}

function flag(path: string, fallback: boolean, text: string, consent?: ConsentRule): Key<boolean> {
  const read = (raw: unknown): boolean | undefined => (typeof raw === "boolean" ? raw : undefined);
  return { path, kind: { type: "boolean" }, fallback, text, read, consent };
}

/** Megabytes times a megabyte, and counts, stay exact numbers. */
const MOST = 1_000_000_000;

function count(
  path: string,
  min: number,
  fallback: number,
  text: string,
  consent?: ConsentRule,
): Key<number> {
  const read = (raw: unknown): number | undefined =>
    typeof raw === "number" && Number.isInteger(raw) && raw >= min && raw <= MOST ? raw : undefined;
  return { path, kind: { type: "integer", min }, fallback, text, read, consent };
}

/** How many checkpoints of a kind stay. */
function kept(trigger: string, fallback: number, text: string): Key<number> {
  const none = exactly(0, `cleanup deletes every ${trigger} checkpoint`);
  return count(`retention.${trigger}`, -1, fallback, text, none);
}

function duration(
  path: string,
  fallback: string,
  text: string,
  consent?: ConsentRule,
): Key<string> {
  const read = (raw: unknown): string | undefined =>
    typeof raw === "string" && durationMs(raw) !== undefined ? raw : undefined;
  return { path, kind: { type: "duration" }, fallback, text, read, consent };
}

/** One that has an end. */
function timeLimit(
  path: string,
  min: number,
  fallback: string,
  text: string,
  consent?: ConsentRule,
): Key<string> {
  const read = (raw: unknown): string | undefined => {
    const ms = typeof raw === "string" ? durationMs(raw) : undefined;
    return typeof ms === "number" && ms >= min ? String(raw) : undefined;
  };
  return { path, kind: { type: "duration", min }, fallback, text, read, consent };
}

function word<const Word extends string>(
  path: string,
  words: readonly Word[],
  fallback: NoInfer<Word>,
  text: string,
  consent?: ConsentRule,
): Key<Word> {
  const read = (raw: unknown): Word | undefined => words.find((known) => known === raw);
  return { path, kind: { type: "word", words }, fallback, text, read, consent };
}

function autoSwitch(path: string, text: string): Key<"auto" | boolean> {
  const read = (raw: unknown): "auto" | boolean | undefined =>
    raw === "auto" || typeof raw === "boolean" ? raw : undefined;
  return { path, kind: { type: "switch", words: ["auto"] }, fallback: "auto", text, read };
}

const TAGS = ["milestones", "all"] as const;

function tagSwitch(
  path: string,
  text: string,
  consent: ConsentRule,
): Key<(typeof TAGS)[number] | boolean> {
  const read = (raw: unknown): (typeof TAGS)[number] | boolean | undefined =>
    typeof raw === "boolean" ? raw : TAGS.find((one) => one === raw);
  return { path, kind: { type: "switch", words: TAGS }, fallback: false, text, read, consent };
}

function names(path: string, fallback: readonly string[], text: string): Key<readonly string[]> {
  const read = (raw: unknown): readonly string[] | undefined => listOf(raw, isName);
  return { path, kind: { type: "names" }, fallback, text, read };
}

function patterns(path: string, text: string, consent?: ConsentRule): Key<readonly string[]> {
  const read = (raw: unknown): readonly string[] | undefined => listOf(raw, isPattern);
  return { path, kind: { type: "patterns" }, fallback: [], text, read, consent };
}

function listOf(
  raw: unknown,
  isAllowed: (item: unknown) => item is string,
): readonly string[] | undefined {
  return Array.isArray(raw) && raw.every(isAllowed) ? raw : undefined;
}

const isName = (item: unknown): item is string => typeof item === "string" && item.trim() !== "";
const isPattern = (item: unknown): item is string =>
  isName(item) && patternProblem(item) === undefined;

/** Of a list that is not allowed: whether this item of it is. */
export function isAllowedItem(kind: ValueKind, item: unknown): boolean {
  return kind.type === "patterns" ? isPattern(item) : isName(item);
}

const ALL = "-1 keeps all, at any age; the default -1 does not override a max_per_task that is set";
const POLICIES = ["fail_open", "fail_closed"] as const;
/** What is deleted by a mistake or a bad setting is missed on the same day. */
const A_DAY = 86_400_000;
/** A checkpoint of a small project takes half of it on a slow machine. */
export const LEAST_DEADLINE_MS = 1000;

export const KEYS = {
  strategy: word(
    "strategy",
    ["manual", "before_modify", "before_all", "smart"],
    "before_modify",
    "before which phases a checkpoint is created; manual: none, and agent hooks create none either; before_modify: those in phases.modify; before_all: all; smart: those in phases.modify, if something changed",
    exactly("manual", "no checkpoint is created before phases or by agent hooks"),
  ),
  phaseOrder: names(
    "phases.order",
    ["assess", "specify", "research", "plan", "implement", "validate", "operate"],
    "the phases of the workflow, in order; a phase's position is its step number",
  ),
  phasesModify: names(
    "phases.modify",
    ["implement", "validate", "operate"],
    "phases that change files",
  ),
  phasesAlways: names(
    "phases.always",
    ["implement"],
    "phases that get a checkpoint with any strategy",
  ),
  phasesNever: names("phases.never", [], "phases that never get one"),
  onPhaseTransition: flag(
    "triggers.phase_transition",
    true,
    "create checkpoints at the start and end of phases",
    exactly(false, "no checkpoints at the start and end of phases"),
  ),
  onBatchComplete: flag(
    "triggers.batch_complete",
    true,
    "create one after each batch of nodes",
    exactly(false, "no checkpoints after batches of nodes"),
  ),
  onAgentComplete: flag("triggers.agent_complete", false, "create one when an agent has finished"),
  onConflictEvents: flag(
    "triggers.conflict_events",
    true,
    "create one when a conflict starts and when it is resolved",
    exactly(false, "no checkpoints when conflicts start and end"),
  ),
  onToolUse: flag(
    "triggers.tool_use",
    true,
    "create one before an agent uses a tool that may change files, in addition to those at prompts and at the end of turns",
    exactly(false, "no checkpoint before an agent's tool changes files"),
  ),
  keepPrePhase: kept("pre_phase", -1, `how many pre_phase checkpoints to keep; ${ALL}`),
  keepPostPhase: kept("post_phase", -1, "how many post_phase ones"),
  keepBatchComplete: kept("batch_complete", 3, "how many batch_complete ones of each phase"),
  keepAgentComplete: kept("agent_complete", 1, "how many agent_complete ones of each phase"),
  keepConflictStart: kept("conflict_start", 3, "how many conflict_start ones"),
  keepConflictResolved: kept("conflict_resolved", -1, "how many conflict_resolved ones"),
  keepUserInterrupt: kept("user_interrupt", 1, "how many user_interrupt ones"),
  keepSessionEnd: kept("session_end", 3, "how many session_end ones"),
  keepToolUse: kept("tool_use", 50, "how many tool_use ones"),
  keepPreRollback: kept("pre_rollback", 20, "how many pre_rollback ones, which make undo possible"),
  keepManual: kept("manual", -1, "how many manual ones"),
  keepAuto: kept("auto", 20, "how many auto ones"),
  onSuccess: word(
    "retention.on_success",
    ["keep_milestones", "keep_all", "delete_all"],
    "keep_milestones",
    "which checkpoints to keep when a session has completed",
    exactly("delete_all", "the checkpoints of a session are deleted when it has completed"),
  ),
  maxPerTask: count("retention.max_per_task", 1, 10, "how many checkpoints to keep per task"),
  maxAge: duration(
    "retention.max_age",
    "7d",
    "delete checkpoints older than this",
    shorterThan(A_DAY, "cleanup deletes checkpoints of the same day"),
  ),
  failedMaxAge: duration(
    "retention.failed_max_age",
    "30d",
    "the same for sessions that failed or were abandoned",
    shorterThan(A_DAY, "cleanup deletes checkpoints of sessions that failed on the same day"),
  ),
  maxSizeMb: count(
    "retention.max_size_mb",
    1,
    2048,
    "delete the oldest checkpoints when their total size exceeds this many megabytes",
    below(50, "cleanup deletes all but the newest checkpoints"),
  ),
  autoCleanup: flag("retention.auto_cleanup", true, "clean up automatically from time to time"),
  grace: duration(
    "retention.grace",
    "1d",
    "how long a deleted checkpoint can be restored with `delete --undo`",
    shorterThan(A_DAY, "deleted checkpoints are removed for good within a day"),
  ),
  includeUntracked: flag(
    "capture.include_untracked",
    true,
    "capture files that git does not track",
    exactly(false, "files that git does not track are not protected"),
  ),
  includeIgnored: patterns("capture.include_ignored", "ignored files to capture anyway", OUTSIDE),
  maxFileMb: count(
    "capture.max_file_mb",
    1,
    50,
    "skip larger untracked files (`show` lists them)",
    below(5, "ordinary files are too large to be protected"),
  ),
  maxFiles: count(
    "capture.max_files",
    1,
    200_000,
    "refuse to create a checkpoint of more changed and untracked files than this",
    below(1000, "a project with an ordinary number of changes gets no checkpoint"),
  ),
  maxTotalMb: count(
    "capture.max_total_mb",
    1,
    2048,
    "the same for their total size in megabytes",
    below(50, "a project with changes of ordinary size gets no checkpoint"),
  ),
  maxStateMb: count("capture.max_state_mb", 1, 16, "refuse larger state documents"),
  maxDatabaseMb: count("capture.max_database_mb", 1, 1024, "refuse larger database dumps"),
  exclude: patterns(
    "capture.exclude",
    "untracked files and folders to skip, as in .gitignore; a rollback never touches them",
    broad("new source files are not protected"),
  ),
  secretsExclude: flag(
    "secrets.exclude",
    true,
    "skip untracked files that are certainly secrets",
    exactly(false, "checkpoints contain files with secrets"),
  ),
  secretsPatterns: patterns(
    "secrets.patterns",
    "more file names to treat as secrets, as in .gitignore",
    broad("new source files are treated as secrets and not protected"),
  ),
  secretsScan: flag(
    "secrets.scan",
    true,
    "search files for secrets; a file that seems to contain one never leaves this machine",
    exactly(false, "secrets in files are not noticed, not even by export"),
  ),
  backlog: autoSwitch(
    "backlog.enabled",
    "work with Backlog.md tasks; auto: if there is a backlog folder",
  ),
  issues: autoSwitch(
    "issues.enabled",
    "read the issue of a session through gh; auto: if gh is installed",
  ),
  issuesTimeout: duration("issues.timeout", "5s", "how long to wait for an issue"),
  gitTags: tagSwitch(
    "git.tags",
    "create an annotated git tag in the repository for checkpoints: milestones (before and after phases, manual ones, resolved conflicts, ends of sessions, pinned ones), or all, which is also true; `git push --tags` sends them with their untracked files",
    anyOf(
      [true, "milestones", "all"],
      "`git push --tags` publishes checkpoints with all of their files",
    ),
  ),
  isolationPlace: word(
    "isolation.place",
    ["cache", "git_folder"],
    "cache",
    "where the work trees of isolated nodes are created: in the user's cache folder, or in the git folder, where some agents refuse to write",
  ),
  agentPolicy: word(
    "agents.policy",
    POLICIES,
    "fail_open",
    "what an agent hook does when it cannot create a checkpoint: let the agent continue, or stop it",
  ),
  agentDeadline: timeLimit(
    "agents.deadline",
    LEAST_DEADLINE_MS,
    "10s",
    "time limit of an agent hook; keep it below the agent's own limit for hooks",
    shorterThan(4000, "agent hooks time out before a large project is protected"),
  ),
  agentPrompts: flag(
    "agents.prompts",
    true,
    "store the first line of the prompt (at most 120 characters) in the checkpoints that hooks create; text that looks like a secret is removed, but not every password looks like one",
  ),
} as const;

/** `agents.<name>`: an agent with a policy of its own. */
export const AGENT_SECTION = "agents";
const AGENT_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export function agentKey(name: string): Key<(typeof POLICIES)[number]> | undefined {
  if (!AGENT_NAME.test(name) || BY_PATH.has(`${AGENT_SECTION}.${name}`)) return undefined;
  return word(
    `${AGENT_SECTION}.${name}`,
    POLICIES,
    KEYS.agentPolicy.fallback,
    "the same for one agent",
    weakerThanUsers(
      KEYS.agentPolicy.path,
      "fail_closed",
      `${name} changes files even if no checkpoint can be created`,
    ),
  );
}

export const ALL_KEYS: readonly Key[] = Object.values(KEYS);

const BY_PATH: ReadonlyMap<string, Key> = new Map(ALL_KEYS.map((key) => [key.path, key]));

/** A setting that is about one agent only. */
export function isOfOneAgent(path: string): boolean {
  return path.startsWith(`${AGENT_SECTION}.`) && !BY_PATH.has(path);
}

export function keyAt(path: string): Key | undefined {
  if (BY_PATH.has(path)) return BY_PATH.get(path);
  const [section, name, ...more] = path.split(".");
  if (section !== AGENT_SECTION || name === undefined) return undefined;
  // `agents: {claude: {policy: fail_closed}}` says the same as `agents: {claude: fail_closed}`.
  return more.length === 0 || (more.length === 1 && more[0] === "policy")
    ? agentKey(name)
    : undefined;
}

/** A name that sets several keys at once. */
export interface Shorthand {
  readonly path: string;
  readonly keys: readonly Key[];
  readonly text: string;
}

export const SHORTHANDS: readonly Shorthand[] = [
  {
    path: "retention.phase_transition",
    keys: [KEYS.keepPrePhase, KEYS.keepPostPhase],
    text: "sets pre_phase and post_phase together",
  },
];

export const SECTIONS: Readonly<Record<string, string>> = {
  phases: "The phases of the workflow.",
  triggers: "When checkpoints are created automatically.",
  retention:
    "How many checkpoints to keep, and for how long. Pinned, current and newest ones are always kept.",
  capture: "What a checkpoint contains.",
  secrets:
    "Files that are skipped, or never leave this machine, because of their content. Tracked files are never skipped.",
  backlog: "Tasks of Backlog.md.",
  issues: "Issues on GitHub.",
  git: "What others see in the repository.",
  isolation: "Workflow nodes with a work tree of their own.",
  agents: "Agent hooks. The name of an agent (claude, codex, gemini …) sets a policy for it alone.",
};

export function allowedText(kind: ValueKind): string {
  switch (kind.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `an integer from ${kind.min} to ${MOST}`;
    case "duration":
      return kind.min === undefined
        ? "a duration such as 30m, 24h, 7d or never"
        : `a duration of at least ${showDuration(kind.min)}, such as 10s or 1m`;
    case "word":
      return oneOf(kind.words);
    case "switch":
      return oneOf([...kind.words, "true", "false"]);
    case "names":
      return "a list of names such as [plan, implement]";
    case "patterns":
      return 'a list of patterns such as ["*.bin", "data/"]';
  }
}

function oneOf(words: readonly string[]): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

/** `WAYMARK_RETENTION_MAX_AGE` for `retention.max_age`. */
export function variableOf(path: string): string {
  return `WAYMARK_${path.replaceAll(/[.-]/g, "_").toUpperCase()}`;
}

/** The text of an environment variable as a file would say it. */
export function fromText(kind: ValueKind, text: string): unknown {
  switch (kind.type) {
    case "boolean":
    case "switch":
      return text === "true" ? true : text === "false" ? false : text;
    case "integer":
      return /^-?\d{1,10}$/.test(text) ? Number(text) : text;
    case "names":
    case "patterns":
      return text.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
    case "duration":
    case "word":
      return text;
  }
}
