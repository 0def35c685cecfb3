/** claude-checkpoints: one `*.json` for each workflow, those that failed in `failed/`. */
import { asBytePath, ROOT } from "../../domain/byte-path.ts";
import { readClaudeCheckpoint } from "../../domain/old-formats/claude-checkpoints.ts";
import type { ReadSession } from "../../domain/old-formats/old-session.ts";
import type { SourceReader } from "./source-reader.ts";

export async function readClaudeCheckpointsSource(source: SourceReader): Promise<ReadSession[]> {
  const sessions: ReadSession[] = [];
  for (const folder of [ROOT, asBytePath("failed")]) {
    for (const { path, name, kind } of source.entries(folder)) {
      if (kind === "folder" || !name.endsWith(".json")) continue;
      const piece = await source.piece(path);
      if (piece === undefined) continue;
      const { file, value, writtenAt } = piece;
      if (!("workflow_state" in value) && !("checkpoint_id" in value)) {
        source.note("broken", file, "it has neither a checkpoint_id nor a workflow_state");
        continue;
      }
      sessions.push(readClaudeCheckpoint({ file, content: value, writtenAt }));
    }
  }
  return sessions;
}
