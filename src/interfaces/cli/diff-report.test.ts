import { describe, expect, it } from "vitest";
import { asBytePath } from "../../domain/byte-path.ts";
import { statLines } from "./diff-report.ts";

describe("statLines", () => {
  it("has a line for each of more files than the arguments of a call", () => {
    const files = Array.from({ length: 200_000 }, (_, at) => ({
      path: asBytePath(`file-${at}`),
      change: "modified" as const,
      added: at % 7,
      removed: 1,
    }));
    const lines = statLines(files, 80, (_, text) => text);
    expect(lines).toHaveLength(files.length + 1);
    expect(lines.at(-1)).toMatch(/^200000 files changed/);
  });
});
