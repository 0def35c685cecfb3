/** docs/cli.md */
import type { CommandSpec } from "../../src/interfaces/cli/command-spec.ts";
import { EXIT_MEANINGS } from "../../src/interfaces/cli/exit-codes.ts";
import { GLOBAL_OPTIONS } from "../../src/interfaces/cli/global-options.ts";
import {
  commandGroups,
  INTRODUCTION,
  OUTPUT,
  SELECTORS,
  sentence,
  usageOf,
  type Entry,
} from "./reference.ts";

export function cliPage(): string {
  const groups = commandGroups();
  const parts = [
    "# Commands",
    "<!-- Made by `npm run docs` from the table of commands; changes go there. -->",
    INTRODUCTION,
    "`waymark COMMAND` and `git waymark COMMAND` are the same.",
    ...groups.map(
      ({ title, commands }) =>
        `**${title}**: ${commands.map((spec) => `[\`${spec.name}\`](#waymark-${spec.name.replaceAll(" ", "-")})`).join(", ")}`,
    ),
    "## Options of every command",
    table("option", GLOBAL_OPTIONS.map(optionEntry)),
    "## How to name a checkpoint",
    table("selector", SELECTORS),
    "## Output",
    OUTPUT,
    "## Exit codes",
    table(
      "code",
      EXIT_MEANINGS.map(({ code, text }) => ({ term: String(code), text })),
    ),
    "`docs/troubleshooting.md` has a section for each failure.",
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.flatMap(commandParts)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function commandParts(spec: CommandSpec): string[] {
  const names = (spec.arguments ?? []).map(({ name, text }) => ({ term: name, text }));
  return [
    `### waymark ${spec.name}`,
    sentence(spec.summary),
    ...(spec.description === undefined ? [] : [spec.description]),
    `\`\`\`\n${usageOf(spec)}\n\`\`\``,
    ...(names.length === 0 ? [] : [table("argument", names)]),
    ...((spec.options ?? []).length === 0
      ? []
      : [table("option", (spec.options ?? []).map(optionEntry))]),
    `\`\`\`sh\n${spec.examples.map(({ command, text }) => `${command}   # ${text}`).join("\n")}\n\`\`\``,
    ...(spec.kinds.length === 0
      ? []
      : [`Prints with \`--json\`: ${spec.kinds.map((kind) => `\`${kind}\``).join(" or ")}.`]),
  ];
}

function optionEntry({ flags, text }: { readonly flags: string; readonly text: string }): Entry {
  return { term: flags, text };
}

function table(title: string, entries: readonly Entry[]): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return [
    `| ${title} | |`,
    "|---|---|",
    ...entries.map(({ term, text }) => `| \`${cell(term)}\` | ${cell(text)} |`),
  ].join("\n");
}
