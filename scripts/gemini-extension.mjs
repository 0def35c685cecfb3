// Writes what the Gemini extension shares with the plugin: its skills, and a slash command for each skill and command of the plugin.
//
//   node scripts/gemini-extension.mjs           writes them
//   node scripts/gemini-extension.mjs --check   names those that are stale, exit code 1
//
// Copies, because npm packs no links, and Gemini CLI wants its commands in a form of its own.

import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const PLUGIN = join(root, "plugin");
const EXTENSION = join(root, "gemini-extension");
/** Commands of a folder are called by its name: /waymark:checkpoint. */
const COMMANDS = "commands/waymark";

/** Of a Markdown file that begins with a block of YAML. */
function parts(text) {
  const [, head, body = ""] = /^---\n([\s\S]*?)^---\n([\s\S]*)$/m.exec(text) ?? [];
  if (head === undefined) throw new Error("a file of the plugin has no frontmatter");
  return { description: parse(head).description, body: body.trim() };
}

/** Strings of TOML are written as those of JSON are. */
function command(description, prompt) {
  const lines = prompt.split("\n").map((line) => JSON.stringify(line).slice(1, -1));
  const text = lines.join("\n").replaceAll(String.raw`\"`, '"');
  return `description = ${JSON.stringify(description)}\nprompt = """\n${text}\n"""\n`;
}

/** By path in gemini-extension/. */
async function files() {
  const made = new Map();
  for (const name of await readdir(join(PLUGIN, "skills"))) {
    const text = await readFile(join(PLUGIN, "skills", name, "SKILL.md"), "utf8");
    made.set(`skills/${name}/SKILL.md`, text);
    const [first] = parts(text).description.split(/(?<=\.) /);
    const prompt = `Follow the skill \`${name}\` of the extension waymark. What the user adds to the command is its input.`;
    made.set(`${COMMANDS}/${name}.toml`, command(first, prompt));
  }
  for (const file of await readdir(join(PLUGIN, "commands"))) {
    const { description, body } = parts(await readFile(join(PLUGIN, "commands", file), "utf8"));
    made.set(`${COMMANDS}/${file.replace(/\.md$/, ".toml")}`, command(description, body));
  }
  return made;
}

async function present() {
  const found = [];
  for (const folder of ["skills", "commands"]) {
    const entries = await readdir(join(EXTENSION, folder), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    for (const entry of entries.filter((each) => each.isFile())) {
      found.push(join(entry.parentPath, entry.name).slice(EXTENSION.length + 1));
    }
  }
  return found;
}

const made = await files();
const stale = [];
for (const [path, content] of made) {
  const now = await readFile(join(EXTENSION, path), "utf8").catch(() => undefined);
  if (now !== content) stale.push(path);
}
const leftOver = (await present()).filter((path) => !made.has(path));

if (process.argv.includes("--check")) {
  for (const path of [...stale, ...leftOver]) console.error(`gemini-extension/${path} is stale`);
  if (stale.length + leftOver.length > 0) {
    console.error("Run `npm run docs` and commit the result.");
    process.exitCode = 1;
  }
} else {
  for (const path of stale) {
    await mkdir(dirname(join(EXTENSION, path)), { recursive: true });
    await writeFile(join(EXTENSION, path), made.get(path));
    console.log(`wrote gemini-extension/${path}`);
  }
  for (const path of leftOver) {
    await rm(join(EXTENSION, path));
    console.log(`removed gemini-extension/${path}`);
  }
}
