import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs } from "./duration.ts";

describe("durationMs", () => {
  it.each([
    ["30s", 30_000],
    ["30m", 1_800_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
    ["0d", 0],
    ["never", null],
  ])("reads %s", (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });

  it.each(["", "7", "d", "7 d", "-7d", "7D", "7days", "1.5h", "1234567d", "Never", "7d\n"])(
    "refuses %j",
    (text) => {
      expect(durationMs(text)).toBeUndefined();
    },
  );

  it("answers for any text with a whole number, null or nothing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = durationMs(text);
        expect(ms === undefined || ms === null || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
    );
  });
});
