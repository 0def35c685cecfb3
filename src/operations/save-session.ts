/** Keeps in a session what an orchestrator wants to find again. What it says no to is not saved in part. */
import { Failure } from "../domain/failure.ts";
import { redact, redactValue } from "../domain/secrets/redact.ts";
import { findPlacedSecret } from "../domain/secrets/secret-place.ts";
import { secretText } from "../domain/secrets/secret-text.ts";
import type { SessionDocument } from "../domain/session.ts";
import { isTooDeep, MOST_DEPTH } from "../domain/value-depth.ts";
import { heldWorkflow } from "../domain/workflow/held-workflow.ts";
import { NO_PROGRESS } from "../domain/workflow/progress.ts";
import { saveProblems } from "../domain/workflow/save-problems.ts";
import { savedProgress, type ProgressSave } from "../domain/workflow/saved-progress.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import { audited } from "./audited.ts";
import { findStartedSession } from "./find-session.ts";
import {
  heldFailure,
  isCommandOf,
  liveHolder,
  otherHolder,
  type OwnedSession,
} from "./owned-session.ts";
import type { Project } from "./project.ts";
import { withSessionEvent } from "./session-event.ts";
import { statusFailure } from "./session-status-failure.ts";
import { updateSession } from "./update-session.ts";

export interface SavedSession {
  readonly session: SessionDocument;
  /** What was saved: `state`, `outputs` … */
  readonly saved: readonly string[];
  /** Of these, what something was taken out of that looked like a secret. */
  readonly redacted: readonly string[];
}

/**
 * `given`: an id or a part of one; undefined: the session that was started in this work tree. Fails with `session_held` when
 * somebody else runs it, unless this is a command that its owner started.
 */
export async function saveSession(
  project: Project,
  given: string | undefined,
  save: ProgressSave,
): Promise<SavedSession> {
  const { id } = await findStartedSession(project, given);
  return saving(project, id, save, (message, change) =>
    updateSession(project, id, message, change),
  );
}

/** The same for whoever runs it: fails with `lease_lost` when that is somebody else by now. */
export function saveOwnedSession(
  project: Project,
  owned: OwnedSession,
  save: ProgressSave,
): Promise<SavedSession> {
  return saving(project, owned.id, save, (message, change) => owned.update(message, change));
}

type Write = (
  message: string,
  change: (session: SessionDocument) => SessionDocument,
) => Promise<unknown>;

function saving(
  project: Project,
  id: string,
  save: ProgressSave,
  write: Write,
): Promise<SavedSession> {
  return audited(
    project,
    {
      operation: "session",
      command: "session save",
      sessionId: id,
      outcome: ({ saved }) => ({ checkpointIds: [], details: { session_id: id, saved } }),
    },
    () => savePlain(project, id, plainOf(save), write),
  );
}

async function savePlain(
  project: Project,
  id: string,
  asked: ProgressSave,
  write: Write,
): Promise<SavedSession> {
  const { save, redacted } = redactedSave(asked);
  const saved = namesOf(save);
  let after: SessionDocument | undefined;
  await write(`saved: ${saved.join(", ")}`, (session) => {
    refuse(project, session);
    const at = project.clock.now().toISOString();
    const fromOutside = liveHolder(project, session) === undefined;
    const workflow = savedProgress(session.workflow ?? NO_PROGRESS, save, at, fromOutside);
    after = withSessionEvent(project, { ...session, workflow }, { details: { saved } });
    refuseUnholdable(project, after);
    return after;
  });
  if (after === undefined) throw new Error(`session ${id} was not written`);
  return { session: after, saved, redacted };
}

/** As it will be read back: a date becomes text here and not only in the stored document. */
function plainOf({ merge, ...save }: ProgressSave): ProgressSave {
  if (isTooDeep(save)) {
    throw unusable(`it is nested deeper than ${MOST_DEPTH} levels`);
  }
  const plain = JSON.parse(JSON.stringify(save)) as ProgressSave;
  const [problem] = saveProblems(plain);
  if (problem !== undefined) throw unusable(problem);
  if (namesOf(plain).length === 0) throw unusable("no data given");
  return merge === true ? { ...plain, merge } : plain;
}

function unusable(problem: string): Failure {
  return new Failure("usage", `cannot save to the session: ${problem}`, {
    hint: "`waymark help sessions` shows what each part looks like. Nothing was saved.",
  });
}

/** Texts and metrics lose what looks like a secret, as those of checkpoints do; documents with one are refused later. */
function redactedSave(given: ProgressSave): {
  readonly save: ProgressSave;
  readonly redacted: readonly string[];
} {
  const { phase, stateLabel, metrics } = given;
  const clean = {
    ...(phase === undefined ? {} : { phase: redact(phase) }),
    ...(stateLabel === undefined ? {} : { stateLabel: redact(stateLabel) }),
    ...(metrics === undefined ? {} : { metrics: redactValue(metrics) as typeof metrics }),
  };
  const save = { ...given, ...clean };
  const isChanged = (name: "phase" | "stateLabel" | "metrics"): boolean =>
    JSON.stringify(save[name]) !== JSON.stringify(given[name]);
  const names = { phase: "phase", stateLabel: "state label", metrics: "metrics" } as const;
  const changed = (["phase", "stateLabel", "metrics"] as const).filter(isChanged);
  return { save, redacted: changed.map((name) => names[name]) };
}

const NAMES: Readonly<Record<Exclude<keyof ProgressSave, "merge">, string>> = {
  state: "state",
  outputs: "outputs",
  metrics: "metrics",
  phase: "phase",
  step: "step",
  iteration: "iteration",
  stateLabel: "state label",
  team: "team",
  messages: "messages",
  knowledge: "knowledge",
  agentOutputs: "agent outputs",
};

function namesOf(save: ProgressSave): string[] {
  return Object.entries(NAMES)
    .filter(([name]) => name in save)
    .map(([, words]) => words);
}

function refuse(project: Project, session: SessionDocument): void {
  if (isEnded(session.status)) throw statusFailure(session, "be saved into");
  const lease = otherHolder(project, session);
  // What its owner started may save: that is how the nodes of a workflow do it.
  if (lease !== undefined && !isCommandOf(project, session))
    throw heldFailure(project, session.id, lease);
}

/** As the keeper of states counts. */
const BYTES_PER_MB = 1024 * 1024;

/** Every checkpoint of the session holds its progress, so what no checkpoint may hold cannot get into it. */
function refuseUnholdable(project: Project, session: SessionDocument): void {
  const held = heldWorkflow(session);
  const { maxStateMb } = project.config.capture;
  const bytes = new TextEncoder().encode(JSON.stringify(held, null, 2)).length;
  if (bytes > maxStateMb * BYTES_PER_MB) {
    throw new Failure("over_budget", `the data of session ${session.id} would be too large`, {
      hint: `Every checkpoint contains it: at most ${maxStateMb} MB (capture.max_state_mb). Save a path instead of the content. Nothing was saved.`,
    });
  }
  const { excludeSensitive, scanContent } = project.policy;
  const found = excludeSensitive && scanContent ? findPlacedSecret(held) : undefined;
  if (found === undefined) return;
  const why = { reason: "sensitive_content", detail: found.ruleId } as const;
  throw new Failure(
    "secrets_held",
    `nothing was saved: ${found.place || "it"} ${secretText(why)}`,
    {
      hint: "A session is part of every one of its checkpoints, so it keeps no secrets. Remove it, or save the name of the variable or file that contains it.",
      details: { place: found.place, ...why },
    },
  );
}
