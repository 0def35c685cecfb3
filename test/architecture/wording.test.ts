/** The words that people and agents read: those of git, gh and jj. The phrases below were in earlier versions and confused first-time users. */
import { describe, expect, it } from "vitest";
import { filesUnder, read } from "./project-files.ts";
import { tokenize } from "./source-tokens.ts";

/** By phrase: what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:some|no|every)body\b|\bwhoever\b/i, "name the user, process, hook or agent"],
  [/\bgo(?:es|ing|ne)? on\b|\bwent on\b/i, "continue"],
  [/\b(?:tak(?:e|es|en|ing)|took)(?: it)? back\b/i, "undo, revert"],
  [/\b(?:brought|brings?|bringing)(?: \w+){0,2} back\b/i, "restore"],
  [/\bcom(?:e|es|ing) back\b|\bcame back\b/i, "is restored"],
  [/(?<!definitely )\bgone\b/i, "deleted, missing, no longer exists"],
  [/\blies\b/i, "is"],
  [/\bheld\b/i, "captured, stored, locked"],
  [/\bat work\b/i, "running, in progress"],
  [/\bput(?:s|ting)? (?:\w+ )?away\b/i, "archive"],
  [/\banew\b|\ball the same\b|\bsurely\b/i, "again, anyway, certainly"],
  [/\bputs? right\b/i, "fix"],
  [/\bis no (?:file|folder|work tree|repository)\b/i, "is not a …"],
];

/** Pages that a newcomer reads first. */
const PAGES = [
  "README.md",
  "docs/agents.md",
  "docs/cli.md",
  "docs/configuration.md",
  "docs/known-limitations.md",
  "docs/parts.md",
  "docs/recovery.md",
  "docs/retention.md",
  "docs/sessions.md",
  "docs/workflows.md",
  ...filesUnder("plugin").filter((path) => path.endsWith(".md")),
];

function bannedIn(text: string): string[] {
  return BANNED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}" (${instead})`];
  });
}

describe("user-visible text", () => {
  it("of the program has none of the banned phrases", () => {
    const sources = filesUnder("src").filter((path) =>
      /(?<!\.(?:test|suite|fixture))\.ts$/.test(path),
    );
    const found = sources.flatMap((path) =>
      tokenize(read(path))
        // A single word is a name; SQL has words of its own.
        .filter(
          ({ kind, text }) =>
            kind !== "regex" && kind !== "word" && kind !== "punctuation" && text.includes(" "),
        )
        .filter(({ text }) => !text.includes("pg_catalog"))
        .flatMap(({ text, line }) =>
          bannedIn(text).map((what) => `${path}:${line}: ${what}: ${text}`),
        ),
    );
    expect(found).toEqual([]);
  });

  it.each(PAGES)("of %s has none either", (page) => {
    const lines = read(page).split("\n");
    expect(lines.flatMap((line, at) => bannedIn(line).map((what) => `${at + 1}: ${what}`))).toEqual(
      [],
    );
  });

  it("names each phrase with what to write instead", () => {
    expect(bannedIn("nobody knows; the hook goes on")).toHaveLength(2);
    expect(bannedIn("the log, continued")).toEqual([]);
  });
});
