/**
 * Checkpoint, act, verify, roll back: nothing is acted on without a checkpoint, and an attempt that fails is taken back as
 * a whole. What it did stays in the safety checkpoint of that rollback.
 */
import { showPath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { guardEnvironment, SKIPPED, type StepReport } from "../domain/guard.ts";
import { recordEvent } from "../domain/session.ts";
import { asFailure } from "../domain/system-error.ts";
import type { PartChange } from "../ports/part-keeper.ts";
import type { GuardPlace } from "../ports/guards.ts";
import { audited, type Audit } from "./audited.ts";
import { createCheckpoint, type CreateRequest } from "./create-checkpoint.ts";
import { rollbackWarnings } from "./documents/rollback-document.ts";
import { failureReport } from "./guard-report.ts";
import { runStep, type Step, type StepRun } from "./guard-step.ts";
import { planRollback, type RollbackPlan, type RollbackScope } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import {
  rollBackIfDifferent,
  type NothingDiffers,
  type RollbackOrder,
  type RollbackResult,
} from "./roll-back.ts";
import { rollbackId } from "./rollback-id.ts";
import { StopWish } from "./stop-wish.ts";
import { updateSession } from "./update-session.ts";

export interface GuardRequest {
  readonly act: Step;
  /** Run in this order after the act; the first that fails ends the attempt. */
  readonly verify?: Step | readonly Step[];
  /** How often to try again from the same checkpoint. */
  readonly retries?: number;
  /** For each step. */
  readonly timeoutMs?: number;
  /** For each check; as `timeoutMs` when it is not given. */
  readonly verifyTimeoutMs?: number;
  /** Leave what the last attempt did. */
  readonly keepOnFail?: boolean;
  /** Leave HEAD and branches where the act put them. */
  readonly keepHead?: boolean;
  /** About the checkpoint that is taken first. */
  readonly checkpoint?: Omit<CreateRequest, "trigger" | "force">;
  /** The checkpoint of the guard that this one is inside of, where both are in one process. */
  readonly within?: string;
  /** Ctrl+C reaches the steps by itself: they are ended only when it is pressed again. */
  readonly sharesTerminal?: boolean;
  /** Asked after Ctrl+C, when the step has ended; without it everything is rolled back. */
  readonly onInterrupted?: (given: {
    readonly signal: AbortSignal;
  }) => Promise<"roll_back" | "keep">;
  /** Is told what happens, as it happens. */
  readonly onEvent?: (event: GuardEvent) => void;
}

export type GuardEvent =
  | { readonly kind: "checkpoint"; readonly checkpoint: CheckpointDocument }
  | { readonly kind: "act"; readonly attempt: number }
  | { readonly kind: "verify"; readonly attempt: number; readonly index: number }
  | { readonly kind: "verified"; readonly index: number; readonly report: StepReport }
  /** `isWaiting`: the step got the signal too, and is left to end by itself. */
  | { readonly kind: "interrupted"; readonly signal: string; readonly isWaiting: boolean }
  /** Somebody wanted to stop during the rollback, which goes on. */
  | { readonly kind: "held_off"; readonly signal: string }
  | { readonly kind: "left_overs"; readonly count: number }
  | { readonly kind: "failed"; readonly attempt: GuardAttempt };

export interface AttemptChanges {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

export interface GuardAttempt {
  readonly attempt: number;
  readonly act: StepReport;
  readonly verify: readonly StepReport[];
  readonly passed: boolean;
  /** Null: it was not rolled back, or had changed nothing. Its safety checkpoint holds the attempt. */
  readonly rollback: RollbackResult | null;
  /** It failed and had changed nothing: there was nothing to roll back, and nothing to undo. */
  readonly unchanged: NothingDiffers | null;
  /** Null: that could not be found out. */
  readonly changes: AttemptChanges | null;
}

export interface GuardResult {
  readonly passed: boolean;
  readonly checkpoint: CheckpointDocument;
  readonly attempts: readonly GuardAttempt[];
  /** The project is as it was before, but for what `rollback` of the last attempt kept of others. */
  readonly rolledBack: boolean;
  /** The signal that ended it. */
  readonly interruptedBy: string | null;
  readonly warnings: readonly string[];
}

export function guard(project: Project, request: GuardRequest): Promise<GuardResult> {
  const audit: Audit<GuardResult> = {
    operation: "guard",
    sessionId: request.checkpoint?.sessionId,
    reason: request.checkpoint?.reason,
    outcome: ({ passed, checkpoint, attempts, rolledBack, interruptedBy }) => {
      const outcome = !rolledBack
        ? "its changes were kept"
        : attempts.every(({ rollback }) => rollback === null)
          ? "nothing was changed"
          : "rolled back";
      return {
        checkpointIds: [checkpoint.id],
        sessionId: checkpoint.session_id,
        details: {
          passed,
          attempts: attempts.length,
          rolled_back: rolledBack,
          interrupted_by: interruptedBy,
        },
        ...(passed
          ? {}
          : {
              failure: {
                code: interruptedBy === null ? "guard_failed" : "interrupted",
                message: `${attempts.length === 1 ? "the attempt" : `all ${attempts.length} attempts`} failed; ${outcome}`,
              },
            }),
      };
    },
  };
  return audited(project, audit, () => guarded(project, request));
}

async function guarded(project: Project, request: GuardRequest): Promise<GuardResult> {
  if (typeof request.act !== "function") {
    throw new Failure("usage", "guard needs a function `act`", {
      hint: "Pass it as `act`. Nothing was run, and no checkpoint was created.",
    });
  }
  const place = await project.guards.enter(request.within);
  try {
    const { checkpoint, warnings } = await createCheckpoint(project, {
      reason: "before a guarded command",
      ...request.checkpoint,
      trigger: "auto",
      force: true,
    });
    if (project.interruption.isAsked) throw interruptedBefore(checkpoint);
    return await project.interruption.holdOff(async () => {
      place.protect(checkpoint.id);
      request.onEvent?.({ kind: "checkpoint", checkpoint });
      const running = new RunningGuard(project, request, place, checkpoint);
      const result = await running.run();
      return {
        ...result,
        warnings: [
          ...warnings,
          ...running.warnings,
          ...ofRollbacks(result),
          ...(await writeDown(project, result)),
        ],
      };
    });
  } finally {
    place.leave();
  }
}

type Unwritten = Omit<GuardResult, "warnings">;

/** What the steps of one attempt came to. */
interface Steps {
  readonly act: StepReport;
  readonly verify: readonly StepReport[];
  /** The step that failed. */
  readonly failed: StepRun | undefined;
  readonly interruptedBy: string | undefined;
  readonly isKept: boolean;
}

interface Undone {
  readonly result: RollbackResult | NothingDiffers;
  /** The signal that came meanwhile. */
  readonly interruptedBy: string | undefined;
}

class RunningGuard {
  readonly #project: Project;
  readonly #request: GuardRequest;
  readonly #place: GuardPlace;
  readonly #checkpoint: CheckpointDocument;
  readonly #scope: RollbackScope;
  readonly #attempts: GuardAttempt[] = [];
  readonly warnings: string[] = [];
  /** The file about the attempt before. */
  #failure: string | undefined;

  constructor(
    project: Project,
    request: GuardRequest,
    place: GuardPlace,
    checkpoint: CheckpointDocument,
  ) {
    this.#project = project;
    this.#request = request;
    this.#place = place;
    this.#checkpoint = checkpoint;
    this.#scope = { filesOnly: false, keepHead: request.keepHead === true, paths: null };
  }

  async run(): Promise<Unwritten> {
    const most = 1 + (this.#request.retries ?? 0);
    for (let attempt = 1; ; attempt++) {
      const steps = await this.#trySteps(attempt);
      const passed = steps.failed === undefined && steps.interruptedBy === undefined;
      const mayBeLast = attempt >= most || steps.interruptedBy !== undefined;
      const isKept = passed || steps.isKept || (mayBeLast && this.#request.keepOnFail === true);
      const undone = isKept ? undefined : await this.#rollBack(attempt);
      const interruptedBy = steps.interruptedBy ?? undone?.interruptedBy;
      const isLast = mayBeLast || interruptedBy !== undefined;
      const record: GuardAttempt = {
        attempt,
        act: steps.act,
        verify: steps.verify,
        passed,
        ...outcomeOf(undone?.result),
        changes: undone === undefined ? await this.#changesNow() : changesOf(undone.result.plan),
      };
      this.#attempts.push(record);
      if (!passed) this.#request.onEvent?.({ kind: "failed", attempt: record });
      if (passed || isLast) {
        return {
          passed,
          checkpoint: this.#checkpoint,
          attempts: this.#attempts,
          rolledBack: undone !== undefined,
          interruptedBy: interruptedBy ?? null,
        };
      }
      this.#failure = this.#place.report(failureReport(attempt, steps));
    }
  }

  /** Runs the act and the checks. Whoever wants to stop is heard, and everything that was started has ended afterwards. */
  async #trySteps(attempt: number): Promise<Steps> {
    const wish = new StopWish(this.#request.sharesTerminal === true);
    const onWish = (signal: string): void => {
      const isFirst = wish.first === undefined;
      wish.add(signal);
      if (!isFirst) return;
      this.#request.onEvent?.({ kind: "interrupted", signal, isWaiting: !wish.isStopped });
    };
    return this.#project.interruption.handOver(onWish, async () => {
      const steps = this.#withGit(await this.#actAndVerify(attempt, wish));
      if (steps.failed === undefined && wish.first === undefined) {
        return { ...steps, interruptedBy: undefined, isKept: false };
      }
      const isKept = wish.first === "SIGINT" && (await this.#wantsToKeep(wish));
      if (!isKept) await this.#endLeftOvers();
      // What was left over may have deleted it.
      this.#withGit(steps);
      return { ...steps, interruptedBy: wish.first, isKept };
    });
  }

  async #actAndVerify(
    attempt: number,
    wish: StopWish,
  ): Promise<Pick<Steps, "act" | "verify" | "failed">> {
    const { act, verify = [], timeoutMs, verifyTimeoutMs, onEvent } = this.#request;
    const run = (step: Step, limit: number | undefined): Promise<StepRun> =>
      runStep(this.#project.clock, step, {
        context: {
          attempt,
          checkpointId: this.#checkpoint.id,
          env: guardEnvironment({
            around: this.#place.around,
            checkpointId: this.#checkpoint.id,
            attempt,
            failure: this.#failure,
          }),
        },
        timeoutMs: limit,
        whenStopped: (stop) => wish.whenStopped(stop),
      });
    onEvent?.({ kind: "act", attempt });
    const acted = await run(act, timeoutMs);
    let failed = acted.report.ok ? undefined : acted;
    const reports: StepReport[] = [];
    for (const [index, check] of (typeof verify === "function" ? [verify] : verify).entries()) {
      if (failed !== undefined || wish.first !== undefined) {
        reports.push(SKIPPED);
        continue;
      }
      onEvent?.({ kind: "verify", attempt, index });
      const verified = await run(check, verifyTimeoutMs ?? timeoutMs);
      onEvent?.({ kind: "verified", index, report: verified.report });
      reports.push(verified.report);
      if (!verified.report.ok) failed = verified;
    }
    return { act: acted.report, verify: reports, failed };
  }

  /** An attempt that deletes the git folder has failed, whatever it says: with it went the checkpoint that takes it back. */
  #withGit<Ended extends Pick<Steps, "act" | "failed">>(steps: Ended): Ended {
    const git = this.#place.bringBackGit();
    if (git.kind === "there") return steps;
    if (git.kind === "lost") throw lostGit(this.#project.workTree.root);
    const { keptAt } = git;
    this.warnings.push(
      keptAt === undefined
        ? GIT_DELETED
        : `${GIT_DELETED}. The repository that it created is in ${keptAt}`,
    );
    if (steps.failed !== undefined) return steps;
    const act = { ...steps.act, ok: false, exitCode: null, error: GIT_DELETED };
    return { ...steps, act, failed: { report: act, output: new Uint8Array() } };
  }

  async #wantsToKeep(wish: StopWish): Promise<boolean> {
    const ask = this.#request.onInterrupted;
    if (ask === undefined) return false;
    const stop = new AbortController();
    const stopListening = wish.onNext(() => stop.abort());
    try {
      return (await ask({ signal: stop.signal })) === "keep";
    } finally {
      stopListening();
    }
  }

  /** What still runs would go on writing into what is rolled back. */
  async #endLeftOvers(): Promise<void> {
    const count = await this.#project.commands.endLeftOvers();
    if (count > 0) this.#request.onEvent?.({ kind: "left_overs", count });
  }

  /** One wish to stop is held off: it was meant for the command. Asked once more, it stops where it is safe. */
  async #rollBack(attempt: number): Promise<Undone> {
    const { interruption } = this.#project;
    const wishes: string[] = [];
    const onWish = (signal: string): void => {
      wishes.push(signal);
      if (wishes.length === 1) this.#request.onEvent?.({ kind: "held_off", signal });
    };
    const project: Project = {
      ...this.#project,
      interruption: {
        get isAsked() {
          return wishes.length > 1;
        },
        holdOff: (work, meaning) => interruption.holdOff(work, meaning),
        handOver: (_onWish, work) => work(),
      },
    };
    return interruption.handOver(onWish, async () => {
      try {
        const result = await rollBackIfDifferent(project, this.#order(attempt));
        return { result, interruptedBy: wishes[0] };
      } catch (error) {
        throw notRolledBack(this.#checkpoint, error);
      }
    });
  }

  /** Commits of the attempt leave their branch: the safety checkpoint holds them. */
  #order(attempt: number): RollbackOrder {
    return {
      kind: "rollback",
      target: this.#checkpoint,
      sessionId: this.#checkpoint.session_id,
      scope: this.#scope,
      discardCommits: true,
      reason: `attempt ${attempt} of a guarded command failed`,
      confirmed: true,
      confirm: () => Promise.resolve(true),
      id: rollbackId(this.#project),
    };
  }

  /** The attempt stands: whoever cannot look at it all, as with too many files, is told so by `null`. */
  async #changesNow(): Promise<AttemptChanges | null> {
    try {
      const { plan, capture } = await planRollback(this.#project, this.#checkpoint, this.#scope);
      capture.discard();
      return changesOf(plan);
    } catch (error) {
      if (asFailure(error) instanceof Failure) return null;
      throw error;
    }
  }
}

