/** What the man page and docs/cli.md have in common: the commands in order, and what no table of commands says. */
import type { CommandSpec } from "../../src/interfaces/cli/command-spec.ts";
import { GROUPS } from "../../src/interfaces/cli/command-spec.ts";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";

export interface Entry {
  readonly term: string;
  readonly text: string;
}

export const INTRODUCTION =
  "Waymark takes checkpoints of a git work tree that agents change: files (staged, unstaged, untracked), the index, HEAD and " +
  "an operation in progress. One command restores all of it, and that command can be undone. Creating a checkpoint changes " +
  "nothing in the project.";

export const SELECTORS: readonly Entry[] = [
  {
    term: "latest",
    text: "the newest checkpoint of this work tree that was not rolled past: the first of `list`",
  },
  { term: "latest~2", text: "two before that" },
  { term: "start", text: "the first of the session" },
  { term: "cp-04-implement-20261115-184530-a3f2", text: "an id, also one that was rolled past" },
  {
    term: "a3f2",
    text: "a unique part of an id, such as the short form on a terminal",
  },
  { term: "baseline", text: "a name that was given with `create --name`" },
  {
    term: "4",
    text: "the latest one at the end of step 4; else the one at its beginning, or a manual one; of the last session that has the step",
  },
  { term: "phase:implement", text: "the latest one before that phase" },
  { term: "session:ID/4", text: "any of these, in another session" },
];

export const OUTPUT =
  "Data goes to standard output, everything else to standard error. With `--json` exactly one document is printed, with " +
  "`schema_version` and `kind`; `waymark schema` prints the JSON Schema of each kind. A failure is a document too, of kind " +
  "`error`, with `code`, `message` and `hint`.";

export interface Group {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

export function commandGroups(): Group[] {
  return GROUPS.map((title) => ({
    title,
    commands: COMMANDS.filter((spec) => spec.group === title && spec.isHidden !== true),
  })).filter(({ commands }) => commands.length > 0);
}

export function usageOf(spec: CommandSpec): string {
  const options = (spec.options ?? []).length === 0 ? [] : ["[options]"];
  const names = (spec.arguments ?? []).map((argument) => argument.name);
  return ["waymark", spec.name, ...options, ...names].join(" ");
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
