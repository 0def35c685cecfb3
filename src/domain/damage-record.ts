/** Forgets that a checkpoint was found damaged, once it is whole again. */
import type { SessionDocument } from "./session.ts";

/** Undefined: nothing was recorded. */
export function withoutDamage(session: SessionDocument, id: string): SessionDocument | undefined {
  if (session.corrupted?.[id] === undefined) return undefined;
  const { [id]: _, ...others } = session.corrupted;
  return { ...session, corrupted: others };
}
