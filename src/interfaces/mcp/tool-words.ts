/** Messages and hints are written for the command line; whoever calls tools knows its flags by other names. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /, or include it with `includeSecrets: true` of the document; it then stays on this machine/g,
    "",
  ],
  [
    /Include it with `includeSecrets: true` of the document; it then stays on this machine/g,
    "Remove the secret, or save the name of the variable or file that contains it",
  ],
  [/`--state-key KEY`/g, "state_keys"],
  [/--yes\b/g, "confirm_token"],
  [/--dry-run\b/g, "no confirm_token"],
  [/--discard-commits\b/g, "discard_commits: true"],
  [/--keep-head\b/g, "keep_head: true"],
  [/--keep-task\b/g, "keep_task: true"],
  [/--files-only\b/g, "files_only: true"],
  [/--state-only\b/g, "state_only: true"],
  [/--even-if-expired\b/g, "even_if_expired: true"],
  [/--paths\b/g, "paths"],
  [/--scope\b/g, "scope"],
  [/--state-key\b/g, "state_keys"],
  [/--state\b/g, "state"],
  [/--outputs\b/g, "outputs"],
  [/--only-session\b/g, "only_session"],
  [/--only-paths-of\b/g, "only_paths_of"],
  [/--session\b/g, "session"],
  [/--force\b/g, "force: true"],
];

/** What a tool does as well. */
const TOOLS: readonly (readonly [RegExp, string])[] = [
  [/`waymark list(?: --all)?`/g, "list_checkpoints"],
  [/`waymark session list(?: --all)?`/g, "list_sessions"],
  [/`waymark validate`/g, "validate_checkpoints"],
  [/`waymark (undo|redo)`/g, "the tool `$1`"],
];

/** Other command lines stay as they are: they are for people, in a terminal. */
const COMMAND_LINE = /(`waymark [^`]*`)/;

export function inToolWords(text: string): string {
  return TOOLS.reduce((said, [command, tool]) => said.replaceAll(command, tool), text)
    .split(COMMAND_LINE)
    .map((piece) =>
      COMMAND_LINE.test(piece)
        ? piece
        : WORDS.reduce((said, [flag, word]) => said.replaceAll(flag, word), piece),
    )
    .join("");
}
