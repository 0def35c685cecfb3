/**
 * Whose work is it that changed a file between two moments? Hooks say when a step of a session began and, of tools that write, which
 * files it named. Nobody says when it ended, and people say nothing at all: what cannot be told apart is nobody's to take back.
 */
import { isInside, type BytePath } from "../byte-path.ts";
import type { Trigger } from "../checkpoint.ts";

/** A moment, as far as it matters here. The last one is now. */
export interface ClaimMoment {
  readonly id: string;
  readonly at: string;
  /** The branch, or the commit of a detached HEAD. */
  readonly head: string | null;
  /** The session of a workflow that took it; null: none. */
  readonly workflow: string | null;
  readonly trigger: Trigger | null;
}

export interface WorkStep {
  readonly at: string;
  /** It holds what was there before. */
  readonly checkpointId: string;
  readonly session: string;
  readonly moment: "prompt" | "pre_tool" | "turn_end" | "session_end";
  /** What it named; null: it might change anything. */
  readonly paths: readonly BytePath[] | null;
}

export type Owner =
  | { readonly kind: "nobody" }
  | { readonly kind: "one"; readonly session: string }
  | { readonly kind: "unsure"; readonly sessions: readonly string[] };

/** Who was at work from one moment to the next. */
export interface Claims {
  ownerOf(path: BytePath): Owner;
  /** Those who might have changed anything. */
  readonly atWork: readonly string[];
  /** Steps that began here, by session. */
  readonly begun: ReadonlyMap<string, number>;
}

const NOBODY: Owner = { kind: "nobody" };

/**
 * For each moment but the last one. `changedFrom`: paths that changed from the moment with this number to the next.
 *
 * The nearest claim counts: a step that named the file, before the latest step of a session that may have changed anything, before what is
 * merely under way (earlier steps of a session, a workflow, a turn of an agent whose tools nobody sees). Two sessions at the same distance
 * cannot be told apart.
 */
export function claimsOf(
  moments: readonly ClaimMoment[],
  steps: readonly WorkStep[],
  changedFrom: (index: number) => ReadonlySet<BytePath>,
): Claims[] {
  const placed = placeSteps(moments, steps);
  const seesTools = new Set(
    steps.flatMap(({ moment, session }) => (moment === "pre_tool" ? [session] : [])),
  );
  const lastHeard = new Map<string, number>();
  for (const [index, here] of placed.entries()) {
    for (const { step } of here) lastHeard.set(step.session, index);
  }
  const workflows = workflowsAtWork(moments);
  const claims: Claims[] = [];
  let pending: Named = new Map();
  for (let index = 0; index + 1 < moments.length; index++) {
    const stretch = new Stretch(pending, workflows[index], seesTools);
    for (const { step, isGone } of placed[index] ?? []) stretch.hear(step, isGone);
    // Nobody's edit: to take a switch of branches back would mix two of them.
    const isSwitch = moments[index]?.head !== moments[index + 1]?.head;
    claims.push(isSwitch ? { ...NO_CLAIMS, begun: stretch.begun } : stretch);
    const changed = changedFrom(index);
    pending = stillToCome(stretch.named, changed, (session) => {
      return (lastHeard.get(session) ?? -1) > index;
    });
  }
  return claims;
}

const NO_CLAIMS = { ownerOf: () => NOBODY, atWork: [] };

/** By session, the paths that a tool named and that did not change yet. */
type Named = ReadonlyMap<string, ReadonlySet<BytePath>>;

/** A checkpoint that others took meanwhile may have looked at the file before the tool wrote it. */
function stillToCome(
  named: Named,
  changed: ReadonlySet<BytePath>,
  isHeardAgain: (session: string) => boolean,
): Named {
  const left = new Map<string, ReadonlySet<BytePath>>();
  for (const [session, paths] of named) {
    if (!isHeardAgain(session)) continue;
    const unwritten = [...paths].filter(
      (path) => ![...changed].some((file) => isInside(file, path)),
    );
    if (unwritten.length > 0) left.set(session, new Set(unwritten));
  }
  return left;
}

class Stretch implements Claims {
  readonly begun = new Map<string, number>();
  readonly named = new Map<string, Set<BytePath>>();
  readonly #latest = new Set<string>();
  readonly #underWay = new Set<string>();
  /** Of steps whose own checkpoint is gone: what was there before them is not known. */
  readonly #gone: { readonly session: string; readonly paths: readonly BytePath[] | null }[] = [];
  readonly #seesTools: ReadonlySet<string>;

