/** `waymark session list` */
import type { SessionStatus } from "../../../../domain/workflow/session-status.ts";
import { listSessions, type SessionListRequest } from "../../../../operations/list-sessions.ts";
import { otherToolsHint } from "../../../../operations/other-tools-hint.ts";
import type { Context } from "../../command-spec.ts";
import { sessionLines, sessionTable } from "../../session-table.ts";
import { counted } from "../../units.ts";

interface Options {
  workflow?: string;
  project?: string;
  status?: SessionStatus;
  limit?: number;
  all?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const { sessions, archived, unreadable } = await listSessions(project, request(options));
  const { columns, paint } = output;
  const lines = process.stdout.isTTY
    ? sessionTable(sessions, { columns, paint, now: project.clock.now() })
    : sessionLines(sessions);
  const problems = unreadable.map(({ message, hint }) => ({ message, hint }));
  output.result(
    "session_list",
    { sessions, archived_not_shown: archived, unreadable: problems },
    lines,
  );
  for (const { message, hint } of problems) output.warn(`${message}. ${hint}`);
  if (sessions.length === 0 && problems.length === 0) {
    const others = isFiltered(options) ? "" : await otherToolsHint(project);
    output.say(isFiltered(options) ? NO_MATCH : NONE_STARTED);
    if (others !== "") output.say(others);
  }
  if (archived > 0)
    output.say(
      `${counted(archived, "archived session")} not shown; --all includes archived sessions`,
    );
}

const NO_MATCH = "no session matches; `waymark session list --all` lists all of them";
const NONE_STARTED = "no session was started yet: `waymark session start --type TYPE` starts one";

function isFiltered({ workflow, project, status, limit }: Options): boolean {
  return [workflow, project, status, limit].some((value) => value !== undefined);
}

function request({ workflow, project, status, limit, all }: Options): SessionListRequest {
  return {
    ...(workflow === undefined ? {} : { workflowType: workflow }),
    ...(project === undefined ? {} : { projectName: project }),
    ...(status === undefined ? {} : { status }),
    ...(limit === undefined ? {} : { limit }),
    ...(all === undefined ? {} : { all }),
  };
}
