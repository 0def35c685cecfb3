/** Every tool, in the order in which clients list them. */
import type { Call, Tool, AnyTool } from "./tool.ts";
import { readInput } from "./input-schemas.ts";
import { createCheckpointTool } from "./tools/create-checkpoint.ts";
import { diffCheckpointsTool } from "./tools/diff-checkpoints.ts";
import { guardTool } from "./tools/guard.ts";
import { listCheckpointsTool } from "./tools/list-checkpoints.ts";
import { listSessionsTool } from "./tools/list-sessions.ts";
import { previewRollbackTool } from "./tools/preview-rollback.ts";
import { resumeInfoTool } from "./tools/resume-info.ts";
import { rollBackTool } from "./tools/roll-back.ts";
import { saveSessionTool } from "./tools/save-session.ts";
import { showCheckpointTool } from "./tools/show-checkpoint.ts";
import { showSessionTool } from "./tools/show-session.ts";
import { redoTool, undoTool } from "./tools/undo-redo.ts";
import { validateCheckpointsTool } from "./tools/validate-checkpoints.ts";

const USUAL: readonly AnyTool[] = [
  any(createCheckpointTool),
  any(listCheckpointsTool),
  any(showCheckpointTool),
  any(diffCheckpointsTool),
  any(previewRollbackTool),
  any(rollBackTool),
  any(undoTool),
  any(redoTool),
  any(validateCheckpointsTool),
  any(saveSessionTool),
  any(showSessionTool),
  any(listSessionsTool),
  any(resumeInfoTool),
];

/** Runs commands of the agent: only where whoever started the server said so. */
const RUNS_COMMANDS: readonly AnyTool[] = [any(guardTool)];

export function toolsOf(allowsCommands: boolean): readonly AnyTool[] {
  return allowsCommands ? [...USUAL, ...RUNS_COMMANDS] : USUAL;
}

function any<Input>(tool: Tool<Input>): AnyTool {
  const { run, ...rest } = tool;
  return {
    ...rest,
    call: (given, open) => {
      const input = readInput(tool.input, given);
      return open((call: Call) => run(call, input));
    },
  };
}
