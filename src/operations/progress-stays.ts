/** Whether a rollback brings back how far the workflow had come. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { WORKFLOW_STATE } from "../domain/parts.ts";
import { otherHolder } from "./owned-session.ts";
import type { PlannedPart } from "./part-work.ts";
import type { Project } from "./project.ts";

/** Why it stays as it is; undefined: it comes back. `sessionId`: the session that is rolled back. */
export async function whyProgressStays(
  project: Project,
  target: CheckpointDocument,
  sessionId: string,
): Promise<string | undefined> {
  if (target.session_id !== sessionId) {
    return `the checkpoint belongs to session ${target.session_id}, whose progress does not change`;
  }
  const session = (await project.sessions.read(sessionId))?.document;
  if (session === undefined) return undefined;
  if (otherHolder(project, session) !== undefined) {
    return "the session is running: only files are restored, not its progress";
  }
  const { worktree_id: place = project.workTree.id } = session;
  return place === project.workTree.id
    ? undefined
    : `session ${sessionId} is in the work tree ${place}: its progress does not change`;
}

/** What the parts of a plan say, with progress that stays among what is kept. */
export async function withProgressKept(
  project: Project,
  target: CheckpointDocument,
  sessionId: string,
  parts: readonly PlannedPart[],
): Promise<readonly PlannedPart[]> {
  const isProgress = ({ what }: { readonly what: string }): boolean => what === WORKFLOW_STATE;
  if (!parts.some(({ preview }) => preview.changes.some(isProgress))) return parts;
  const reason = await whyProgressStays(project, target, sessionId);
  if (reason === undefined) return parts;
  return parts.map(({ part, preview }) => {
    const stays = preview.changes.filter(isProgress).map(({ what }) => ({ what, reason }));
    return {
      part,
      preview: {
        ...preview,
        changes: preview.changes.filter((change) => !isProgress(change)),
        kept: [...preview.kept, ...stays],
      },
    };
  });
}