function outcomeOf(
  result: RollbackResult | NothingDiffers | undefined,
): Pick<GuardAttempt, "rollback" | "unchanged"> {
  if (result?.kind === "nothing_differs") return { rollback: null, unchanged: result };
  return { rollback: result ?? null, unchanged: null };
}

/** Seen from the checkpoint: what a rollback removes was created since. */
function changesOf({ files, parts }: RollbackPlan): AttemptChanges {
  const paths = (steps: readonly { readonly path: Parameters<typeof showPath>[0] }[]): string[] =>
    steps.map(({ path }) => showPath(path));
  const besides = (...operations: readonly PartChange["operation"][]): string[] =>
    parts.flatMap(({ preview }) =>
      preview.changes
        .filter(({ operation }) => operations.includes(operation))
        .map(({ what }) => what),
    );
  return {
    created: [...paths(files.remove), ...besides("removed")],
    modified: [
      ...paths([...files.write.filter(({ before }) => before !== null), ...files.mode]),
      ...besides("changed_back", "mode_changed_back"),
    ],
    deleted: [
      ...paths(files.write.filter(({ before }) => before === null)),
      ...besides("restored"),
    ],
  };
}

function interruptedBefore({ id }: CheckpointDocument): Failure {
  return new Failure("interrupted", "interrupted before anything was run", {
    hint: `Nothing was changed; the current state is also in ${id}.`,
  });
}