  constructor(pending: Named, workflow: string | undefined, seesTools: ReadonlySet<string>) {
    for (const [session, paths] of pending) this.named.set(session, new Set(paths));
    if (workflow !== undefined) this.#underWay.add(workflow);
    this.#seesTools = seesTools;
  }

  hear({ session, moment, paths }: WorkStep, isGone: boolean): void {
    if (moment !== "pre_tool") {
      this.#forget(session);
      // The tools of most agents are seen: what changes before the first one is not theirs.
      const isTurn = moment === "prompt" && !this.#seesTools.has(session);
      if (!isTurn) return;
      if (isGone) this.#gone.push({ session, paths: null });
      else this.#underWay.add(session);
    } else if (isGone) {
      this.#gone.push({ session, paths });
      return;
    } else if (paths === null) {
      this.#latest.add(session);
    } else {
      if (this.#latest.delete(session)) this.#underWay.add(session);
      const named = this.named.get(session) ?? new Set();
      for (const path of paths) named.add(path);
      this.named.set(session, named);
    }
    if (!isGone) this.begun.set(session, (this.begun.get(session) ?? 0) + 1);
  }

  #forget(session: string): void {
    this.named.delete(session);
    this.#latest.delete(session);
    this.#underWay.delete(session);
  }

  get atWork(): string[] {
    return [...new Set([...this.#latest, ...this.#underWay])];
  }

  ownerOf(path: BytePath): Owner {
    const naming = [...this.named].flatMap(([session, paths]) =>
      [...paths].some((named) => isInside(path, named)) ? [session] : [],
    );
    const gone = this.#gone.filter(({ session }) => !this.#latest.has(session));
    const goneNaming = gone.filter(
      ({ paths }) => paths?.some((named) => isInside(path, named)) === true,
    );
    const goneAny = gone.filter(({ paths }) => paths === null);
    return (
      nearest(naming, goneNaming) ??
      nearest([...this.#latest], goneAny) ??
      nearest([...this.#underWay], []) ??
      NOBODY
    );
  }
}

function nearest(
  sessions: readonly string[],
  gone: readonly { readonly session: string }[],
): Owner | undefined {
  const all = [...new Set([...sessions, ...gone.map(({ session }) => session)])];
  const [only] = all;
  if (only === undefined) return undefined;
  return all.length === 1 && gone.length === 0
    ? { kind: "one", session: only }
    : { kind: "unsure", sessions: all };
}

interface PlacedStep {
  readonly step: WorkStep;
  readonly isGone: boolean;
}

/**
 * A step begins at the last moment before it was heard of: where nothing had changed, it has no checkpoint of its own, and what others
 * took since is before it.
 */
function placeSteps(
  moments: readonly ClaimMoment[],
  steps: readonly WorkStep[],
): (readonly PlacedStep[])[] {
  // A rollback makes the moment of a checkpoint come again; the clock tells which time is meant.
  const indexOf = new Map(moments.map(({ id }, index) => [id, index] as const).toReversed());
  const placed = moments.map((): PlacedStep[] => []);
  for (const step of steps) {
    const own = indexOf.get(step.checkpointId);
    const heard = moments.findLastIndex(({ at }) => at <= step.at);
    const index = Math.min(Math.max(own ?? -1, heard), moments.length - 2);
    placed[index]?.push({ step, isGone: own === undefined });
  }
  return placed;
}

/** What a workflow ends a stretch of its work with. */
const ENDS: readonly (Trigger | null)[] = [
  "post_phase",
  "session_end",
  "user_interrupt",
  "pre_rollback",
];
/** With these something is running, whether or not the workflow was heard of again. */
const RUNS: readonly (Trigger | null)[] = [
  "pre_phase",
  "batch_complete",
  "agent_complete",
  "conflict_start",
];

/** For each moment, the workflow that was at work after it: from each of its checkpoints to its next one. */
function workflowsAtWork(moments: readonly ClaimMoment[]): (string | undefined)[] {
  const atWork = moments.map((): string | undefined => undefined);
  for (const [index, { workflow, trigger }] of moments.entries()) {
    if (workflow === null || ENDS.includes(trigger)) continue;
    const next = moments.findIndex((other, at) => at > index && other.workflow === workflow);
    const isAlone = next < 0;
    if (isAlone && !RUNS.includes(trigger)) continue;
    for (let at = index; at < (isAlone ? index + 1 : next); at++) atWork[at] = workflow;
  }
  return atWork;
}
