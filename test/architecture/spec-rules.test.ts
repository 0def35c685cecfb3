import { describe, expect, it } from "vitest";
import { exists, filesUnder, read } from "./project-files.ts";
import { tokenize } from "./source-tokens.ts";

const SPEC = "docs/spec.md";

/** A rule is defined by a line that starts with its number: `**R4** A rollback first saves …`. */
function rulesDefined(spec: string): string[] {
  return [...spec.matchAll(/^\*\*(R\d+)\*\*/gm)].map(([, rule = ""]) => rule);
}

/** A test names its rules at the start of its title: `it("[R4] saves …")`, `it("[R4][R7] …")`. */
function rulesTested(source: string): string[] {
  const tokens = tokenize(source);
  return tokens.flatMap(({ kind, text }, index) => {
    if (kind !== "string" && kind !== "template") return [];
    const modifier = tokens[index - 2]?.text ?? "";
    if (modifier === "skip" || modifier === "todo") return [];
    const numbers = /^(?:\[R\d+\]\s*)+/.exec(text)?.[0] ?? "";
    return [...numbers.matchAll(/R\d+/g)].map(([rule]) => rule);
  });
}

describe.skipIf(!exists(SPEC))("the rules of docs/spec.md", () => {
  const defined = exists(SPEC) ? rulesDefined(read(SPEC)) : [];
  const tested = [...filesUnder("src"), ...filesUnder("test")]
    .filter((path) => /\.(test|suite)\.ts$/.test(path))
    .flatMap((path) => rulesTested(read(path)).map((rule) => ({ rule, path })));

  it("have a number each", () => {
    expect(defined.length).toBeGreaterThan(0);
    expect(defined.filter((rule, at) => defined.indexOf(rule) !== at)).toEqual([]);
  });

  it("are each named by a test that runs", () => {
    const named = new Set(tested.map(({ rule }) => rule));
    expect(defined.filter((rule) => !named.has(rule))).toEqual([]);
  });

  it("are the only ones that tests name", () => {
    expect(tested.filter(({ rule }) => !defined.includes(rule))).toEqual([]);
  });
});

describe("the checker of rules", () => {
  it("finds the rules that a document defines", () => {
    expect(rulesDefined("# Rules\n\n**R1** One.\nSee **R9**.\n**R2** Two.\n")).toEqual([
      "R1",
      "R2",
    ]);
  });

  it("finds the rules that titles name, but not in comments, in the middle or in skipped tests", () => {
    const source = `
      // [R9]
      it("[R1] saves", () => {});
      it.each(table)(\`[R2] \${name}\`, () => {});
      const cases = [{ title: "[R3][R4] both" }];
      it("does not name [R9]", () => {});
      it.skip("[R9] later", () => {});
      it.todo("[R9] later");
    `;
    expect(rulesTested(source)).toEqual(["R1", "R2", "R3", "R4"]);
  });
});
