/** The state that a session is in: what the checkpoint holds that it was last saved in or rolled back to. */
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
  const session = await stores.sessions.read(sessionId);
  return stateOf(stores, session?.document.state, name);
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
