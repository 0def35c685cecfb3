import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitedDocument } from "./limited-document.ts";

const MOST = 20_000;

describe("documents for models", () => {
  it("are as they were when they are small and plain", () => {
    const given = { a: 1, b: [true, null, { c: "text" }] };
    expect(limitedDocument(given, MOST)).toEqual({ document: given, leftOut: [] });
  });

  it("say what was left out, and where", () => {
    const list = Array.from({ length: 500 }, (_, at) => ({ at }));
    const { document, leftOut } = limitedDocument({ list, text: "x".repeat(9000) }, MOST);
    expect(document["list"]).toHaveLength(200);
    expect(leftOut).toEqual(["list: 300 of 500 entries", "text: the end of a long text"]);
    expect(document["text"]).toMatch(/x… \[5000 more characters omitted\]$/);
  });

  it("have no control characters, in names neither", () => {
    const { document } = limitedDocument({ "a\u001b": "b\u0007\u202E\u{E0041}\n\tc" }, MOST);
    expect(document).toEqual({ "a\\u{1b}": "b\\u{7}\\u{202e}\\u{e0041}\n\tc" });
  });

  it("are never larger than they may be, whatever is in them", () => {
    const long = fc.string({ maxLength: 3000 });
    const values = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 8 }, long, fc.integer(), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 300 }),
      object: fc.dictionary(fc.string({ maxLength: 20 }), tie("value"), { maxKeys: 300 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c"), values.value), (given) => {
        const { document } = limitedDocument(given, MOST);
        expect(JSON.stringify(document).length).toBeLessThan(MOST * 2);
      }),
      { numRuns: 50 },
    );
  });

  it("[R113] are cut also where an object has many fields, each with many", () => {
    const many = (inner: (at: number) => unknown): unknown =>
      Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, inner(at)]));
    const state = many(() => many(() => "x".repeat(90)));
    const given = { session: { id: "s", state, metrics: state, outputs: state } };
    const { document, leftOut } = limitedDocument(given, 60_000);
    expect(JSON.stringify(document).length).toBeLessThanOrEqual(60_000);
    expect(document["session"]).toMatchObject({ id: "s" });
    expect(leftOut.join(" ")).toContain("of 200 fields");
  });

  it("are cut also where they are deep and wide", () => {
    const wide = (depth: number): unknown =>
      depth === 0
        ? "x".repeat(50)
        : Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`k${at}`, wide(depth - 1)]));
    const { document, leftOut } = limitedDocument({ session: { state: wide(7) } }, MOST);
    expect(JSON.stringify(document).length).toBeLessThan(MOST * 2);
    expect(leftOut.join(" ")).toContain("fields");
  });
});
