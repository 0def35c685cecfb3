import { describe, expect, it } from "vitest";
import { exists, filesUnder, read } from "./project-files.ts";
import { tokenize, type Token } from "./source-tokens.ts";

const FOLDERS = ["src", "test", "scripts", "docs", ".ci"];

/** Paths in backticks, outside of fenced blocks: those show what users type, in their own projects. */
function pathsIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2`* *$/gm, "");
  return [...prose.matchAll(/(`+)(.+?)\1/g)]
    .map(([, , text = ""]) => text.trim().split(/\s/)[0] ?? "")
    .filter((word) => FOLDERS.some((folder) => word.startsWith(`${folder}/`)))
    .filter((word) => !/[<>…]|\.\.\./.test(word))
    .map((word) => word.replace(/#.*$/, "").replace(/[.,;:]$/, ""));
}

/** A pattern (`src/**\/*.test.ts`, `src/{domain,ports}/`) must match at least one file. */
function isThere(path: string, files: readonly string[]): boolean {
  if (!/[*{]/.test(path)) return exists(path);
  const pattern = path
    .replace(/\/$/, "/**")
    .split(/(\*\*\/?|[*{},])/)
    .map((part) => PATTERN_PARTS[part] ?? part.replaceAll(/[\\^$.|?+()[\]]/g, String.raw`\$&`))
    .join("");
  const regex = new RegExp(`^${pattern}(/.*)?$`);
  return files.some((file) => regex.test(file));
}

const PATTERN_PARTS: Record<string, string> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "{": "(?:",
  "}": ")",
  ",": "|",
};

const files = FOLDERS.flatMap(filesUnder);
const documents = [
  ...["README.md", "ARCHITECTURE.md", "AGENTS.md"].filter(exists),
  ...filesUnder("docs").filter((path) => path.endsWith(".md")),
];

describe("paths in the documents", () => {
  it("all exist", () => {
    const missing = documents.flatMap((document) =>
      pathsIn(read(document))
        .filter((path) => !isThere(path, files))
        .map((path) => `${document} names ${path}, which does not exist`),
    );
    expect(missing).toEqual([]);
  });
});

describe("docs/requirements.md", () => {
  const page = read("docs/requirements.md");
  const [met = "", planned = ""] = page.split("\n## Planned\n");
  const rows = met.split("\n").filter((line) => /^\| \d /.test(line));

  it("names a test that exists for every requirement that is not planned", () => {
    expect(rows.length).toBeGreaterThan(190);
    const untested = rows.filter((row) => {
      const named = [...row.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)` "([^"]+)"/g)];
      return named.length === 0 || !named.every(([, path = "", name = ""]) => hasTest(path, name));
    });
    expect(untested).toEqual([]);
  });

  it("has only a web page and a git remote as planned", () => {
    const left = planned.split("\n").filter((line) => /^\| \d /.test(line));
    expect(left.map((line) => line.split("|")[3]?.trim())).toEqual([
      "a local web page to manage checkpoints",
      "checkpoints on a git remote",
    ]);
  });
});

function hasTest(path: string, name: string): boolean {
  return exists(path) && titlesIn(read(path)).includes(name);
}

/** The titles of the tests that run; of one with `${…}` the part before it. */
function titlesIn(source: string): string[] {
  const tokens = tokenize(source);
  return tokens.flatMap(({ kind, text }, at) =>
    kind === "word" && ["it", "test"].includes(text) && tokens[at - 1]?.text !== "."
      ? titleAfter(tokens, at + 1)
      : [],
  );
}

/** After `it`: `("title"`, `.skipIf(…)("title"`, `.each<Row>([…])("title"`. */
function titleAfter(tokens: readonly Token[], from: number): string[] {
  let at = from;
  for (;;) {
    const [token, next] = tokens.slice(at, at + 2);
    if (token?.text === "." && !["skip", "todo"].includes(next?.text ?? "")) at += 2;
    else if (token?.text === "(" && ["string", "template"].includes(next?.kind ?? "")) {
      return [next?.text.trim() ?? ""];
    } else if (token?.text === "(" || token?.text === "<") at = afterBrackets(tokens, at);
    else return [];
  }
}

function afterBrackets(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { kind, text } = tokens[at] ?? { kind: "word", text: "" };
    if (kind !== "punctuation" || (text === ">" && tokens[at - 1]?.text === "=")) continue;
    if ("([{<".includes(text)) depth += 1;
    if (")]}>".includes(text)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

describe("the checker of tests", () => {
  it("finds titles of tests, and no other text", () => {
    const source = `
      describe("a group", () => {
        it("is plain", () => expect("a value").toBe("another"));
        test.skipIf(!has(here))(
          "has a condition",
          () => {},
        );
        it.each<[string, () => void]>([["a row", (): void => {}]])("has rows: %s", () => {});
        it(\`ends with \${value}\`, () => regex.test("text"));
        it.skip("is left out", () => {});
      });
    `;
    expect(titlesIn(source)).toEqual(["is plain", "has a condition", "has rows: %s", "ends with"]);
  });
});

describe("the checker of paths", () => {
  it("finds paths in backticks and nothing else", () => {
    const markdown = [
      "See `src/app.ts`, ``docs/spec.md#rules`` and `test/architecture/`; src/no.ts, `git status`,",
      "`npm run build`, `docs/decisions/<number>.md`, `mysrc/no.ts`.",
      "```sh",
      "cat `src/no.ts`",
      "```",
      "`.ci/run --all`",
    ].join("\n");
    expect(pathsIn(markdown)).toEqual([
      "src/app.ts",
      "docs/spec.md",
      "test/architecture/",
      ".ci/run",
    ]);
  });

  it("tells what is there from what is not", () => {
    const all = ["src/domain/plan.ts", "src/domain/plan.test.ts"];
    expect(isThere("test/architecture/docs-paths.test.ts", all)).toBe(true);
    expect(isThere("test/architecture/", all)).toBe(true);
    expect(isThere("test/architecture/gone.test.ts", all)).toBe(false);
    expect(isThere("src/**/*.test.ts", all)).toBe(true);
    expect(isThere("src/{domain,ports}/", all)).toBe(true);
    expect(isThere("src/*.ts", all)).toBe(false);
    expect(isThere("src/**/*.suite.ts", all)).toBe(false);
  });
});
