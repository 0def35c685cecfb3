/** Guards whose process was killed: nobody rolled back, and the user should know where the state before is. */
import type { GuardMark } from "../ports/guards.ts";
import type { Project } from "./project.ts";

export function killedGuardText({ checkpointId, since }: GuardMark): string {
  return (
    `a guard was killed${since === "" ? "" : ` (started ${since})`}, and nothing was rolled back; the state before it is ` +
    `${checkpointId}: \`waymark diff ${checkpointId}\`, \`waymark rollback ${checkpointId}\``
  );
}

export function killedHere(project: Project): readonly GuardMark[] {
  return project.guards.killed().filter(({ worktreeId }) => worktreeId === project.workTree.id);
}

/** Says it once. */
export function reportKilledGuards(project: Project): string[] {
  return killedHere(project).map((mark) => {
    project.guards.forget(mark.checkpointId);
    return killedGuardText(mark);
  });
}
