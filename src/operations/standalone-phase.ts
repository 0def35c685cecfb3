/**
 * Runs one phase of a workflow: a checkpoint before it, as the strategy says, one after it when it succeeded, none when it failed.
 * The session knows all the time where it is.
 */
import { type CheckpointDocument, type Trigger } from "../domain/checkpoint.ts";
import type { Config, Strategy } from "../domain/config.ts";
import { Failure } from "../domain/failure.ts";
import { endOf, type StepReport } from "../domain/guard.ts";
import { redact } from "../domain/secrets/redact.ts";
import type { SessionDocument } from "../domain/session.ts";
import { asFailure } from "../domain/system-error.ts";
import { NO_PROGRESS, phaseOf, type PhaseProgress } from "../domain/workflow/progress.ts";
import { withPhaseProgress } from "../domain/workflow/phase-progress.ts";
import { withoutRunning } from "../domain/workflow/take-up.ts";
import { postCheckpoint, preCheckpoint, stepOf } from "../domain/workflow/strategy.ts";
import { audited, type Audit } from "./audited.ts";
import { createCheckpoint, type CreateRequest } from "./create-checkpoint.ts";
import { runStep, type Step, type StepRun } from "./guard-step.ts";
import { keepLease } from "./keep-lease.ts";
import { refuseOtherRun } from "./other-run.ts";
import { acquireSession, type OwnedSession } from "./owned-session.ts";
import { goingOn, phaseSession, type PhaseSession } from "./phase-session.ts";
import type { Project } from "./project.ts";
import { putAway } from "./put-away-session.ts";
import { signalText, StopWish } from "./stop-wish.ts";

export type CheckpointChoice = "retry" | "skip" | "stop";
/** fresh: the session is put away, and another one is begun. */
export type UnfinishedChoice = "resume" | "fresh" | "stop";

export interface PhaseRequest {
  readonly name: string;
  /** Its number; found out when it is not given. */
  readonly step?: number;
  readonly taskId?: string;
  readonly issueNumber?: number;
  readonly workflowState?: string;
  readonly description?: string;
  /** The command line that it is, for whoever resumes it. */
  readonly command?: string;
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
  /** Whether it changes the project; the settings know when it is not given. */
  readonly modifies?: boolean;
  /** In place of the configured one. */
  readonly strategy?: Strategy;
  readonly timeoutMs?: number;
  /** What the checkpoints hold beside the work tree. */
  readonly checkpoint?: Pick<CreateRequest, "parts" | "scope" | "includeSecrets">;
  /** Ctrl+C reaches the step by itself: it is ended only when it is pressed again. */
  readonly sharesTerminal?: boolean;
  /** Asked when a phase of this session was cut off; without it the session goes on. */
  readonly onUnfinished?: (
    session: SessionDocument,
    phase: PhaseProgress,
  ) => Promise<UnfinishedChoice>;
  /** Asked when a checkpoint could not be taken; without it nothing is run. */
  readonly onCheckpointFailed?: (failure: Failure) => Promise<CheckpointChoice>;
  readonly onEvent?: (event: PhaseEvent) => void;
}

export type OwnedPhaseRequest = Omit<PhaseRequest, "sessionId" | "onUnfinished">;

export type PhaseEvent =
  | { readonly kind: "session"; readonly session: SessionDocument; readonly isNew: boolean }
  | { readonly kind: "checkpoint"; readonly checkpoint: CheckpointDocument }
  /** None is taken before the phase. */
  | { readonly kind: "no_checkpoint"; readonly why: string }
  | { readonly kind: "unprotected"; readonly failure: Failure }
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "interrupted"; readonly signal: string; readonly isWaiting: boolean };

export interface PhaseResult {
  readonly sessionId: string;
  readonly name: string;
  readonly step: number;
  readonly attempt: number;
  readonly report: StepReport;
  readonly before: CheckpointDocument | null;
  readonly after: CheckpointDocument | null;
  /** The one that was taken when it was interrupted, or took too long. */
  readonly interrupt: CheckpointDocument | null;
  readonly interruptedBy: string | null;
  /** It ended well, but what comes after it did not: the checkpoint after it, or the session. */
  readonly problem: Failure | null;
}

export function runPhase(project: Project, request: PhaseRequest, act: Step): Promise<PhaseResult> {
  return audited(project, auditOf(request), async () => {
    refuseBadName(request.name);
    const seen = await goingOn(project, request.sessionId);
    if (seen?.isInside === true) {
      tellSession(request, seen.document);
      return new RunningPhase(project, request, seen.document, undefined).run(act);
    }
    const choice = await choiceFor(request, seen);
    const owned = await begin(project, request, choice);
    try {
      return await new RunningPhase(project, request, owned.document, owned).run(act);
    } finally {
      await owned.release();
    }
  });
}

