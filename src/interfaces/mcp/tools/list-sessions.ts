/** The tool `list_sessions`. */
import { listSessions } from "../../../operations/list-sessions.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { listSessionsInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof listSessionsInput.parse>;

export const listSessionsTool: Tool<Input> = {
  name: "list_sessions",
  title: "List sessions",
  description:
    "Lists sessions of workflows, latest first: status, phase, progress. Use it to find one to show or resume.",
  annotations: READ_ONLY,
  input: listSessionsInput,
  kinds: ["session_list"],
  opens: LOOKS,
  run: list,
};

const USUAL_LIMIT = 20;

async function list({ project }: Call, input: Input): Promise<Answer> {
  const { sessions, archived, unreadable } = await listSessions(project, {
    limit: input.limit ?? USUAL_LIMIT,
    ...given({
      workflowType: input.workflow,
      projectName: input.project,
      status: input.status,
      all: input.all,
    }),
  });
  return {
    kind: "session_list",
    document: {
      sessions,
      archived_not_shown: archived,
      unreadable: unreadable.map(({ message, hint }) => ({ message, hint })),
    },
    lines: [
      ...(sessions.length === 0
        ? ["no session matches"]
        : sessions.map(
            ({ id, status, current_phase, last_activity_at }) =>
              `${id} ${status}, phase ${current_phase ?? "none"}, ${last_activity_at}`,
          )),
      ...(archived === 0 ? [] : [`${archived} archived ones are not shown; all: true shows them`]),
      ...unreadable.map(({ message }) => message),
    ],
  };
}
