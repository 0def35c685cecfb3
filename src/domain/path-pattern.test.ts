import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asBytePath, parsePath } from "./byte-path.ts";
import {
  exactPath,
  fixedFolder,
  literalPattern,
  mayMatchBelow,
  pathMatcher,
  patternProblem,
} from "./path-pattern.ts";

const matches = (pattern: string, path: string, isFolder = false): boolean =>
  pathMatcher([pattern])(parsePath(path), isFolder);

describe("pathMatcher", () => {
  it.each([
    ["*.bin", "a.bin"],
    ["*.bin", "deep/in/a.bin"],
    ["/top.txt", "top.txt"],
    ["docs/*.pdf", "docs/a.pdf"],
    ["data/", "data/x/y.csv"],
    ["data", "deep/data/x"],
    ["a/**/z", "a/z"],
    ["a/**/z", "a/b/c/z"],
    ["**/cache/*", "x/cache/y"],
    ["data/**", "data/x/y"],
    ["fil?.txt", "filé.txt"],
    ["[a-c]1", "b1"],
    ["[!a-c]1", "d1"],
    [String.raw`\*.txt`, "*.txt"],
    ["größe*", "größe.txt"],
    ["*", "anything/at/all"],
  ])("%s matches %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });

  it.each([
    ["*.bin", "a.bin.txt"],
    ["/top.txt", "deep/top.txt"],
    ["docs/*.pdf", "docs/more/a.pdf"],
    ["docs/*.pdf", "x/docs/a.pdf"],
    ["data/", "data"],
    ["fil?.txt", "fil.txt"],
    ["[a-c]1", "d1"],
    ["[!a-c]1", "a1"],
    [String.raw`\*.txt`, "a.txt"],
    ["*.TXT", "a.txt"],
  ])("%s does not match %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });

  it("tells folders from files", () => {
    expect(matches("data/", "data", true)).toBe(true);
    expect(matches("data/**", "data", true)).toBe(false);
  });

  it("takes names that are not valid UTF-8", () => {
    expect(pathMatcher(["*.bin"])(asBytePath("\xff\xfe.bin"), false)).toBe(true);
  });

  it("ignores case where asked to", () => {
    expect(pathMatcher(["*.Token"], { ignoreCase: true })(parsePath("MY.TOKEN"), false)).toBe(true);
  });

  it("is done at once with a pattern that would keep a regular expression busy for years", () => {
    const pattern = `${"*a".repeat(40)}b`;
    expect(matches(pattern, "a".repeat(200))).toBe(false);
  });

  it("agrees with git about what a .gitignore of the same line ignores", () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-pattern-"));
    try {
      execFileSync("git", ["init", "-q"], { cwd: folder });
      const piece = fc.constantFrom("a", "b", "*", "**", "?", "[ab]", "[!a]", "ab", "*b");
      const pattern = fc
        .tuple(
          fc.constantFrom("", "/"),
          fc.array(piece, { minLength: 1, maxLength: 3 }),
          fc.constantFrom("", "/"),
        )
        .map(([start, parts, end]) => start + parts.join("/") + end);
      const path = fc
        .array(fc.constantFrom("a", "b", "ab", "bb"), { minLength: 1, maxLength: 4 })
        .map((names) => names.join("/"));
      fc.assert(
        fc.property(pattern, fc.array(path, { minLength: 1, maxLength: 6 }), (line, paths) => {
          writeFileSync(join(folder, ".gitignore"), `${line}\n`);
          const ignored = new Set(ignoredByGit(folder, paths));
          for (const each of paths) {
            expect({ line, each, matches: matches(line, each) }).toEqual({
              line,
              each,
              matches: ignored.has(each),
            });
          }
        }),
        { numRuns: 150 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function ignoredByGit(folder: string, paths: readonly string[]): string[] {
  try {
    const input = paths.join("\n");
    const args = ["check-ignore", "--no-index", "--stdin"];
    return execFileSync("git", args, { cwd: folder, input }).toString().trim().split("\n");
  } catch {
    // Exit code 1: none of them.
    return [];
  }
}

describe("patternProblem", () => {
  it.each(["", "/", "!keep", "../outside", "a//b", "./a", "[abc", "end\\"])(
    "refuses %j",
    (text) => {
      expect(patternProblem(text)).toBeDefined();
    },
  );

  it("never throws, and what it accepts can be matched", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, path) => {
        patternProblem(text);
        expect(typeof pathMatcher([text])(parsePath(path), false)).toBe("boolean");
      }),
    );
  });
});

describe("what a pattern tells without a look at the disk", () => {
  const name = fc.stringMatching(/^[a-c]{1,2}$/);
  const part = fc.oneof(name, fc.constantFrom("*", "**", "a*", "?"));
  const pattern = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }))
    .map(([isAnchored, parts]) => `${isAnchored ? "/" : ""}${parts.join("/")}`);
  const path = fc.array(name, { minLength: 2, maxLength: 4 });

  it("never rules out a folder with something in it that matches", () => {
    fc.assert(
      fc.property(pattern, path, (text, names) => {
        if (!matches(text, names.join("/"))) return;
        const reaches = mayMatchBelow([text]);
        for (let depth = 0; depth < names.length; depth++) {
          expect(reaches(asBytePath(names.slice(0, depth).join("/")))).toBe(true);
        }
      }),
    );
  });

  it("finds everything that matches below the folder that has no wildcard", () => {
    fc.assert(
      fc.property(pattern, path, (text, names) => {
        const folder = fixedFolder(text);
        if (matches(text, names.join("/")) && folder !== "") {
          expect(names.join("/").startsWith(`${folder}/`)).toBe(true);
        }
      }),
    );
  });

  it("turns any name into a pattern that matches it alone", () => {
    const text = fc
      .string({ minLength: 1 })
      .filter((given) => !/[/\0]/.test(given) && given !== "." && given !== "..");
    fc.assert(
      fc.property(text, text, (given, other) => {
        const literal = `/${literalPattern(given)}`;
        expect(matches(literal, given)).toBe(true);
        expect(matches(literal, other)).toBe(given === other);
        expect(exactPath(literal)).toBe(given);
      }),
    );
    expect(exactPath("/a/*")).toBeUndefined();
    expect(exactPath("a")).toBeUndefined();
  });
});
