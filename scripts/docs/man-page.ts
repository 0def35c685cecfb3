/** man/git-waymark.1, in the few macros of man(7) that every reader of man pages knows. */
import type { CommandSpec } from "../../src/interfaces/cli/command-spec.ts";
import { EXIT_MEANINGS } from "../../src/interfaces/cli/exit-codes.ts";
import { GLOBAL_OPTIONS } from "../../src/interfaces/cli/global-options.ts";
import { VERSION } from "../../src/interfaces/cli/version.ts";
import {
  commandGroups,
  INTRODUCTION,
  OUTPUT,
  SELECTORS,
  sentence,
  usageOf,
  type Entry,
} from "./reference.ts";

export function manPage(): string {
  const lines = [
    '.\\" Made by `npm run docs` from the table of commands; changes go there.',
    `.TH GIT\\-WAYMARK 1 "" "Waymark ${VERSION}" "Waymark Manual"`,
    ".SH NAME",
    "git\\-waymark, waymark \\- checkpoint, roll back and undo for git work trees",
    ".SH SYNOPSIS",
    ".nf",
    "\\fBgit waymark\\fR [\\fIoptions\\fR] \\fIcommand\\fR",
    "\\fBwaymark\\fR [\\fIoptions\\fR] \\fIcommand\\fR",
    ".fi",
    ".SH DESCRIPTION",
    inline(INTRODUCTION),
    ".PP",
    inline(
      "`waymark help COMMAND` shows one command. `waymark COMMAND` and `git waymark COMMAND` are the same.",
    ),
    ...commandGroups().flatMap(({ title, commands }) => [
      `.SH ${title.toUpperCase()}`,
      ...commands.flatMap(commandLines),
    ]),
    ".SH OPTIONS OF EVERY COMMAND",
    ...list(GLOBAL_OPTIONS.map(({ flags, text }) => ({ term: flags, text }))),
    ".SH HOW TO NAME A CHECKPOINT",
    ...list(SELECTORS),
    ".SH OUTPUT",
    inline(OUTPUT),
    ".SH EXIT STATUS",
    ...list(EXIT_MEANINGS.map(({ code, text }) => ({ term: String(code), text }))),
    ".SH FILES",
    ...list([
      { term: "refs/waymark/cp/ID", text: "a checkpoint, as a commit of the store" },
      { term: "refs/waymark/session/ID", text: "the journal of a session" },
      {
        term: ".git/waymark/",
        text: "the store (a bare repository with all checkpoints), audit log, exports, logs of runs, caches",
      },
    ]),
    ".SH SEE ALSO",
    ".BR git (1),",
    ".BR git\\-stash (1),",
    ".BR git\\-worktree (1)",
  ];
  return `${lines.join("\n")}\n`;
}

/** The page under the other name of the command. */
export const MAN_LINK = ".so man1/git-waymark.1\n";

function commandLines(spec: CommandSpec): string[] {
  const entries: Entry[] = [
    ...(spec.arguments ?? []).map(({ name, text }) => ({ term: name, text })),
    ...(spec.options ?? []).map(({ flags, text }) => ({ term: flags, text })),
  ];
  return [
    `.SS ${literal(usageOf(spec))}`,
    inline(sentence(spec.summary)),
    ...(spec.description === undefined ? [] : [".PP", inline(spec.description)]),
    ...list(entries),
    ".PP",
    spec.examples.length === 1 ? "Example:" : "Examples:",
    ".PP",
    ".RS 4",
    ".nf",
    ...spec.examples.map(({ command, text }) =>
      atLineStart(`${literal(command)}   # ${plain(text)}`),
    ),
    ".fi",
    ".RE",
  ];
}

function list(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ term, text }) => [
    ".TP",
    `\\fB${atLineStart(literal(term))}\\fR`,
    inline(text),
  ]);
}

/** What is in backticks becomes bold; lines are kept short, as readers of the source expect. */
function inline(text: string): string {
  const parts = text.split("`");
  const marked = parts.map((part, at) => (at % 2 === 0 ? plain(part) : `\\fB${literal(part)}\\fR`));
  const lines = marked.join("").match(/.{1,78}(?= |$)|\S+/g) ?? [];
  return lines.map((line) => atLineStart(line.trimStart())).join("\n");
}

/** Text to be typed: a hyphen stays a minus sign that can be copied. */
function literal(text: string): string {
  return plain(text).replaceAll("-", "\\-");
}

export function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("…", "...")
    .replaceAll(/[^\n -~]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
    });
}

/** A point or an apostrophe at the beginning of a line would be a request. */
function atLineStart(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}
