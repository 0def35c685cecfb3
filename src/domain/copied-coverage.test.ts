import { describe, expect, it } from "vitest";
import type { Exclusion } from "./checkpoint.ts";
import { coverageWith } from "./copied-coverage.ts";

const left = (path: string, reason: Exclusion["reason"] = "ignored"): Exclusion => ({
  path,
  reason,
  size: null,
});

describe("coverage with copied files", () => {
  const excluded = [
    left("build/"),
    left(".env"),
    left('"odd\\n/"'),
    left("build.log", "sensitive"),
  ];
  const coverage = { files: 1, bytes: 1, excluded, excluded_total: 4, unstable: [] };
  const part = {
    type: "file_backup" as const,
    digest: "",
    files: 1,
    bytes: 1,
    patterns: ["/build", "/odd*"],
    outside: [],
  };

  it("does not call ignored what is copied", () => {
    const found = coverageWith(coverage, excluded, { parts: [part], leftOut: [] });
    expect(found.excluded.map(({ path }) => path)).toEqual([".env", "build.log"]);
    expect(found.excluded_total).toBe(2);
  });

  it("is as it was without copies", () => {
    expect(coverageWith(coverage, excluded, { parts: [], leftOut: [] })).toBe(coverage);
  });

  it("lists what was left out of the copies, once and with the better reason", () => {
    const leftOut = [left("build/.npmrc", "sensitive"), left(".env", "sensitive")];
    const found = coverageWith(coverage, excluded, { parts: [part], leftOut });
    expect(found.excluded).toEqual([left("build.log", "sensitive"), ...leftOut]);
    expect(found.excluded_total).toBe(3);
    const without = coverageWith(coverage, excluded, { parts: [], leftOut });
    expect(without.excluded.map(({ path, reason }) => `${path} ${reason}`)).toContain(
      "build/ ignored",
    );
    expect(without.excluded_total).toBe(5);
  });
});
