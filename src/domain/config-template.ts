/** The waymark.yml that `init` writes: the settings that matter, commented out, so that nothing changes before it is edited. */
import { allowedText, KEYS, type Key, type SettingValue } from "./config-keys.ts";

const HEAD = `# Settings of Waymark for this project. Each line with #name shows a default: remove the # to change it,
# or run \`waymark config set KEY VALUE\`. \`waymark config\` lists every setting; \`waymark help configuration\` describes them.
`;

/** What people change first; all others are in docs/configuration.md. */
const SHOWN: readonly Key[] = [
  KEYS.strategy,
  KEYS.onToolUse,
  KEYS.maxAge,
  KEYS.maxSizeMb,
  KEYS.includeIgnored,
  KEYS.maxFileMb,
  KEYS.exclude,
  KEYS.secretsPatterns,
  KEYS.agentPolicy,
  KEYS.agentPrompts,
];

export function configTemplate(): string {
  const sections = [...new Set(SHOWN.map(sectionOf))];
  const blocks = sections.map((section) =>
    [
      ...(section === undefined ? [] : [`${section}:`]),
      ...SHOWN.filter((key) => sectionOf(key) === section).flatMap(keyLines),
      "",
    ].join("\n"),
  );
  return [HEAD, ...blocks].join("\n");
}

function sectionOf({ path }: Key): string | undefined {
  return path.includes(".") ? path.slice(0, path.indexOf(".")) : undefined;
}

function keyLines(key: Key): string[] {
  const indent = sectionOf(key) === undefined ? "" : "  ";
  const name = key.path.slice(key.path.indexOf(".") + 1);
  const isWord = key.kind.type === "word";
  // A line for each value, where the text describes them.
  const [what = "", ...each] = isWord ? key.text.split("; ") : [key.text];
  const values = isWord && each.length === 0 ? ` (${allowedText(key.kind)})` : "";
  return [
    `${indent}# ${what}${values}`,
    ...each.map((line) => `${indent}#   ${line}`),
    `${indent}#${name}: ${yamlText(key.fallback)}`,
  ];
}

export function yamlText(value: SettingValue): string {
  return typeof value === "object" ? `[${value.map(word).join(", ")}]` : String(value);
}

/** Not text in every YAML parser. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/;

function word(text: string): string {
  return /^[a-z][a-z0-9_-]*$/.test(text) && !NOT_TEXT.test(text) ? text : JSON.stringify(text);
}
