/** The state that a session is in: what the checkpoint holds that it was last saved in or rolled back to. */
import { heldWorkflow } from "../domain/workflow/held-workflow.ts";
import { replaceKeys } from "../domain/state-keys.ts";
import type { StateName } from "../domain/parts.ts";
import type { StateRecord } from "../domain/session.ts";
import type { Project } from "./project.ts";

type Stores = Pick<Project, "sessions" | "checkpoints">;

/** Undefined: none was saved. */
export async function sessionState(
  stores: Stores,
  sessionId: string,
  name: StateName,
): Promise<unknown> {
  const session = (await stores.sessions.read(sessionId))?.document;
  if (name === "workflow") return heldWorkflow(session);
  // What a workflow keeps itself comes before what was saved from outside.
  const kept = name === "state" ? session?.workflow?.state : session?.workflow?.outputs;
  return isKept(kept) ? kept : stateOf(stores, session?.state, name);
}

function isKept(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value) !== "{}";
}

async function stateOf(
  stores: Stores,
  record: StateRecord | undefined,
  name: StateName,
): Promise<unknown> {
  if (record === undefined) return undefined;
  const stored = await stores.checkpoints.read(record.checkpoint_id);
  const parts = stored?.kind === "ok" ? stored.document.parts : [];
  const part = parts.find((found) => found.type === "state_snapshot");
  const held = part?.documents.find((document) => document.name === name);
  if (part === undefined || held === undefined) return stateOf(stores, record.over, name);
  if (held.format === null) return undefined;
  const bytes = await stores.checkpoints.entry(record.checkpoint_id, `${name}.json`);
  const value = JSON.parse(bytes.toString("utf8")) as unknown;
  if (part.keys === null || name !== "state") return value;
  return replaceKeys(await stateOf(stores, record.over, name), value, part.keys);
}
