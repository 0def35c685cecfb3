/**
 * Whose work is it that changed a file between two moments? Hooks say when a step of a session began and, of tools that write, which
 * files it named. Nobody says when it ended, and people say nothing at all: what cannot be told apart is nobody's to take back.
 */
import type { AgentStep } from "../agents/agent-step.ts";
import { isInside, type BytePath } from "../byte-path.ts";
import {
  workflowsAtWork,
  type WorkflowAtWork,
  type WorkflowMoment,
  type WorkflowSigns,
} from "./workflows-at-work.ts";

/** A moment, as far as it matters here. The last one is now. */
export interface ClaimMoment extends WorkflowMoment {
  readonly id: string;
  readonly at: string;
  /** A digest of all files. */
  readonly content: string;
  /** The branch, or which detached HEAD it was: commits that follow one another are one. */
  readonly head: string | null;
  /** The step of an agent that it was taken for, as its document says. */
  readonly takenFor: Pick<WorkStep, "session" | "turn" | "moment"> | null;
}

export interface WorkStep {
  readonly at: string;
  /** It holds what was there before; null: none could be taken. */
  readonly checkpointId: string | null;
  /** That checkpoint was taken for it; else nothing had changed since. */
  readonly isOwn: boolean;
  readonly session: string;
  readonly moment: AgentStep["moment"];
  readonly turn: number | null;
  /** What it named; null: it might change anything. */
  readonly paths: readonly BytePath[] | null;
  /** The session of a workflow that its checkpoint belongs to. */
  readonly workflow: string | null;
  /** False: nothing but its checkpoint tells of it. Other records may be lost too, so nobody knows how long it went on. */
  readonly isRecorded: boolean;
}

/** Why it cannot be told: others may have done it, or the step's record or checkpoint is gone. */
export type Doubt = "not_told_apart" | "step_lost";

export type Owner =
  | { readonly kind: "nobody" }
  | { readonly kind: "one"; readonly session: string }
  | { readonly kind: "unsure"; readonly sessions: readonly string[]; readonly why: Doubt };

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
 * For each moment but the last one. `steps`: in the order in which they were heard of. `changedFrom`: paths that changed from the moment with
 * this number to the next; null where only `begun` and `atWork` are asked for, which do not need them.
 *
 * The nearest claim counts: a step that named the file, before the latest step of a session that may have changed anything, before what is
 * merely under way (earlier steps of a session, a workflow, a turn of an agent whose tools nobody sees). Two sessions at the same distance
 * cannot be told apart.
 */
export function claimsOf(
  moments: readonly ClaimMoment[],
  steps: readonly WorkStep[],
  changedFrom: ((index: number) => ReadonlySet<BytePath>) | null,
  /** A workflow whose work it is what agents do while it is at work. */
  workflow: string | null = null,
  signs: WorkflowSigns = { goesOn: () => true, isPaused: () => false },
): Claims[] {
  const workflows = workflowsAtWork(moments, signs);
  const placed = placeSteps(moments, steps).map((here, index) =>
    workflow !== null && workflows[index]?.session === workflow
      ? here.flatMap(asPartOf(workflow))
      : here,
  );
  const seesTools = new Set(
    steps.flatMap(({ moment, session }) => (moment === "pre_tool" ? [session] : [])),
  );
  const lastHeard = new Map<string, number>();
  for (const [index, here] of placed.entries()) {
    for (const { step } of here) lastHeard.set(step.session, index);
  }
  const claims: Claims[] = [];
  let pending: readonly Named[] = [];
  for (let index = 0; index + 1 < moments.length; index++) {
    const stretch = new Stretch(pending, workflows[index], seesTools, moments[index + 1]);
    for (const { step, isGone } of placed[index] ?? []) stretch.hear(step, isGone);
    // Nobody's edit: to take a switch of branches back would mix two of them.
    const isSwitch = moments[index]?.head !== moments[index + 1]?.head;
    claims.push(isSwitch ? { ...NO_CLAIMS, begun: stretch.begun } : stretch);
    if (changedFrom === null) continue;
    pending = stillToCome(stretch.named, changedFrom(index), (session) => {
      return (lastHeard.get(session) ?? -1) > index;
    });
  }
  return claims;
}

const NO_CLAIMS = { ownerOf: () => NOBODY, atWork: [] };

/** What a tool named and is not known to have written. */
interface Named {
  readonly session: string;
  readonly paths: readonly BytePath[];
  readonly isSure: boolean;
  /** Its session has begun another step since: by now it has written them, or does not write them any more. */
  readonly isOver: boolean;
}

