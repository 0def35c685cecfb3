/** Prompts that users pick: how to work with checkpoints, step by step. */
import type { GetPromptResult, McpServer } from "@modelcontextprotocol/server";
import { resumeArguments, riskyWorkArguments, rollBackArguments } from "./input-schemas.ts";

export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    "checkpoint-before-risky-work",
    {
      title: "Checkpoint before risky work",
      description:
        "Creates a checkpoint, does the work, and compares; rolls back if it went wrong.",
      argsSchema: riskyWorkArguments,
    },
    ({ task }) =>
      asked([
        `Before you begin${task === undefined ? "" : ` with this: ${task}`}`,
        "1. Call create_checkpoint with a reason that says what comes next. Keep its id.",
        "2. Do the work in small steps. Before a step that deletes, moves or rewrites much, create another checkpoint.",
        "3. When you are done, call diff_checkpoints from that id and check that nothing unintended changed. Run the tests.",
        "4. If it went wrong, say so, and offer to roll back. Do not clean up with git reset, git checkout or git clean.",
      ]),
  );
  server.registerPrompt(
    "roll-back-safely",
    {
      title: "Roll back safely",
      description: "Finds the right checkpoint, shows what a rollback would do, and rolls back.",
      argsSchema: rollBackArguments,
    },
    ({ problem }) =>
      asked([
        `Something has to be undone${problem === undefined ? "." : `: ${problem}`}`,
        "1. Call list_checkpoints, and diff_checkpoints from the candidates, to find the last good state.",
        "2. Call preview_rollback. Tell the user which files will change or be removed, which commits would be dropped from a branch, and what is kept.",
        "3. If only some files are wrong, prefer `paths`. If commits would be dropped from a branch, ask whether to drop them (discard_commits) or to leave the branch alone (keep_head).",
        "4. Call roll_back. With a confirm_token in the answer: check that the plan is the one that you showed, then call again with it.",
        "5. Tell the user the id of the safety checkpoint, and that `undo` reverts the rollback. Read files again before you edit them.",
      ]),
  );
  server.registerPrompt(
    "resume-session",
    {
      title: "Resume session",
      description: "Finds out where an interrupted workflow stands and what it needs to continue.",
      argsSchema: resumeArguments,
    },
    ({ session }) =>
      asked([
        `Find out how to continue ${session === undefined ? "the interrupted session" : `the session ${session}`}.`,
        "1. Call resume_info. It changes and runs nothing.",
        "2. Call show_session for phases, state and outputs.",
        "3. Tell the user what is done, what would run again and why, what changed since, and what has to be decided.",
        "4. Do not run what is completed. The user, or a script, continues with `waymark resume`.",
      ]),
  );
}

function asked(lines: readonly string[]): GetPromptResult {
  return {
    messages: [{ role: "user", content: { type: "text", text: lines.join("\n") } }],
  };
}
