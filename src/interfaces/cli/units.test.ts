import { describe, expect, it } from "vitest";
import { counted, exactTime, humanBytes, relativeTime } from "./units.ts";

const now = new Date("2026-11-15T12:00:00.000Z");
const ago = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();

describe("relative times", () => {
  it.each([
    [0, "just now"],
    [9, "just now"],
    [10, "10 seconds ago"],
    [59, "59 seconds ago"],
    [60, "1 minute ago"],
    [3599, "59 minutes ago"],
    [3600, "1 hour ago"],
    [86_399, "23 hours ago"],
    [86_400, "1 day ago"],
    [604_800, "1 week ago"],
    [2_629_800, "1 month ago"],
    [31_557_600 * 2, "2 years ago"],
    [-120, "in 2 minutes"],
    [-86_395, "in 24 hours"],
  ])("%i seconds back is %s", (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });

  it("leaves what is no time as it is", () => {
    expect(relativeTime("yesterday-ish", now)).toBe("yesterday-ish");
    expect(exactTime("yesterday-ish")).toBe("yesterday-ish");
  });

  it("an exact time names the same moment", () => {
    expect(Date.parse(exactTime(now.toISOString()).replace(/ ([+-]\d\d)(\d\d)$/, "$1:$2"))).toBe(
      now.getTime(),
    );
  });
});

describe("sizes and counts", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 KB"],
    [1500, "1.5 KB"],
    [123_456, "123 KB"],
    [5_000_000_000, "5.0 GB"],
  ])("%i bytes are %s", (bytes, text) => {
    expect(humanBytes(bytes)).toBe(text);
  });

  it("counts in words", () => {
    expect(counted(1, "file")).toBe("1 file");
    expect(counted(0, "file")).toBe("0 files");
    expect(counted(2, "copy", "copies")).toBe("2 copies");
  });
});
