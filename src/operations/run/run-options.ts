/** What whoever runs a workflow decides, and who is asked while it runs. */
import type { Failure } from "../../domain/failure.ts";
import type { Trigger } from "../../domain/checkpoint.ts";
import type { ControlCommand } from "../../domain/workflow/control.ts";
import type { CheckpointAnswer, RunEvent } from "../../domain/workflow/run-event.ts";

export interface Breakpoint {
  readonly sessionId: string;
  readonly phase: string;
  readonly step: number;
  /** What comes next; null: it was the last one. */
  readonly next: string | null;
  readonly checkpointId: string | null;
}

export interface FailedCheckpoint {
  readonly sessionId: string;
  readonly trigger: Trigger;
  readonly phase: string | null;
  readonly failure: Failure;
  /** How often it was tried. */
  readonly attempt: number;
}

/** A person, or whoever decides for one. The signal is aborted when the question is over: somebody answered elsewhere. */
export interface RunObserver {
  /** Undefined: nobody answers, and the session is paused. */
  atBreakpoint?(at: Breakpoint, signal: AbortSignal): Promise<ControlCommand | undefined>;
  checkpointFailed?(
    failed: FailedCheckpoint,
    signal: AbortSignal,
  ): Promise<CheckpointAnswer | undefined>;
}

export interface NodeOutput {
  readonly phase: string;
  readonly node: string;
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
  /** Others write at the same time. */
  readonly isOneOfSeveral: boolean;
}

export interface RunOptions {
  /** Is told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Gets everything that commands write, besides the logs. A command waits while a promise is open. */
  readonly onOutput?: (output: NodeOutput) => Promise<void> | undefined;
  readonly observer?: RunObserver;
  /** Go on at breakpoints without asking. */
  readonly passBreakpoints?: boolean;
  /** Instead of what the workflow says. */
  readonly concurrency?: number;
  /** Where nobody can be asked about a checkpoint that fails. Default: `fail`. */
  readonly onCheckpointFailure?: CheckpointAnswer;
  /** For all of it. */
  readonly timeoutMs?: number;
  /** Aborted: it stops as after SIGTERM. */
  readonly signal?: AbortSignal;
  /** Ctrl+C reaches the commands by itself: they are ended only when they do not listen. */
  readonly sharesTerminal?: boolean;
  /** The session went on before. */
  readonly isResumed?: boolean;
}
