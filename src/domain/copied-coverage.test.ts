import { describe, expect, it } from "vitest";
import type { Exclusion } from "./checkpoint.ts";
import { withoutCopied } from "./copied-coverage.ts";

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
    const found = withoutCopied(coverage, excluded, [part]);
    expect(found.excluded.map(({ path }) => path)).toEqual([".env", "build.log"]);
    expect(found.excluded_total).toBe(2);
  });

  it("is as it was without copies", () => {
    expect(withoutCopied(coverage, excluded, [])).toBe(coverage);
  });
});
