/** The waymark.yml that `init` writes: every setting with its default, commented out, so that nothing changes before it is edited. */
import {
  AGENT_SECTION,
  ALL_KEYS,
  allowedText,
  SECTIONS,
  SHORTHANDS,
  type Key,
  type SettingValue,
} from "./config-keys.ts";

const HEAD = `# Settings of Waymark for this project.
#
# Lines that begin with # and no space show the default: take the # away to change one. \`waymark config\` shows what is
# in effect and where it comes from. Environment variables such as WAYMARK_RETENTION_MAX_AGE
# and each user's own ~/.config/waymark/config.yml count more than this file. Values that reach out of the project or
# switch protection off need the consent of each user: \`waymark config trust\`.
`;

export function configTemplate(): string {
  const blocks = [HEAD, ...ALL_KEYS.filter((key) => sectionOf(key) === undefined).map(keyLines)];
  for (const [section, text] of Object.entries(SECTIONS)) {
    const keys = ALL_KEYS.filter((key) => sectionOf(key) === section);
    blocks.push(
      [`# ${text}\n${section}:`, ...keys.map(keyLines), ...moreLines(section)].join("\n"),
    );
  }
  return blocks.join("\n");
}

function sectionOf({ path }: Key): string | undefined {
  return path.includes(".") ? path.slice(0, path.indexOf(".")) : undefined;
}

const SELF_EVIDENT = new Set(["boolean", "integer", "names"]);

function keyLines(key: Key): string {
  const isInSection = sectionOf(key) !== undefined;
  const indent = isInSection ? "  " : "";
  const name = key.path.slice(key.path.indexOf(".") + 1);
  const lines = [
    `${indent}# ${key.text}`,
    // Numbers, lists of names, true and false speak for themselves.
    ...(SELF_EVIDENT.has(key.kind.type) ? [] : [`${indent}# ${allowedText(key.kind)}`]),
    `${indent}#${name}: ${yamlText(key.fallback)}`,
  ];
  return `${lines.join("\n")}${isInSection ? "" : "\n"}`;
}

function moreLines(section: string): string[] {
  const shorthands = SHORTHANDS.filter(({ path }) => path.startsWith(`${section}.`)).map(
    ({ path, text }) => `  # ${path.slice(section.length + 1)} ${text}`,
  );
  return section === AGENT_SECTION
    ? ["  # a policy for one agent, for example", "  # claude: fail_closed", ""]
    : [...shorthands, ""];
}

export function yamlText(value: SettingValue): string {
  return typeof value === "object" ? `[${value.map(word).join(", ")}]` : String(value);
}

function word(text: string): string {
  return /^[a-z][a-z0-9_-]*$/.test(text) ? text : JSON.stringify(text);
}
