/** Writes down that a checkpoint was found damaged, so that lists show it and nobody is offered it. */
import { recordEvent } from "../domain/session.ts";
import { Failure } from "../domain/failure.ts";
import type { Project } from "./project.ts";
import { updateSession } from "./update-session.ts";

/** Whoever found it has something to say already: a session that cannot be written changes nothing about that. */
export async function markDamaged(
  project: Project,
  checkpoint: { readonly id: string; readonly session_id: string },
  problem: string,
): Promise<void> {
  const { id, session_id } = checkpoint;
  const at = project.clock.now().toISOString();
  try {
    await updateSession(project, session_id, `damage found in ${id}`, (session) => {
      if (session.corrupted?.[id] !== undefined) return undefined;
      const marked = {
        ...session,
        corrupted: { ...session.corrupted, [id]: { at, problems: [problem] } },
      };
      return recordEvent(marked, {
        kind: "damage_found",
        at,
        by: project.actor.user,
        reason: problem,
        checkpoint_ids: [id],
      });
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
