/** The tool `save_session`. */
import { Failure } from "../../../domain/failure.ts";
import { redactReason } from "../../../domain/secrets/redact.ts";
import { sessionChangeDocument } from "../../../operations/documents/session-change-document.ts";
import { saveWithCheckpoint } from "../../../operations/save-with-checkpoint.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { saveSessionInput } from "../input-schemas.ts";
import type { Call, Tool } from "../tool.ts";

type Input = ReturnType<typeof saveSessionInput.parse>;

export const saveSessionTool: Tool<Input> = {
  name: "save_session",
  title: "Save session",
  description:
    "Saves progress of a workflow into its session: state, outputs, metrics, the phase it is in, what agents produced. Replaces the stored data, or updates it field " +
    "by field with `merge: true`. A session must be started first (`waymark session start` or `waymark run`). Text that looks like a secret is refused.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  input: saveSessionInput,
  kinds: ["session_change"],
  opens: {},
  run: save,
};

async function save({ project, host }: Call, input: Input): Promise<Answer> {
  const { session: named, checkpoint, reason, state_label, agent_outputs, ...rest } = input;
  if (reason !== undefined && checkpoint !== true) {
    throw new Failure("usage", "reason is only used for a checkpoint, and none was requested", {
      hint: "Add checkpoint: true, or omit the reason. Nothing was saved.",
    });
  }
  const { session, saved, redacted, checkpointId, warnings } = await saveWithCheckpoint(
    project,
    named ?? host.sessionId,
    given({ ...rest, stateLabel: state_label, agentOutputs: agent_outputs }),
    checkpoint === true ? { reason: redactReason(reason ?? null) } : undefined,
  );
  return {
    kind: "session_change",
    document: await sessionChangeDocument(project, {
      action: "save",
      session,
      changed: true,
      saved,
      redacted,
      checkpointId,
      warnings,
    }),
    lines: [
      `saved ${saved.join(", ")} in ${session.id}`,
      ...(checkpointId === null ? [] : [`checkpoint ${checkpointId}`]),
      ...warnings.map((warning) => `warning: ${warning}`),
    ],
  };
}