/** The same in a session that the caller runs, and goes on running. */
export function runOwnedPhase(
  project: Project,
  owned: OwnedSession,
  given: OwnedPhaseRequest,
  act: Step,
): Promise<PhaseResult> {
  const request: PhaseRequest = { ...given, sessionId: owned.id };
  return audited(project, auditOf(request), async () => {
    refuseBadName(request.name);
    return new RunningPhase(project, request, await owned.read(), owned).run(act);
  });
}

function auditOf(request: PhaseRequest): Audit<PhaseResult> {
  return {
    operation: "phase",
    sessionId: request.sessionId,
    reason: request.description ?? `phase ${request.name}`,
    outcome: ({ sessionId, name, step, attempt, report, before, after, interruptedBy }) => ({
      checkpointIds: [before, after].flatMap((taken) => (taken === null ? [] : [taken.id])),
      details: { session_id: sessionId, phase: name, step, attempt, interrupted_by: interruptedBy },
      ...(report.ok
        ? {}
        : {
            failure: {
              code: interruptedBy === null ? "phase_failed" : "interrupted",
              message: `phase ${name} failed`,
            },
          }),
    }),
  };
}

function refuseBadName(name: string): void {
  if (redact(name) !== name) {
    throw new Failure("usage", "the name of the phase looks like a secret", {
      hint: "Use another one: it is written into the session and its checkpoints. Nothing was run.",
    });
  }
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name)) return;
  throw new Failure("usage", `a phase cannot be called ${JSON.stringify(name)}`, {
    hint: "Use letters, digits, spaces and - _ . (64 at most). Nothing was run.",
  });
}

function tellSession({ onEvent }: PhaseRequest, session: SessionDocument): void {
  onEvent?.({ kind: "session", session, isNew: session.workflow?.phases.length === 0 });
}

/** What becomes of a session whose phase was cut off; nothing is locked while somebody thinks about it. */
async function choiceFor(
  { onUnfinished }: PhaseRequest,
  found: PhaseSession | undefined,
): Promise<Exclude<UnfinishedChoice, "stop">> {
  if (found?.unfinished === undefined) return "resume";
  const choice = (await onUnfinished?.(found.document, found.unfinished)) ?? "resume";
  if (choice !== "stop") return choice;
  throw new Failure("needs_confirmation", `phase ${found.unfinished.name} was interrupted`, {
    hint: "Nothing was run.",
  });
}

/** The session that this process runs from here on; nobody else begins to run one here at the same time. */
async function begin(
  project: Project,
  request: PhaseRequest,
  choice: Exclude<UnfinishedChoice, "stop">,
): Promise<OwnedSession> {
  const place = await project.runFiles.enter();
  try {
    const before = await goingOn(project, request.sessionId);
    await refuseOtherRun(project, before?.document.id);
    const isPutAway = choice === "fresh" && before?.unfinished !== undefined;
    if (isPutAway) {
      await putAway(project, before.document.id, "replaced by a new session");
    }
    const { sessionId: _, ...anew } = request;
    const found = await phaseSession(project, isPutAway ? anew : request);
    tellSession(request, found.document);
    const purpose = `phase ${request.name}`;
    const { owned, from } = await acquireSession(project, found.document.id, { purpose });
    if (from !== undefined) await endLeftOvers(project, request, owned.document);
    if (found.unfinished !== undefined) await takeUp(owned);
    return owned;
  } finally {
    place.leave();
  }
}

/** What a killed phase left running would go on writing beside this one. */
async function endLeftOvers(
  project: Project,
  { onEvent }: PhaseRequest,
  { commands_of: commands }: SessionDocument,
): Promise<void> {
  if (typeof commands !== "string") return;
  const count = await project.commands.endLeftOvers(commands);
  if (count === 0) return;
  const message = `ended ${count} ${count === 1 ? "process" : "processes"} left running by a killed phase`;
  onEvent?.({ kind: "warning", message });
}

/** What was cut off is not running any more, whichever phase comes now. */
async function takeUp(owned: OwnedSession): Promise<void> {
  await owned.update("the session is resumed", (session) =>
    session.workflow === undefined
      ? undefined
      : { ...session, workflow: withoutRunning(session.workflow) },
  );
}

class RunningPhase {
  readonly #project: Project;
  readonly #request: PhaseRequest;
  readonly #sessionId: string;
  readonly #owned: OwnedSession | undefined;
  readonly #settings: Config;
  readonly #step: number;
  readonly #attempt: number;
  readonly #isFirst: boolean;
  readonly #wish: StopWish;

