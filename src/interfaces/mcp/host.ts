/** What a server knows beside the calls that it gets. */
import type { Confirmations } from "./confirmations.ts";
import type { RunningCalls } from "./running-calls.ts";

export interface McpHost {
  /** In the project that it serves. */
  readonly directory: string;
  /** The session that tools work with when none is named; undefined: the one of the work tree. */
  readonly sessionId: string | undefined;
  /** Whether the tool that runs commands is offered. */
  readonly allowsCommands: boolean;
  /** What lets clients in; no answer shows it. */
  readonly token: string | undefined;
  readonly confirmations: Confirmations;
  readonly calls: RunningCalls;
  /** To stderr: stdout belongs to the protocol. */
  readonly log: (line: string) => void;
}
