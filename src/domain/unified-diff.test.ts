import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

describe("a unified diff", () => {
  it("shows what changed, with a little around it", () => {
    const before = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join("");
    const after = before.replace("line 6\n", "new\nline 6\n").replace("line 11\n", "line 11");
    expect(unifiedDiff("a.txt", before, after)).toEqual([
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -4,9 +4,10 @@",
      ...[" line 3", " line 4", " line 5", "+new", " line 6", " line 7", " line 8", " line 9"],
      ...[" line 10", "-line 11", "+line 11\n\\ No newline at end of file"],
    ]);
  });

  it("of a file that comes or goes names no other", () => {
    expect(unifiedDiff("a", null, "x\n")).toEqual([
      "--- /dev/null",
      "+++ b/a",
      "@@ -0,0 +1 @@",
      "+x",
    ]);
    expect(unifiedDiff("a", "x\n", null)).toEqual([
      "--- a/a",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
    ]);
    expect(unifiedDiff("a", "x", "x")).toEqual([]);
  });

  it("can be applied by git", () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-diff-"));
    const anyLines = fc.array(fc.constantFrom("a", "b", "c", "", "\td"), { maxLength: 30 });
    const anyText = fc
      .tuple(anyLines, fc.boolean())
      .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""));
    try {
      execFileSync("git", ["init", "-q", folder]);
      fc.assert(
        fc.property(anyText, anyText, (before, after) => {
          fc.pre(before !== after && before !== "" && after !== "");
          writeFileSync(join(folder, "f"), before);
          const input = `${unifiedDiff("f", before, after).join("\n")}\n`;
          const { status, stderr } = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], {
            cwd: folder,
            input,
            encoding: "utf8",
          });
          expect([status, stderr]).toEqual([0, ""]);
          expect(readFileSync(join(folder, "f"), "utf8")).toBe(after);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
