/** A session that a program runs itself, as an object: opened or begun, kept alive, and given back at the end. */
import { openGitProject } from "../app.ts";
import { Failure } from "../domain/failure.ts";
import { redact } from "../domain/secrets/redact.ts";
import type { SessionDocument, SessionRequest } from "../domain/session.ts";
import { parseControl, type ControlCommand } from "../domain/workflow/control.ts";
import { NO_PROGRESS, phaseOf } from "../domain/workflow/progress.ts";
import type { ProgressSave } from "../domain/workflow/saved-progress.ts";
import { createCheckpoint } from "../operations/create-checkpoint.ts";
import type { CreateRequest, CreateResult } from "../operations/create-request.ts";
import { describeSession, type SessionDescription } from "../operations/describe-session.ts";
import {
  endOwnedSession,
  pauseOwnedSession,
  type EndedSession,
  type EndRequest,
  type PausedSession,
} from "../operations/end-session.ts";
import { keepLease } from "../operations/keep-lease.ts";
import { openOwnedSession } from "../operations/open-session.ts";
import type { OwnedSession } from "../operations/owned-session.ts";
import type { Project } from "../operations/project.ts";
import { runOwnedPhase, type OwnedPhaseRequest } from "../operations/standalone-phase.ts";
import { saveOwnedSession, type SavedSession } from "../operations/save-session.ts";
import { sessionState } from "../operations/session-state.ts";
import { phaseValue, type PhaseWork } from "./phase-work.ts";
import { rollBack, type RollBackOptions, type RolledBack } from "./roll-back.ts";
import { withoutUndefined } from "./without-undefined.ts";

export interface OpenSessionOptions {
  /** Undefined: the project of `directory` is opened, and closed by `release`. */
  readonly project?: Project;
  /** Undefined: the current one. */
  readonly directory?: string;
  /** The session to go on with, or a part of its id that no other has. Undefined, and no `type`: the one of this work tree. */
  readonly id?: string;
  /** Begins a session of this type. With an `id` too: only if there is none of exactly this id. */
  readonly type?: string;
  /** This and the next four are for a session that is begun. Undefined: the name of the project's folder. */
  readonly projectName?: string;
  readonly description?: string;
  readonly topic?: string;
  /** The id of a task of Backlog.md. */
  readonly task?: string;
  /** The number of an issue. */
  readonly issue?: number;
  /** What it is run for, as others see it. */
  readonly purpose?: string;
  /** The token of an owner on another machine that is surely gone, as the refusal shows it. */
  readonly takeOver?: number;
  /** Told what other terminals ask (`waymark observe '*pause'`), each once. Without it such requests stay unanswered. */
  readonly onRequest?: (request: AskedOfSession) => void;
  /** Told when another process has taken the session over: nothing more can be written. */
  readonly onLost?: (error: Error) => void;
  /** Is told why an issue could not be looked at. */
  readonly warn?: (message: string) => void;
}

export interface AskedOfSession extends SessionRequest {
  /** What it means to a workflow; undefined: nothing that is known. */
  readonly control: ControlCommand | undefined;
}

/** As for `withPhase`. */
export interface SessionPhaseOptions extends Omit<
  OwnedPhaseRequest,
  "name" | "taskId" | "issueNumber"
> {
  readonly task?: string;
  readonly issue?: number;
}

/**
 * Opens a session, or begins one, and runs it until `release`: nobody else does meanwhile, and signs of life are given. A live
 * owner is never robbed (`session_held`); one that is gone is taken over, and what it was at waits to be done again.
 */
export async function openSession(options: OpenSessionOptions): Promise<OpenSession> {
  const { project: given, directory, id, type, takeOver } = options;
  const { projectName, description, topic, task: taskId, issue: issueNumber, warn } = options;
  const project = given ?? (await openGitProject({ directory: directory ?? process.cwd() }));
  const start = { projectName, description, topic, taskId, issueNumber, warn };
  try {
    const { owned, isNew } = await openOwnedSession(project, {
      id,
      start: type === undefined ? undefined : { workflowType: type, ...withoutUndefined(start) },
      purpose: redact(options.purpose ?? "library"),
      ...withoutUndefined({ takeOver }),
    });
    const close = given === undefined ? (): void => project.close() : (): void => undefined;
    return new OpenSession(project, owned, { ...options, isNew, close });
  } catch (error) {
    if (given === undefined) project.close();
    throw error;
  }
}

interface Opening extends Pick<OpenSessionOptions, "onRequest" | "onLost"> {
  readonly isNew: boolean;
  readonly close: () => void;
}

/** Made by `openSession`. Whatever happens, `release` it at the end; `await using` does. */
class OpenSession implements AsyncDisposable {
  readonly project: Project;
  /** It was begun, and not gone on with. */
  readonly isNew: boolean;
  readonly #owned: OwnedSession;
  readonly #stopKeeping: () => Promise<void>;
  readonly #close: () => void;
  readonly #lost = new AbortController();
  #isOpen = true;
  #isReleased = false;

