import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactTail } from "./redact-tail.ts";

const BODY = Array.from(
  { length: 14 },
  (_, at) =>
    `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${String.fromCharCode(65 + at)}KcwggSjAgEAAoIBAQC7VJTUt9Us8cK`,
);
const KEY = [
  ["-----BEGIN", "PRIVATE KEY-----"].join(" "),
  ...BODY,
  ["-----END", "PRIVATE KEY-----"].join(" "),
].join("\n");
const TOKEN = `ghp_${"x1Y2z3A4b5".repeat(4).slice(0, 36)}`;

describe("the end of a long text", () => {
  it("is what it was where nothing is secret", () => {
    expect(redactTail("one\ntwo\nthree\n", 100, false)).toBe("one\ntwo\nthree\n");
    expect(redactTail("one\ntwo\nthree\n", 10, false)).toBe("three\n");
    expect(redactTail("alf of a line\ntwo\n", 100, true)).toBe("two\n");
  });

  it("[R113] shows no piece of a secret, wherever it is cut", () => {
    const text = `begin\n${KEY}\nbetween\ntoken ${TOKEN} here\n${"end of it\n".repeat(20)}`;
    fc.assert(
      fc.property(fc.nat(text.length), fc.integer({ min: 1, max: text.length }), (start, most) => {
        const shown = redactTail(text.slice(start), most, start > 0);
        for (const line of BODY) expect(shown).not.toContain(line.slice(-12));
        expect(shown).not.toContain(TOKEN.slice(-12));
      }),
      { numRuns: 300 },
    );
  });

  it("[R113] shows nothing of a key that goes on to the end", () => {
    expect(redactTail(`${BODY.join("\n").slice(10)}\n`, 4000, true).trim()).toBe("");
  });
});
