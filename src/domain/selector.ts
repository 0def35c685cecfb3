/** How people name a checkpoint: id, part of an id, step, `latest`, `latest~2`, `phase:NAME`, `session:ID/4`. */
import { Failure } from "./failure.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import { nearestNames } from "./nearest-name.ts";
import { compareAge, type Standing } from "./lineage.ts";
import { noSuchSession } from "./workflow/session-selector.ts";

export interface Candidate {
  readonly id: string;
  /** Absent when the checkpoint is damaged: it can still be named by its id. */
  readonly document: CheckpointDocument | undefined;
}

export interface SelectorContext {
  readonly candidates: readonly Candidate[];
  readonly standing: (document: CheckpointDocument) => Standing;
  readonly sessionId: string;
  readonly worktreeId: string;
  /** Every one that there is, latest first; undefined: one cannot be read, so nobody knows. */
  readonly sessions: readonly string[] | undefined;
}

export interface Selection {
  readonly id: string;
}

const MOST_LISTED = 8;
/** `cp-` and a digit of the step: less says nothing about what was meant. */
const LEAST_SHARED = 4;

export function selectCheckpoint(text: string, context: SelectorContext): Selection {
  const found = bySession(text, context) ?? byWord(text, context) ?? byStep(text, context);
  return found ?? byId(text, context);
}

function bySession(text: string, context: SelectorContext): Selection | undefined {
  const match = /^session:([^/]+)\/(.+)$/.exec(text);
  if (match === null) return undefined;
  const [, sessionId = "", rest = ""] = match;
  refuseUnknown(sessionId, context);
  return selectCheckpoint(rest, { ...context, sessionId, worktreeId: "" });
}

/** Checkpoints of another session are no answer to one that is not there. Those of one that was deleted may be. */
function refuseUnknown(sessionId: string, { candidates, sessions }: SelectorContext): void {
  if (sessions === undefined || sessions.includes(sessionId)) return;
  if (candidates.some(({ document }) => document?.session_id === sessionId)) return;
  throw noSuchSession(sessionId, sessions);
}

function byWord(text: string, context: SelectorContext): Selection | undefined {
  const latest = /^latest(?:~(\d{1,6}))?$/.exec(text);
  if (latest !== null) {
    const back = Number(latest[1] ?? 0);
    const line = ownLine(context);
    const chosen = line[line.length - 1 - back];
    if (chosen === undefined) {
      const count =
        line.length === 1 ? "is only 1 valid checkpoint" : `are ${line.length} valid checkpoints`;
      throw notFound(text, context, `there ${count} here`);
    }
    return { id: chosen.id };
  }
  const phase = /^phase:(.+)$/.exec(text)?.[1];
  if (phase === undefined) return undefined;
  const chosen = ownLine(context).findLast(
    (document) => document.phase === phase && document.trigger === "pre_phase",
  );
  if (chosen === undefined) throw notFound(text, context, `no pre_phase checkpoint of it is valid`);
  return { id: chosen.id };
}

function byStep(text: string, context: SelectorContext): Selection | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined;
  const step = Number(text);
  const ofStep = ownLine(context).filter((document) => document.step === step);
  const chosen =
    ofStep.findLast((document) => document.trigger === "post_phase") ??
    ofStep.findLast((document) => ["pre_phase", "manual"].includes(document.trigger)) ??
    ofStep.at(-1);
  if (chosen !== undefined) return { id: chosen.id };
  const abandoned = context.candidates.find(
    ({ document }) =>
      document?.step === step &&
      document.session_id === context.sessionId &&
      (context.worktreeId === "" || document.worktree_id === context.worktreeId),
  );
  if (abandoned === undefined) throw notFound(text, context, `no checkpoint has step ${step}`);
  throw new Failure("roll_forward", `step ${step} lies on a line that was rolled back`, {
    hint: `By step one only goes back. Its full id still works: ${abandoned.id}. \`waymark undo\` takes the rollback back.`,
    details: { candidates: [abandoned.id] },
  });
}

function byId(text: string, context: SelectorContext): Selection {
  const exact = context.candidates.find((candidate) => candidate.id === text);
  if (exact !== undefined) return { id: exact.id };
  const partly = context.candidates.filter((candidate) => candidate.id.includes(text));
  const [only] = partly;
  if (only === undefined || text === "") throw notFound(text, context, "no id contains it");
  if (partly.length > 1) {
    throw new Failure("ambiguous_selector", `"${text}" names ${partly.length} checkpoints`, {
      hint: `Use more of the id: ${partly
        .slice(0, MOST_LISTED)
        .map((candidate) => candidate.id)
        .join(", ")}${partly.length > MOST_LISTED ? ", …" : ""}`,
      details: { candidates: partly.map((candidate) => candidate.id) },
    });
  }
  return { id: only.id };
}

/** Valid checkpoints of the session in this work tree, oldest first, without `pre_rollback` ones. */
function ownLine(context: SelectorContext): CheckpointDocument[] {
  return context.candidates
    .flatMap((candidate) => candidate.document ?? [])
    .filter(
      (document) =>
        document.session_id === context.sessionId &&
        (context.worktreeId === "" || document.worktree_id === context.worktreeId) &&
        document.trigger !== "pre_rollback" &&
        context.standing(document).valid,
    )
    .toSorted(compareAge);
}

function notFound(text: string, context: SelectorContext, why: string): Failure {
  const near = nearestIds(text, context.candidates);
  const shown = near.length > 0 ? near : newestIds(context.candidates);
  const list = `The ${near.length > 0 ? "nearest" : "newest"} are: ${shown.join(", ")}.`;
  return new Failure("checkpoint_not_found", `no checkpoint matches "${text}": ${why}`, {
    hint:
      shown.length === 0
        ? "Run `waymark create` to take one."
        : `${meant(text)}${list} \`waymark list --all\` shows every one, \`waymark delete --undo\` what was deleted.`,
    details: { candidates: shown },
  });
}

function newestIds(candidates: readonly Candidate[]): string[] {
  return candidates
    .flatMap(({ document }) => document ?? [])
    .toSorted((left, right) => (left.created_at < right.created_at ? 1 : -1))
    .slice(0, MOST_LISTED)
    .map(({ id }) => id);
}

function meant(text: string): string {
  const [word] = nearestNames(text, ["latest"]);
  return word === undefined || text.startsWith(word) ? "" : `Did you mean \`${word}\`? `;
}

function nearestIds(text: string, candidates: readonly Candidate[]): string[] {
  return candidates
    .map((candidate) => ({ id: candidate.id, score: sharedStart(text, candidate.id) }))
    .filter(({ score }) => score >= LEAST_SHARED)
    .toSorted((left, right) => right.score - left.score || (left.id < right.id ? 1 : -1))
    .slice(0, MOST_LISTED)
    .map((scored) => scored.id);
}

function sharedStart(text: string, id: string): number {
  let shared = 0;
  while (shared < text.length && text[shared] === id[shared]) shared++;
  return shared;
}
