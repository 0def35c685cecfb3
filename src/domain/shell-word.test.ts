import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

function saidByShell(words: readonly string[]): string[] {
  const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  const out = execFileSync("sh", ["-c", script], { encoding: "latin1" });
  return out.split("\0").slice(0, -1);
}

describe("shellWord", () => {
  it("means the same bytes to a shell, whatever they are", () => {
    const byte = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
    const word = fc.string({ unit: byte, minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(saidByShell(words)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps newlines at the end, quotes, and names that begin with a dash", () => {
    const words = ["a\n", "\n\n", "it's", "-rf", "$(x)", "`x`", "a\n b", "\xff\n", "~", "*"];
    expect(saidByShell(words)).toEqual(words);
  });

  it("shows plain text as it is", () => {
    expect(shellWord("/a/b-c.txt")).toBe("/a/b-c.txt");
    expect(shellWord("a b")).toBe("'a b'");
    expect(shellWord("caf\xc3\xa9")).toBe("'café'");
    expect(shellWord("\x1b[31m")).not.toContain("\x1b");
  });
});