/**
 * A checkpoint that others took meanwhile may have looked at the file before the tool wrote it. Of steps that are over only the session and the
 * names count: they are kept as one, because a session may have thousands of them.
 */
function stillToCome(
  named: readonly Named[],
  changed: ReadonlySet<BytePath>,
  isHeardAgain: (session: string) => boolean,
): Named[] {
  const files = [...changed];
  const isToCome = (path: BytePath): boolean => !files.some((file) => isInside(file, path));
  const over = new Map<string, Set<BytePath>>();
  const current: Named[] = [];
  for (const claim of named) {
    const paths = isHeardAgain(claim.session) ? claim.paths.filter(isToCome) : [];
    if (paths.length === 0) continue;
    if (!claim.isOver) current.push({ ...claim, paths });
    else over.set(claim.session, new Set([...(over.get(claim.session) ?? []), ...paths]));
  }
  const left = [...over].map(([session, paths]) => ({
    session,
    paths: [...paths],
    isSure: false,
    isOver: true,
  }));
  return [...left, ...current];
}

/** What of a step is lost, or when it was over, is not known: nothing of it is sure. */
interface Lost {
  readonly session: string;
  readonly paths: readonly BytePath[] | null;
}

class Stretch implements Claims {
  readonly begun = new Map<string, number>();
  /** Of earlier stretches. */
  #pending: readonly Named[];
  #named: readonly Named[] = [];
  readonly #latest = new Set<string>();
  readonly #underWay = new Set<string>();
  /** A workflow that may have been over. */
  readonly #perhaps: readonly string[];
  readonly #lost: Lost[] = [];
  readonly #seesTools: ReadonlySet<string>;
  readonly #end: ClaimMoment | undefined;

  constructor(
    pending: readonly Named[],
    workflow: WorkflowAtWork | undefined,
    seesTools: ReadonlySet<string>,
    end: ClaimMoment | undefined,
  ) {
    this.#pending = pending;
    if (workflow?.isSure === true) this.#underWay.add(workflow.session);
    this.#perhaps = workflow?.isSure === false ? [workflow.session] : [];
    this.#seesTools = seesTools;
    this.#end = end;
  }

  hear(step: WorkStep, isGone: boolean): void {
    const { session, moment, paths } = step;
    if (moment !== "pre_tool") {
      // What came before it and what a person did after it are one stretch by now.
      if (isGone) this.#lose(session);
      this.#forget(session);
      // The tools of most agents are seen: what changes before the first one is not theirs.
      const isTurn = moment === "prompt" && !this.#seesTools.has(session);
      if (!isTurn) return;
      if (isGone || !step.isRecorded) this.#lost.push({ session, paths: null });
      else this.#underWay.add(session);
    } else {
      this.#pending = this.#pending.map(over(session));
      this.#named = this.#named.map(over(session));
      if (isGone || (paths === null && !step.isRecorded)) {
        this.#lost.push({ session, paths });
        // It may write them after the next moment.
        if (paths !== null) {
          this.#named = [...this.#named, { session, paths, isSure: false, isOver: false }];
        }
      } else if (paths === null) this.#latest.add(session);
      else {
        if (this.#latest.delete(session)) this.#underWay.add(session);
        const isSure = step.isRecorded || this.#endsWithin(step);
        this.#named = [...this.#named, { session, paths, isSure, isOver: false }];
      }
    }
    if (!isGone) this.begun.set(session, (this.begun.get(session) ?? 0) + 1);
  }

  /** The stretch ends with a checkpoint that the same turn of the session took: it went on all the time. */
  #endsWithin({ session, turn }: WorkStep): boolean {
    const next = this.#end?.takenFor ?? null;
    return (
      next !== null &&
      next.session === session &&
      next.moment !== "prompt" &&
      turn !== null &&
      next.turn === turn
    );
  }