  constructor(
    project: Project,
    request: PhaseRequest,
    session: SessionDocument,
    owned: OwnedSession | undefined,
  ) {
    const { phases } = session.workflow ?? NO_PROGRESS;
    const { config } = project;
    this.#project = project;
    this.#request = request;
    this.#sessionId = session.id;
    this.#owned = owned;
    this.#settings = { ...config, strategy: request.strategy ?? config.strategy };
    this.#step = request.step ?? stepOf(config.phases.order, phases, request.name);
    const known =
      session.workflow === undefined ? undefined : phaseOf(session.workflow, request.name);
    this.#attempt = (known?.attempts ?? 0) + 1;
    this.#isFirst = phases.every(({ attempts }) => attempts === 0);
    this.#wish = new StopWish(request.sharesTerminal === true);
  }

  async run(act: Step): Promise<PhaseResult> {
    await this.#enter();
    const before = await this.#takeBefore();
    if (this.#project.interruption.isAsked) throw neverBegan();
    return this.#project.interruption.handOver(
      (signal) => this.#stop(signal),
      () => this.#goThrough(act, before),
    );
  }

  /** So that the checkpoint before it says which phase comes next. */
  #enter(): Promise<void> {
    const { name } = this.#request;
    const place = { current_phase: name, current_step: this.#step };
    return this.#change(`phase ${name} is next`, (session) => ({
      ...session,
      workflow: { ...(session.workflow ?? NO_PROGRESS), ...place },
    }));
  }

  async #goThrough(act: Step, before: CheckpointDocument | null): Promise<PhaseResult> {
    const { command } = this.#request;
    const commands = await this.#project.commands.name();
    await this.#change(`phase ${this.#request.name} begins`, (session) => ({
      ...this.#withPhase(session, {
        status: "running",
        checkpoint_before: before?.id ?? null,
        ...keptCommand(command),
      }),
      status: "active",
      // So that whoever takes the session over after a kill finds what was left running.
      commands_of: commands,
    }));
    const { report } = await this.#act(act, before);
    const interruptedBy = this.#wish.first ?? null;
    const result = {
      sessionId: this.#sessionId,
      name: this.#request.name,
      step: this.#step,
      attempt: this.#attempt,
      before,
      interruptedBy,
    };
    const nothing = { after: null, interrupt: null, problem: null };
    if (interruptedBy !== null) {
      await this.#project.commands.endLeftOvers();
      const ending = await this.#interrupted(interruptedBy);
      return { ...result, ...nothing, report: { ...report, ok: false }, ...ending };
    }
    if (!report.ok) {
      await this.#failed(report);
      if (!report.timedOut) return { ...result, ...nothing, report };
      await this.#project.commands.endLeftOvers();
      const ending = await this.#hold("session_end", "took too long");
      return { ...result, ...nothing, report, ...ending };
    }
    await this.#note("is completed", { status: "completed", error: null });
    return { ...result, ...nothing, report, ...(await this.#takeAfter()) };
  }

  async #act(act: Step, before: CheckpointDocument | null): Promise<StepRun> {
    const { name, timeoutMs } = this.#request;
    const work = (): Promise<StepRun> =>
      runStep(this.#project.clock, act, {
        context: {
          attempt: this.#attempt,
          checkpointId: before?.id ?? "",
          env: {
            WAYMARK_SESSION: this.#sessionId,
            WAYMARK_PHASE: name,
            WAYMARK_STEP: String(this.#step),
            WAYMARK_ATTEMPT: String(this.#attempt),
            WAYMARK_CHECKPOINT: before?.id ?? "",
          },
        },
        timeoutMs,
        whenStopped: (listener) => this.#wish.whenStopped(listener),
      });
    if (this.#owned === undefined) return work();
    let lost: Error | undefined;
    const stopKeeping = keepLease(this.#owned, {
      onLost: (error) => {
        lost = error;
        this.#wish.add("SIGTERM");
      },
    });
    try {
      const run = await work();
      if (lost !== undefined) throw lost;
      return run;
    } finally {
      await stopKeeping();
    }
  }

  /** By the strategy; undecided until it is known whether something differs from HEAD. */
  async #takeBefore(): Promise<CheckpointDocument | null> {
    const { name, modifies } = this.#request;
    const decided = preCheckpoint(this.#settings, { name, modifies, isFirst: this.#isFirst });
    const isWanted =
      decided.kind === "take" || (decided.kind === "if_dirty" && (await this.#isDirty()));
    if (isWanted) return this.#take("pre_phase", `before phase ${name}`);
    const why = decided.kind === "none" ? decided.why : "nothing differs from HEAD";
    this.#request.onEvent?.({ kind: "no_checkpoint", why });
    return null;
  }

  async #isDirty(): Promise<boolean> {
    const { policy, workTree } = this.#project;
    const capture = await workTree.capture({ policy, onlyLook: true });
    capture.discard();
    return Object.values(capture.git.stats).some((count) => count > 0);
  }

  async #takeAfter(): Promise<Pick<PhaseResult, "after" | "problem">> {
    const { name, modifies } = this.#request;
    if (!postCheckpoint(this.#settings, { name, modifies })) return { after: null, problem: null };
    try {
      const after = await this.#take("post_phase", `after phase ${name}`);
      if (after !== null) await this.#note("has its checkpoint", { checkpoint_after: after.id });
      return { after, problem: null };
    } catch (error) {
      return { after: null, problem: expected(error) };
    }
  }

  async #take(trigger: Trigger, reason: string): Promise<CheckpointDocument | null> {
    const { taskId, issueNumber, workflowState, description, metrics } = this.#request;
    for (;;) {
      try {
        const { checkpoint, warnings } = await createCheckpoint(this.#project, {
          trigger,
          reason,
          sessionId: this.#sessionId,
          phase: this.#request.name,
          step: this.#step,
          ...(taskId === undefined ? {} : { taskId }),
          ...(issueNumber === undefined ? {} : { issueNumber }),
          ...(workflowState === undefined ? {} : { workflowState }),
          ...(description === undefined ? {} : { description }),
          ...(metrics === undefined ? {} : { metrics }),
          ...this.#request.checkpoint,
        });
        for (const message of warnings) this.#request.onEvent?.({ kind: "warning", message });
        this.#request.onEvent?.({ kind: "checkpoint", checkpoint });
        return checkpoint;
      } catch (error) {
        const failure = expected(error);
        this.#request.onEvent?.({ kind: "unprotected", failure });
        const choice = (await this.#request.onCheckpointFailed?.(failure)) ?? "stop";
        if (choice === "skip") return null;
        if (choice === "stop") throw failure;
      }
    }
  }

  async #failed(report: StepReport): Promise<void> {
    const { name } = this.#request;
    const error = redact(report.error ?? endOf(report));
    await this.#change(`phase ${name} failed`, (session) => ({
      ...this.#withPhase(session, { status: "failed", error }),
      last_error: { at: this.#now(), phase: name, node: null, message: error },
    }));
  }

  /** What was done so far is held at once; the session waits for somebody to resume it. */
  async #interrupted(signal: string): Promise<Pick<PhaseResult, "interrupt" | "problem">> {
    const trigger = signal === "SIGINT" ? "user_interrupt" : "session_end";
    const why = `interrupted by ${signalText(signal)}`;
    await this.#change(why, (session) => ({
      ...this.#withPhase(session, { status: "pending", error: why }),
      status: "interrupted",
    }));
    return this.#hold(trigger, `was ${why}`);
  }

  async #hold(trigger: Trigger, why: string): Promise<Pick<PhaseResult, "interrupt" | "problem">> {
    try {
      const interrupt = await this.#take(trigger, `phase ${this.#request.name} ${why}`);
      return { interrupt, problem: null };
    } catch (error) {
      return { interrupt: null, problem: expected(error) };
    }
  }

  #stop(signal: string): void {
    const isFirst = this.#wish.first === undefined;
    this.#wish.add(signal);
    if (!isFirst) return;
    this.#request.onEvent?.({ kind: "interrupted", signal, isWaiting: !this.#wish.isStopped });
  }

  #note(what: string, change: Partial<PhaseProgress>): Promise<void> {
    return this.#change(`phase ${this.#request.name} ${what}`, (session) => ({
      ...this.#withPhase(session, change),
      status: "active",
    }));
  }

  #withPhase(session: SessionDocument, change: Partial<PhaseProgress>): SessionDocument {
    const { name } = this.#request;
    const place = { name, step: this.#step, attempts: this.#attempt };
    const workflow = withPhaseProgress(session.workflow ?? NO_PROGRESS, place, change, this.#now());
    return { ...session, workflow };
  }

  /** Whoever runs the session around this phase keeps its progress. */
  async #change(
    message: string,
    change: (session: SessionDocument) => SessionDocument,
  ): Promise<void> {
    await this.#owned?.update(message, change);
  }

  #now(): string {
    return this.#project.clock.now().toISOString();
  }
}

/** With a secret in it nobody gets to see it, and it could not be run again either. */
function keptCommand(command: string | undefined): Partial<PhaseProgress> {
  return command === undefined ? {} : { command: redact(command) === command ? command : null };
}

function neverBegan(): Failure {
  return new Failure("interrupted", "interrupted before the phase started", {
    hint: "Nothing was run.",
  });
}

function expected(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure instanceof Failure) return failure;
  throw error;
}
