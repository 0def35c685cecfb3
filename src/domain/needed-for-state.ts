/** Which checkpoints are the only place of a session's saved state. */
import type { CheckpointDocument } from "./checkpoint.ts";
import { SAVED_STATES, type StateDocument, type StatePart } from "./parts.ts";
import { mayGoOn, type GoingOn } from "./session-retention.ts";
import type { SessionDocument } from "./session.ts";
import { stateLinks } from "./workflow/session-references.ts";

export interface StateHolders extends GoingOn {
  readonly sessions: Iterable<SessionDocument>;
  readonly documents: readonly CheckpointDocument[];
}

/** With the session of each. Only what makes up the state that a session is in now. */
export function neededForState(given: StateHolders): Map<string, string> {
  const documents = new Map(given.documents.map((document) => [document.id, document]));
  const needed = new Map<string, string>();
  for (const session of given.sessions) {
    if (!mayGoOn(session, given)) continue;
    for (const id of holdersOf(session, documents)) needed.set(id, session.id);
  }
  return needed;
}

/** Each link says what is in it; what later ones hold, in whole or by the same keys, is not looked for in earlier ones. */
function holdersOf(
  session: SessionDocument,
  documents: ReadonlyMap<string, CheckpointDocument>,
): string[] {
  const open = new Set(SAVED_STATES);
  const later = new Set<string>();
  return stateLinks(session.state).filter((id) => {
    const part = documents.get(id)?.parts.find(({ type }) => type === "state_snapshot");
    if (part?.type !== "state_snapshot") return false;
    const held = part.documents.filter(({ name }) => open.has(name));
    const counting = held.filter((document) => {
      if (isAllOf(document, part)) return open.delete(document.name);
      const keys = part.keys ?? [];
      const counts = keys.length === 0 || keys.some((key) => !later.has(key));
      for (const key of keys) later.add(key);
      return counts;
    });
    return counting.length > 0;
  });
}

/** True when nothing before it is read: also where a safety checkpoint says that there was no state. */
function isAllOf({ name, format }: StateDocument, { keys }: StatePart): boolean {
  return name !== "state" || keys === null || format === null;
}