  constructor(project: Project, owned: OwnedSession, { isNew, close, onRequest, onLost }: Opening) {
    this.project = project;
    this.isNew = isNew;
    this.#owned = owned;
    this.#close = close;
    this.#stopKeeping = keepLease(owned, {
      mayEnd: true,
      onLost: (error) => {
        if (!this.#isOpen) return;
        this.#lost.abort(error);
        onLost?.(error);
      },
      ...(onRequest === undefined
        ? {}
        : {
            onRequest: (request) =>
              // What the listener throws is the program's own error, and not the end of the lease.
              queueMicrotask(() =>
                onRequest({ ...request, control: parseControl(request.command) }),
              ),
          }),
    });
  }

  get id(): string {
    return this.#owned.id;
  }

  /** As it was when it was last read or written here. */
  get document(): SessionDocument {
    return this.#owned.document;
  }

  /** Aborted when another process has taken the session over. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether a phase is done: on the way through a session that is gone on with, it is passed over. */
  isCompleted(phase: string): boolean {
    const progress = this.document.workflow ?? NO_PROGRESS;
    return phaseOf(progress, phase)?.status === "completed";
  }

  /** What `save` saved, or a rollback brought back; undefined: nothing. */
  state(): Promise<unknown> {
    return sessionState(this.project, this.id, "state");
  }

  /** Everything about it, as `waymark session show --json` prints it. */
  describe(): Promise<SessionDescription> {
    return describeSession(this.project, this.id);
  }

  /** Keeps what is given: every checkpoint of the session holds it from here on. Secrets are refused. */
  save(what: ProgressSave): Promise<SavedSession> {
    return this.#whileOpen(() => saveOwnedSession(this.project, this.#owned, what));
  }

  /** As `withPhase`, in this session. */
  phase<Result>(
    name: string,
    options: SessionPhaseOptions,
    work: PhaseWork<Result>,
  ): Promise<Result> {
    const { task, issue, ...rest } = options;
    const place = { taskId: task, issueNumber: issue };
    const request = { ...rest, name, ...withoutUndefined(place) };
    return this.#whileOpen(() =>
      phaseValue(work, (act) => runOwnedPhase(this.project, this.#owned, request, act)),
    );
  }

  /** Takes a checkpoint of this session, at the phase that it is in. */
  checkpoint(request: Omit<CreateRequest, "sessionId"> = {}): Promise<CreateResult> {
    return this.#whileOpen(() =>
      createCheckpoint(this.project, { ...request, sessionId: this.id }),
    );
  }

  /** Brings back files, state, outputs and step as a checkpoint of this session has them; the session goes on from there. */
  rollBack(
    selector: string,
    options: Omit<RollBackOptions, "sessionId" | "dryRun"> = {},
  ): Promise<RolledBack> {
    return this.#whileOpen(async () => {
      const result = await rollBack(this.project, selector, { ...options, sessionId: this.id });
      await this.#owned.update("the session continues after a rollback", (session) =>
        session.status === "paused" ? { ...session, status: "active" } : undefined,
      );
      return result;
    });
  }

  /** The session waits: `openSession` and `waymark resume` go on with it. */
  pause(request: { readonly reason?: string } = {}): Promise<PausedSession> {
    return this.#ending(() => pauseOwnedSession(this.project, this.#owned, request));
  }

  /** Takes a last checkpoint, ends the session, and cleans up as the settings say. */
  complete(
    request: Pick<EndRequest, "reason" | "checkpoint" | "force"> = {},
  ): Promise<EndedSession> {
    return this.#ending(() =>
      endOwnedSession(this.project, this.#owned, { ...request, to: "completed" }),
    );
  }

  /** The same for a session that did not reach its goal. It is kept for a while, and can be opened again. */
  fail(
    error: unknown,
    request: Pick<EndRequest, "reason" | "checkpoint"> = {},
  ): Promise<EndedSession> {
    const message = error instanceof Error ? error.message : String(error);
    return this.#ending(() =>
      endOwnedSession(this.project, this.#owned, { ...request, to: "failed", error: message }),
    );
  }

  /** Others may run it. One that was not ended stays as it is: active, with nobody who runs it. Safe to call twice. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    try {
      await this.#stopKeeping();
      if (wasOpen && !this.signal.aborted) await this.#owned.release();
    } finally {
      this.#close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    this.signal.throwIfAborted();
    if (this.#isOpen) return work();
    throw new Failure("session_status", `session ${this.id} is not open here any more`, {
      hint: "It was paused, ended or released; `openSession` opens it again. Nothing was changed.",
    });
  }

  /** A session that could not be ended stays open. */
  #ending<Result>(end: () => Promise<Result>): Promise<Result> {
    return this.#whileOpen(async () => {
      this.#isOpen = false;
      try {
        const result = await end();
        await this.#stopKeeping();
        return result;
      } catch (error) {
        this.#isOpen = true;
        throw error;
      }
    });
  }
}

export type { OpenSession };
