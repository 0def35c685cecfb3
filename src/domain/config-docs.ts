/** The tables of docs/configuration.md. */
import {
  ALL_KEYS,
  allowedText,
  SECTIONS,
  SHORTHANDS,
  variableOf,
  type Key,
} from "./config-keys.ts";
import { yamlText } from "./config-template.ts";
import { effectText, FOREIGN_FORMATS } from "./foreign-config.ts";
import { cell, fillMarks } from "./marked-tables.ts";

function keyTables(): string {
  const top = ALL_KEYS.filter(({ path }) => !path.includes("."));
  const sections = Object.entries(SECTIONS).map(([section, text]) => {
    const keys = ALL_KEYS.filter(({ path }) => path.startsWith(`${section}.`));
    const more = SHORTHANDS.filter(({ path }) => path.startsWith(`${section}.`));
    const notes = more.map(({ path, text: note }) => `\n\`${path}\` ${note}.\n`).join("");
    return `### ${section}\n\n${text}\n\n${keyTable(keys)}\n${notes}`;
  });
  return [`${keyTable(top)}\n`, ...sections].join("\n").trimEnd();
}

function keyTable(keys: readonly Key[]): string {
  const rows = keys.map(
    ({ path, kind, fallback, text, consent }) =>
      `| \`${path}\` | \`${yamlText(fallback)}\` | ${cell(text)} | ${cell(allowedText(kind))} | ${cell(consent?.values ?? "")} | \`${variableOf(path)}\` |`,
  );
  return [
    "| key | default | what it does | takes | needs consent | variable |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function foreignTables(): string {
  return FOREIGN_FORMATS.map(({ files, keys }) => {
    const title = files.map(({ path }) => `\`${path}\``).join(", ");
    const rows = keys.map(({ path, effect }) => `| \`${path}\` | ${cell(effectText(effect))} |`);
    return [`### ${title}`, "", "| key there | is here |", "|---|---|", ...rows].join("\n");
  }).join("\n\n");
}

export function fillTables(document: string): string {
  return fillMarks(document, { keys: keyTables(), foreign: foreignTables() });
}
