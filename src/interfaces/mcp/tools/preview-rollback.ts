/** The tool `preview_rollback`. */
import { rollbackPlanDocument } from "../../../operations/documents/rollback-document.ts";
import { planRollback } from "../../../operations/plan-rollback.ts";
import { planLines } from "../../cli/rollback-report.ts";
import type { Answer } from "../answer.ts";
import { previewInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";
import { askedRollback } from "./rollback-scope.ts";

type Input = ReturnType<typeof previewInput.parse>;

export const previewRollbackTool: Tool<Input> = {
  name: "preview_rollback",
  title: "Preview rollback",
  description:
    "Shows what rolling back to a checkpoint would do: files written, removed and kept, branch moves, commits that would leave a branch, later checkpoints " +
    "that become invalid. Changes nothing and confirms nothing; use it to decide. To act, call roll_back.",
  annotations: READ_ONLY,
  input: previewInput,
  kinds: ["rollback_plan"],
  opens: LOOKS,
  run: preview,
};

const MOST_LINES = 40;

async function preview(call: Call, input: Input): Promise<Answer> {
  const { target, scope, sessionId, leftBehind } = await askedRollback(call, input);
  const { plan, capture } = await planRollback(call.project, target, scope, { sessionId });
  capture.discard();
  const paint = (_style: unknown, text: string): string => text;
  return {
    kind: "rollback_plan",
    document: rollbackPlanDocument(plan, leftBehind),
    lines: [...planLines(plan, { paint, leftBehind, most: MOST_LINES }), "Nothing was changed."],
  };
}
