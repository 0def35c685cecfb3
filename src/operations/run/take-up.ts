/** Takes a session up again that somebody runs no more: what is done stays done, and what may run again is pending. */
import { Failure } from "../../domain/failure.ts";
import { withGraph } from "../../domain/workflow/change-progress.ts";
import type { Workflow } from "../../domain/workflow/definition.ts";
import { afterCrash, pendingAgain } from "../../domain/workflow/graph.ts";
import { planResume } from "../../domain/workflow/resume-plan.ts";
import { acquireSession, type OwnedSession } from "../owned-session.ts";
import type { Project } from "../project.ts";

/** Fails with `needs_confirmation` when somebody has to decide about a node first; the session is as it was then. */
export async function takeUpSession(
  project: Project,
  sessionId: string,
  workflow: Workflow,
): Promise<OwnedSession> {
  const { owned } = await acquireSession(project, sessionId, { purpose: "resume" });
  try {
    await owned.update("the session is taken up again", (session) => {
      const { workflow: progress } = session;
      if (progress === undefined) return undefined;
      return {
        ...session,
        workflow: withGraph(progress, (graph) => {
          const now = afterCrash(graph);
          const plan = planResume(now, workflow);
          const undecided = plan.filter(({ what }) => what === "ask");
          if (undecided.length > 0) throw undecidedFailure(sessionId, undecided);
          const again = plan.filter(({ what }) => what === "run_again" || what === "changed");
          return pendingAgain(
            now,
            again.map(({ id }) => id),
          );
        }),
      };
    });
    return owned;
  } catch (error) {
    await owned.release();
    throw error;
  }
}

function undecidedFailure(
  sessionId: string,
  nodes: readonly { readonly id: string; readonly why: string }[],
): Failure {
  const shown = nodes.map(({ id, why }) => `${id} (${why})`).join("; ");
  return new Failure("needs_confirmation", `somebody has to decide about ${shown}`, {
    hint: `\`waymark resume ${sessionId}\` asks. In the workflow file, \`rerun: always\` or \`idempotent: true\` answers for good.`,
    details: { session_id: sessionId, nodes: nodes.map(({ id }) => id) },
  });
}
