/** `waymark config` */
import { inspectConfig } from "../../../app.ts";
import { nearestKey } from "../../../domain/config-check.ts";
import { ALL_KEYS, SECTIONS, SHORTHANDS } from "../../../domain/config-keys.ts";
import type { Origin, ResolvedSetting } from "../../../domain/config-resolution.ts";
import { yamlText } from "../../../domain/config-template.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Context } from "../command-spec.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { tableLines, type Column } from "../table.ts";

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const [key] = context.args as [string | undefined];
  const { settings, files, warnings, notes, problems, asks } = await inspectConfig(
    context.directory,
  );
  const chosen = key === undefined ? settings : choose(settings, key);
  output.result(
    "config",
    {
      values: chosen.map(({ key: name, value, origin }) => ({
        key: name,
        value,
        origin: originDocument(origin),
      })),
      files,
      warnings,
      notes,
      problems,
      consent: asks.map(({ isAgreed, ...ask }) => ({ ...ask, agreed: isAgreed })),
    },
    tableLines(COLUMNS, chosen, output.columns, output.paint),
  );
  for (const warning of warnings) output.warn(warning);
  for (const note of notes) output.say(`note: ${note}`);
  for (const { message } of problems) output.warn(`${message}; the default is used`);
  return problems.length > 0 ? EXIT_CODES.config_invalid : 0;
}

const COLUMNS: readonly Column<ResolvedSetting>[] = [
  { title: "SETTING", cell: ({ key }) => key },
  { title: "VALUE", cell: ({ value }) => yamlText(value), cutTo: 12 },
  {
    title: "FROM",
    cell: ({ origin }) => originText(origin),
    style: ({ origin }) => (origin.source === "default" ? "dim" : undefined),
  },
];

function choose(settings: readonly ResolvedSetting[], key: string): ResolvedSetting[] {
  const wanted = SHORTHANDS.find(({ path }) => path === key)?.keys.map(({ path }) => path) ?? [key];
  const found = settings.filter((setting) =>
    wanted.some((path) => setting.key === path || setting.key.startsWith(`${path}.`)),
  );
  if (found.length > 0) return found;
  throw noSuchSetting(key);
}

export function noSuchSetting(key: string): Failure {
  if (Object.hasOwn(SECTIONS, key)) {
    const own = ALL_KEYS.filter(({ path }) => path.startsWith(`${key}.`)).map(({ path }) => path);
    return new Failure("usage", `${key} is a group of settings`, {
      hint: `Choose one of them: ${own.join(", ")}.`,
    });
  }
  const nearest = nearestKey(key);
  return new Failure("usage", `unknown setting ${key}`, {
    hint:
      nearest === undefined
        ? "`waymark config` lists all of them."
        : `Did you mean ${nearest}? \`waymark config\` lists all of them.`,
  });
}

export function originText(origin: Origin): string {
  switch (origin.source) {
    case "default":
      return "default";
    case "environment":
      return origin.variable;
    case "file":
      return `${origin.file}:${origin.line}`;
  }
}

function originDocument(origin: Origin): Record<string, unknown> {
  return {
    source: origin.source,
    file: origin.source === "file" ? origin.file : null,
    line: origin.source === "file" ? origin.line : null,
    variable: origin.source === "environment" ? origin.variable : null,
  };
}
