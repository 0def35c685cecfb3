/** What pages for agents tell them to run: commands of their blocks and sentences, flags, fields of documents, exit codes. */
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

export interface Page {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** Everything that is written for agents, and the pages for people that tell of it. */
export async function pagesForAgents(): Promise<readonly Page[]> {
  const paths = ["docs/agents.md", "gemini-extension/GEMINI.md"];
  for (const folder of ["plugin/skills", "plugin/commands"]) {
    const names = await readdir(fileURLToPath(new URL(folder, ROOT)), { recursive: true });
    paths.push(...names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`));
  }
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(new URL(path, ROOT), "utf8") })),
  );
}

const BLOCK = /^( *)```sh\n([\s\S]*?)^ *```$/gm;
const SPAN = /`([^`\n]+)`/g;

/** A block is one script; a command in a sentence is one, too, unless it is no more than a name. */
export function scriptsOf({ text }: Page): readonly string[] {
  const blocks = [...text.matchAll(BLOCK)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), "").trim(),
  );
  const spans = spansOf(text).filter((span) => /^waymark [a-z]/.test(span) && !NAME.test(span));
  return [...blocks, ...spans].filter((script) => script.includes("waymark "));
}

const NAME = /^waymark ([a-z]+(?: [a-z]+)?)$/;

/** Commands that are called by name: `hooks install`. */
export function namesOf({ text }: Page): readonly string[] {
  return spansOf(text).flatMap((span) => NAME.exec(span)?.[1] ?? []);
}

export function flagsOf({ text }: Page): readonly string[] {
  const code = [...spansOf(text), ...[...text.matchAll(BLOCK)].map(([, , block = ""]) => block)];
  return code.flatMap((each) =>
    [...each.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([name]) => name),
  );
}

function spansOf(text: string): readonly string[] {
  const prose = text
    .replaceAll(BLOCK, "")
    // Prose for another file.
    .replaceAll(/^```markdown\n([\s\S]*?)^```$/gm, "$1")
    .replaceAll(/^```[\s\S]*?^```$/gm, "");
  // A cell of a table writes a pipe with a backslash.
  return [...prose.matchAll(SPAN)].map(([, span = ""]) => span.replaceAll(String.raw`\|`, "|"));
}

export interface NamedField {
  readonly kind: string;
  readonly field: string;
}

/** Of tables that begin with "field of `KIND`". */
export function fieldsOf({ text }: Page): readonly NamedField[] {
  return [...text.matchAll(/^\| field of `(\w+)` \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)].flatMap(
    ([, kind = "", rows = ""]) =>
      rows
        .trimEnd()
        .split("\n")
        .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(SPAN)])
        .map(([, field = ""]) => ({ kind, field })),
  );
}

export interface NamedFailure {
  readonly exit: number;
  readonly code: string;
}

/** Of tables with the columns "exit code" and "error.code". */
export function failuresOf({ text }: Page): readonly NamedFailure[] {
  return [...text.matchAll(/^ *\| (\d+) \|([^|]*)\|/gm)].flatMap(([, exit = "", codes = ""]) =>
    [...codes.matchAll(SPAN)].map(([, code = ""]) => ({ exit: Number(exit), code })),
  );
}
