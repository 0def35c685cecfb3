/** Which commands of sessions were started or confirmed by this user on this machine. No fetch and no import can add to it. */
import type { WorkflowDefinition } from "../domain/session.ts";

export interface CommandTrust {
  has(sessionId: string, definition: WorkflowDefinition): boolean;
  add(sessionId: string, definition: WorkflowDefinition): void;
}
