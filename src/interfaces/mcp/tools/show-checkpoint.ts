/** The tool `show_checkpoint`. */
import { checkpointDocument } from "../../../operations/documents/checkpoint-document.ts";
import { showCheckpoint } from "../../../operations/show-checkpoint.ts";
import { exclusionText } from "../../cli/exclusion-text.ts";
import type { Answer } from "../answer.ts";
import { showInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof showInput.parse>;

export const showCheckpointTool: Tool<Input> = {
  name: "show_checkpoint",
  title: "Show checkpoint",
  description:
    "Shows one checkpoint: what it contains, what it excludes and why, branch and commit, what changed since the one before, and commands to restore it " +
    "without Waymark. Shows no content of files; diff_checkpoints shows changes.",
  annotations: READ_ONLY,
  input: showInput,
  kinds: ["checkpoint"],
  opens: LOOKS,
  run: show,
};

const MOST_LEFT_OUT = 10;

async function show({ project, host }: Call, input: Input): Promise<Answer> {
  const shown = await showCheckpoint(project, input.checkpoint, input.session ?? host.sessionId);
  const { document, standing, parts, expired, damage } = shown;
  const { git, coverage, files } = document;
  const excluded = coverage.excluded.slice(0, MOST_LEFT_OUT);
  return {
    kind: "checkpoint",
    document: checkpointDocument(shown),
    lines: [
      `${document.id} of ${document.created_at}, ${document.trigger}`,
      ...(document.reason === null ? [] : [`reason: ${JSON.stringify(document.reason)}`]),
      `session ${document.session_id}, phase ${document.phase ?? "none"}, step ${document.step ?? "none"}`,
      `branch ${git.branch ?? "none"}, commit ${git.commit ?? "none"}`,
      `${coverage.files} files; since the one before: ${files.created.length} created, ${files.modified.length} modified, ${files.deleted.length} deleted`,
      ...parts.map(({ summary }) => summary),
      ...excluded.map((one) => `not captured: ${JSON.stringify(one.path)} (${exclusionText(one)})`),
      ...(standing.valid ? [] : [`rolled past by ${standing.invalidated_by ?? "a rollback"}`]),
      ...(damage === undefined ? [] : [`damaged: ${JSON.stringify(damage.problems[0])}`]),
      ...(expired ? ["expired: roll_back needs even_if_expired: true"] : []),
    ],
  };
}
