/** A workflow that runs: what its steps share. Every write of the session is fenced, and they come one after the other. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { redact } from "../../domain/secrets/redact.ts";
import type { SessionDocument } from "../../domain/session.ts";
import type { Workflow, WorkflowPhase } from "../../domain/workflow/definition.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import type { RunEventBody } from "../../domain/workflow/run-event.ts";
import type { PlaceInWorkflow } from "../isolated-trees.ts";
import type { OwnedSession } from "../owned-session.ts";
import type { Project } from "../project.ts";
import type { RunControl } from "./run-control.ts";
import type { RunOptions } from "./run-options.ts";

export class Run {
  readonly project: Project;
  readonly owned: OwnedSession;
  readonly workflow: Workflow;
  readonly options: RunOptions;
  readonly control: RunControl;
  /** The last checkpoint of this run. */
  current: CheckpointDocument | undefined;
  /** Something ran or somebody was asked since: the project may differ from it. */
  isTouched = true;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    project: Project,
    owned: OwnedSession,
    workflow: Workflow,
    options: RunOptions,
    control: RunControl,
  ) {
    this.project = project;
    this.owned = owned;
    this.workflow = workflow;
    this.options = options;
    this.control = control;
  }

  get progress(): WorkflowProgress {
    return this.owned.document.workflow ?? NO_PROGRESS;
  }

  now(): string {
    return this.project.clock.now().toISOString();
  }

  /** Since a time that the session has; 0 where it has none. */
  msSince(at: string | null): number {
    const begun = at === null ? Number.NaN : Date.parse(at);
    const passed = this.project.clock.now().getTime() - begun;
    return Number.isNaN(passed) ? 0 : Math.max(0, passed);
  }

  emit(body: RunEventBody): void {
    this.options.onEvent?.({ at: this.now(), session_id: this.owned.id, ...body });
  }

  warn(message: string, phase: WorkflowPhase | undefined): void {
    this.emit({
      event: "warning",
      message: redact(message),
      phase: phase?.name ?? null,
      step: phase?.step ?? null,
    });
  }

  place(phase: WorkflowPhase | undefined): PlaceInWorkflow {
    return {
      sessionId: this.owned.id,
      ...(phase === undefined ? {} : { phase: phase.name, step: phase.step }),
    };
  }

  /** One commit of the session. */
  async update(
    message: string,
    change: (progress: WorkflowProgress) => WorkflowProgress,
    more: Partial<SessionDocument> = {},
  ): Promise<void> {
    await this.updateSession(message, (session) => ({
      ...session,
      ...more,
      workflow: change(session.workflow ?? NO_PROGRESS),
    }));
  }

  async updateSession(
    message: string,
    change: (session: SessionDocument) => SessionDocument | undefined,
  ): Promise<void> {
    await this.inTurn(() => this.owned.update(message, change));
  }

  /** Work on the repository: one at a time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
