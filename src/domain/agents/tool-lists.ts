/**
 * What the tools of each agent do, by name. A tool that is on no list might change anything, so a new tool of an agent costs a checkpoint too many and never
 * one too few. Not on the lists for that reason: subagents, skills, what kills processes, what writes memories, whatever belongs to MCP servers other than our
 * own, and Cline's attempt_completion, which may run a command.
 */
import type { AgentName } from "./agents.ts";

export interface ToolLists {
  /** Change no file of the project, whatever they are called with. */
  readonly read: ReadonlySet<string>;
  /** Change the files that they name and no other. */
  readonly write: ReadonlySet<string>;
  readonly shell: ReadonlySet<string>;
}

const CLAUDE_READ = `Read NotebookRead Glob Grep LS LSP WebFetch WebSearch BashOutput AskUserQuestion EnterPlanMode ExitPlanMode ToolSearch
  TodoRead TodoWrite TaskCreate TaskGet TaskList TaskOutput TaskUpdate`;
const CLAUDE_WRITE = "Write Edit MultiEdit NotebookEdit";
const CLAUDE_SHELL = "Bash PowerShell";

const GEMINI_READ = `read_file read_many_files list_directory glob grep_search search_file_content web_fetch write_todos ask_user enter_plan_mode
  exit_plan_mode`;

export const TOOL_LISTS: Readonly<Record<AgentName, ToolLists>> = {
  claude: lists(CLAUDE_READ, CLAUDE_WRITE, CLAUDE_SHELL),
  codex: lists(
    "update_plan view_image web_search read_file list_dir grep_files request_user_input tool_search",
    "apply_patch Write Edit",
    "Bash shell local_shell shell_command exec_command write_stdin",
  ),
  gemini: lists(
    `${GEMINI_READ} google_web_search get_internal_docs`,
    "write_file replace edit",
    "run_shell_command",
  ),
  copilot: lists(
    `view glob grep rg web_fetch web_search report_intent update_todo ask_user show_file read_bash list_bash read_powershell list_powershell read_agent
      list_agents fetch_copilot_cli_documentation ${CLAUDE_READ}`,
    `create edit str_replace_editor apply_patch ${CLAUDE_WRITE}`,
    `bash powershell write_bash write_powershell ${CLAUDE_SHELL}`,
  ),
  cursor: lists(
    `Read Grep Glob LS ListDir SemanticSearch ReadLints WebFetch WebSearch TodoWrite AskQuestion SwitchMode TabRead read_file list_dir grep_search
      file_search codebase_search web_search read_lints todo_write`,
    `Write Edit MultiEdit StrReplace Delete EditNotebook NotebookEdit ApplyPatch TabWrite write edit_file search_replace delete_file edit_notebook
      apply_patch`,
    "Shell Bash run_terminal_cmd",
  ),
  opencode: lists(
    "read glob grep list ls lsp webfetch websearch codesearch todoread todowrite question",
    "write edit multiedit patch apply_patch",
    "bash",
  ),
  cline: lists(
    `read_file read_files list_files search_files search_codebase list_code_definition_names web_fetch web_search fetch_web_content ask_followup_question
      ask_question plan_mode_respond act_mode_respond load_mcp_documentation`,
    "write_to_file replace_in_file delete_file editor apply_patch",
    "execute_command run_commands bash",
  ),
  qwen: lists(
    `${GEMINI_READ} web_search todo_write ask_user_question lsp get_goal list_agents tool_search`,
    "write_file edit replace notebook_edit",
    "run_shell_command",
  ),
};

/** Names with spaces between them. */
function lists(read: string, write: string, shell: string): ToolLists {
  return { read: namesIn(read), write: namesIn(write), shell: namesIn(shell) };
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u));
}