  #lose(session: string): void {
    const isOf = (claim: Named): boolean => claim.session === session;
    this.#lost.push(...this.named.filter(isOf).map(({ paths }) => ({ session, paths })));
    if (this.#latest.has(session) || this.#underWay.has(session)) {
      this.#lost.push({ session, paths: null });
    }
  }

  #forget(session: string): void {
    const isOther = (claim: Named): boolean => claim.session !== session;
    this.#pending = this.#pending.filter(isOther);
    this.#named = this.#named.filter(isOther);
    this.#latest.delete(session);
    this.#underWay.delete(session);
  }

  get named(): readonly Named[] {
    return [...this.#pending, ...this.#named];
  }

  get atWork(): string[] {
    return [...new Set([...this.#latest, ...this.#underWay, ...this.#perhaps])];
  }

  ownerOf(path: BytePath): Owner {
    const naming = [
      ...this.#named,
      // Nothing says that it was this step which wrote it, now that the session is at another one.
      ...this.#pending.filter(({ isOver }) => !isOver),
    ].filter(names(path));
    const current = naming.filter(({ isOver }) => !isOver);
    const named = current.length > 0 ? current : naming;
    const lost = this.#lost.filter(({ session }) => !this.#latest.has(session));
    const left = this.#pending.filter(({ isOver }) => isOver).filter(names(path));
    return (
      nearest(
        sessionsOf(named.filter(({ isSure }) => isSure)),
        sessionsOf([...named.filter(({ isSure }) => !isSure), ...lost.filter(names(path))]),
      ) ??
      nearest(
        [...this.#latest],
        sessionsOf(lost.filter(({ paths }) => paths === null)),
        sessionsOf(left),
      ) ??
      nearest([...this.#underWay], [], this.#perhaps) ??
      NOBODY
    );
  }
}

function over(session: string): (claim: Named) => Named {
  return (claim) => (claim.session === session ? { ...claim, isOver: true } : claim);
}

function names(path: BytePath): (claim: Lost) => boolean {
  return ({ paths }) => paths?.some((named) => isInside(path, named)) === true;
}

function sessionsOf(claims: readonly { readonly session: string }[]): string[] {
  return claims.map(({ session }) => session);
}

/** Of those who have a claim for sure, those of whom a step is lost, and those who may have come back to what they left. */
function nearest(
  sure: readonly string[],
  lost: readonly string[] = [],
  left: readonly string[] = [],
): Owner | undefined {
  const all = [...new Set([...sure, ...lost, ...left])];
  const [only] = all;
  if (only === undefined) return undefined;
  if (all.length === 1 && sure.includes(only)) return { kind: "one", session: only };
  const isLost = all.length === 1 && lost.length > 0;
  return { kind: "unsure", sessions: all, why: isLost ? "step_lost" : "not_told_apart" };
}

interface PlacedStep {
  readonly step: WorkStep;
  readonly isGone: boolean;
}

/**
 * A step begins at its checkpoint. Where nothing had changed it has none of its own: then at the last moment before it was heard of that holds
 * the same files. Clocks jump; the order in which steps were written down does not.
 */
function placeSteps(
  moments: readonly ClaimMoment[],
  steps: readonly WorkStep[],
): (readonly PlacedStep[])[] {
  // A rollback makes the moment of a checkpoint come again.
  const firstOf = new Map<string | null, number>(
    moments.map(({ id }, index) => [id, index] as const).toReversed(),
  );
  const fixed = steps.map(({ isOwn, isRecorded, checkpointId }) =>
    isOwn && isRecorded ? firstOf.get(checkpointId) : undefined,
  );
  const notBefore = runningBound(fixed, -1, Math.max);
  const notAfter = runningBound(fixed.toReversed(), moments.length - 2, Math.min).toReversed();
  const placed = moments.map((): PlacedStep[] => []);
  for (const [number, step] of steps.entries()) {
    const first = firstOf.get(step.checkpointId);
    const clock = moments.findLastIndex(({ at }) => at <= step.at);
    const until = Math.min(clock, notAfter[number] ?? clock);
    const isSame = (at: number): boolean => moments[at]?.content === moments[first ?? 0]?.content;
    const index =
      first === undefined
        ? Math.max(until, notBefore[number] ?? until)
        : step.isOwn
          ? first
          : lastWhere(first, until, isSame);
    placed[Math.min(index, moments.length - 2)]?.push({ step, isGone: first === undefined });
  }
  return placed;
}

/** What the values before each one allow for it. */
function runningBound(
  values: readonly (number | undefined)[],
  start: number,
  stricter: (left: number, right: number) => number,
): number[] {
  let bound = start;
  return values.map((value) => {
    const here = bound;
    if (value !== undefined) bound = stricter(bound, value);
    return here;
  });
}

/** The first one, if there is no later one. */
function lastWhere(first: number, last: number, isWanted: (index: number) => boolean): number {
  for (let index = last; index > first; index--) if (isWanted(index)) return index;
  return first;
}

/** The beginning and the end of an agent's turn mean nothing to a workflow that is under way all the time. */
function asPartOf(workflow: string): (placed: PlacedStep) => PlacedStep[] {
  return ({ step, isGone }) => {
    if (step.workflow !== workflow) return [{ step, isGone }];
    return step.moment === "pre_tool" ? [{ step: { ...step, session: workflow }, isGone }] : [];
  };
}
