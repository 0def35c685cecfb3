/** Hints are written for the command line; whoever calls tools knows its flags by other names. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/--yes\b/g, "confirm_token"],
  [/--dry-run\b/g, "no confirm_token"],
  [/--discard-commits\b/g, "discard_commits: true"],
  [/--keep-head\b/g, "keep_head: true"],
  [/--keep-task\b/g, "keep_task: true"],
  [/--files-only\b/g, "files_only: true"],
  [/--state-only\b/g, "state_only: true"],
  [/--even-if-expired\b/g, "even_if_expired: true"],
  [/--paths\b/g, "paths"],
];

export function inToolWords(hint: string): string {
  return WORDS.reduce((text, [flag, word]) => text.replaceAll(flag, word), hint);
}
