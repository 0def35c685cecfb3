/** The tool `show_session`. */
import { describeSession } from "../../../operations/describe-session.ts";
import type { Answer } from "../answer.ts";
import { showSessionInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof showSessionInput.parse>;

export const showSessionTool: Tool<Input> = {
  name: "show_session",
  title: "Show session",
  description:
    "Shows a session of a workflow: status, phases and nodes, state, outputs, files it changed, rollbacks, its current checkpoint. Use it to find out where " +
    "a workflow stands.",
  annotations: READ_ONLY,
  input: showSessionInput,
  kinds: ["session"],
  opens: LOOKS,
  run: show,
};

async function show({ project, host }: Call, input: Input): Promise<Answer> {
  const session = await describeSession(project, input.session ?? host.sessionId);
  return {
    kind: "session",
    document: { session },
    lines: [
      `${session.id}: ${session.status}, phase ${session.current_phase ?? "none"}, ${session.completed_phases} of ${session.total_phases} phases done`,
      ...(session.description === null ? [] : [`about: ${JSON.stringify(session.description)}`]),
      `checkpoints: ${session.checkpoint_count}, current ${session.current_checkpoint ?? "none"}`,
      ...(session.last_error === null ? [] : [`last error: ${JSON.stringify(session.last_error)}`]),
      ...(session.state === null ? [] : [`state: ${JSON.stringify(session.state)}`]),
    ],
  };
}
