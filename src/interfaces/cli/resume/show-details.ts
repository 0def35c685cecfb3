/** The page of a session, in the middle of a question about it. */
import { describeSession } from "../../../operations/describe-session.ts";
import type { Project } from "../../../operations/project.ts";
import type { Context } from "../command-spec.ts";
import { sessionPage } from "../session-page.ts";

export async function showDetails(
  { output }: Context,
  project: Project,
  sessionId: string,
): Promise<void> {
  const session = await describeSession(project, sessionId);
  output.question(sessionPage(session, output.paintTalk, project.clock.now()));
}
