/** What is written down about checkpoints that were found damaged. */
import type { CheckpointGlance } from "./checkpoint-glance.ts";
import type { DamageRecord, SessionDocument } from "./session.ts";

/** Undefined: nothing was found so far. */
export function damageOf(
  sessions: ReadonlyMap<string, SessionDocument>,
  { id, session_id }: Pick<CheckpointGlance, "id" | "session_id">,
): DamageRecord | undefined {
  return sessions.get(session_id)?.corrupted?.[id];
}

/** Once it is whole again. Undefined: nothing was recorded. */
export function withoutDamage(session: SessionDocument, id: string): SessionDocument | undefined {
  if (session.corrupted?.[id] === undefined) return undefined;
  const { [id]: _, ...others } = session.corrupted;
  return { ...session, corrupted: others };
}
