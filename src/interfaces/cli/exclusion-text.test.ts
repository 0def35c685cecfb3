import { describe, expect, it } from "vitest";
import type { ExclusionReason } from "../../domain/checkpoint.ts";
import { exclusionCount } from "./exclusion-text.ts";

describe("how many are not captured", () => {
  it.each<[ExclusionReason, number, string]>([
    ["ignored", 1, "1 ignored path"],
    ["ignored", 3, "3 ignored paths"],
    ["nested_repository", 4, "4 nested repositories"],
    ["submodule", 1, "1 submodule"],
    ["over_budget", 2, "2 files that are too large"],
    ["unreadable", 1, "1 path that cannot be read"],
    ["sensitive", 1, "1 more that looks like a secret"],
    ["sensitive_content", 2, "2 more that look like secrets"],
  ])("%s, %d: %s", (reason, count, text) => {
    expect(exclusionCount(reason, count)).toBe(text);
  });
});