const GIT_DELETED = "the command deleted the git folder; it was restored";

function lostGit(root: string): Failure {
  return new Failure(
    "guard_not_rolled_back",
    `the guarded command deleted the git folder of ${root}, and the checkpoints with it`,
    {
      hint: "Nothing was rolled back: the files are as the command left them. Restore the git folder from a clone or a backup; what was not committed and pushed is only in the files.",
    },
  );
}

function notRolledBack({ id }: CheckpointDocument, error: unknown): unknown {
  const failure = asFailure(error);
  if (!(failure instanceof Failure)) return error;
  const isInterrupted = failure.code === "interrupted";
  return new Failure(
    isInterrupted ? "interrupted" : "guard_not_rolled_back",
    isInterrupted
      ? "the rollback of the guard was interrupted and reverted: the project is as the command left it"
      : `the guarded command failed, and so did the rollback: ${failure.message}`,
    {
      hint:
        `The project is as the command left it, and the state before is ${id}. ` +
        (isInterrupted ? "" : `${failure.hint} Then: `) +
        `\`waymark rollback ${id} --discard-commits\`.`,
      details: { ...failure.details, checkpoint_id: id, code: failure.code },
      cause: failure,
    },
  );
}

/** Nobody asked for these rollbacks: what they kept of others is told here. Attempts may have the same to tell. */
function ofRollbacks({ attempts }: Unwritten): string[] {
  const all = attempts.flatMap(({ rollback, unchanged }) => {
    const outcome = rollback ?? unchanged;
    return outcome === null ? [] : rollbackWarnings(outcome);
  });
  return [...new Set(all)];
}

/** The guard has done what it had to do; a journal that cannot be written does not change that. */
async function writeDown(project: Project, result: Unwritten): Promise<string[]> {
  const { checkpoint, attempts, passed, rolledBack, interruptedBy } = result;
  const held = attempts.flatMap(({ rollback }) => (rollback === null ? [] : [rollback.safety.id]));
  try {
    await updateSession(project, checkpoint.session_id, "guard", (session) =>
      recordEvent(session, {
        kind: "guard",
        at: project.clock.now().toISOString(),
        by: project.actor.user,
        reason: checkpoint.reason,
        checkpoint_ids: [checkpoint.id, ...held],
        details: {
          passed,
          attempts: attempts.length,
          rolled_back: rolledBack,
          interrupted_by: interruptedBy,
        },
      }),
    );
    return [];
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure)) throw error;
    return [`the journal has no entry about this guard: ${failure.message}`];
  }
}
