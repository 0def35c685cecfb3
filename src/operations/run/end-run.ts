/** The end of a run, however it came: a checkpoint of what is there, the session's status, and the word on how to go on. */
import { redact } from "../../domain/secrets/redact.ts";
import type { SessionDocument } from "../../domain/session.ts";
import type { WorkflowPhase } from "../../domain/workflow/definition.ts";
import { mayBecome } from "../../domain/workflow/session-status.ts";
import { withGraph } from "../../domain/workflow/change-progress.ts";
import { afterCrash } from "../../domain/workflow/graph.ts";
import { endOwnedSession } from "../end-session.ts";
import { withSessionEvent } from "../session-event.ts";
import type { RunEnd } from "./run-end.ts";
import type { Run } from "./run.ts";
import { takeLastCheckpoint } from "./take-checkpoint.ts";

export interface RunResult {
  readonly sessionId: string;
  readonly status: "completed" | RunEnd["status"];
  readonly exitCode: 0 | RunEnd["exitCode"];
  /** Null: it is completed. */
  readonly reason: string | null;
  readonly hint: string | null;
  readonly resumeCommand: string | null;
  readonly rollbackCommand: string | null;
  /** The last one. */
  readonly checkpointId: string | null;
  /** Names of phases that failed and were passed over. */
  readonly passedOver: readonly string[];
}

export async function endRun(
  run: Run,
  end: RunEnd | undefined,
  begunAt: string,
): Promise<RunResult> {
  await run.project.commands.endLeftOvers();
  const status = end?.status ?? "completed";
  const phase = phaseOfEnd(run, end);
  const trigger = end === undefined ? "session_end" : end.trigger;
  if (trigger !== null) {
    const reason = end === undefined ? "workflow completed" : redact(end.reason);
    await takeLastCheckpoint(run, { trigger, reason, phase });
  }
  if (end === undefined) await completeSession(run);
  else await run.updateSession(`the session is ${status}`, (session) => ended(run, session, end));
  const resumeCommand = end === undefined ? null : `waymark resume ${run.owned.id}`;
  const result: RunResult = {
    sessionId: run.owned.id,
    status,
    exitCode: end?.exitCode ?? 0,
    reason: end === undefined ? null : redact(end.reason),
    hint: end?.hint ?? null,
    resumeCommand,
    rollbackCommand: end?.rollbackCommand ?? null,
    checkpointId: run.current?.id ?? null,
    passedOver: run.progress.phases
      .filter(({ status: became, passed_over: isOver }) => became === "failed" && isOver === true)
      .map(({ name }) => name),
  };
  await run.inTurn(() => run.owned.release());
  run.emit({
    event: "session_ended",
    status,
    exit_code: result.exitCode,
    reason: result.reason,
    hint: result.hint,
    resume_command: resumeCommand,
    rollback_command: result.rollbackCommand,
    checkpoint_id: result.checkpointId,
    duration_ms: run.msSince(begunAt),
  });
  return result;
}

function phaseOfEnd(run: Run, end: RunEnd | undefined): WorkflowPhase | undefined {
  const name = end?.phase ?? run.progress.current_phase;
  return run.workflow.phases.find((phase) => phase.name === name);
}

/** With what success does to the checkpoints, as the settings say. */
async function completeSession(run: Run): Promise<void> {
  const { warnings } = await run.inTurn(() =>
    endOwnedSession(run.project, run.owned, {
      to: "completed",
      reason: "workflow completed",
      checkpoint: false,
      taken: run.current?.id,
    }),
  );
  for (const warning of warnings) run.warn(warning, undefined);
}

function ended(run: Run, session: SessionDocument, end: RunEnd): SessionDocument {
  const at = run.now();
  // A rollback has left it paused; what was interrupted after that still waits.
  const status = mayBecome(session.status, end.status) ? end.status : "paused";
  const { phase, node, hint, reason, rollbackCommand } = end;
  const changed: SessionDocument = {
    ...session,
    // What could not be written down when it ended: nobody knows what became of it.
    ...(session.workflow === undefined
      ? {}
      : { workflow: withGraph(session.workflow, afterCrash) }),
    status,
    last_error: {
      at,
      phase: phase ?? session.workflow?.current_phase ?? null,
      node,
      message: redact(reason),
      ...(hint === null ? {} : { hint: redact(hint) }),
      ...(rollbackCommand === null ? {} : { rollback_command: rollbackCommand }),
    },
    // What failed is put away, and kept for a while; a resume takes it out again.
    ...(status === "failed" ? { ended_at: at, archived_at: at } : {}),
  };
  return withSessionEvent(run.project, changed, {
    reason,
    checkpointIds: run.current === undefined ? [] : [run.current.id],
    details: { became: status },
  });
}
