/** `waymark session show` */
import { describeSession } from "../../../../operations/describe-session.ts";
import type { Context } from "../../command-spec.ts";
import { sessionPage } from "../../session-page.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [given] = context.args as [string | undefined];
  const project = await context.openProject();
  const session = await describeSession(project, given ?? context.sessionId);
  output.result(
    "session",
    { session },
    output.options.json ? [] : sessionPage(session, output.paint, project.clock.now()),
  );
}
