import { describe, expect, it } from "vitest";
import { asBytePath } from "../../domain/byte-path.ts";
import { statLines, valueSections } from "./diff-report.ts";

describe("statLines", () => {
  const file = (path: string, added: number, removed: number) => ({
    path: asBytePath(path),
    change: "modified" as const,
    added,
    removed,
  });
  const plain = (_: unknown, text: string): string => text;

  it("draws a character for each line while they fit, and scales all of them when they do not", () => {
    expect(statLines([file("a", 2, 1), file("b", 0, 1)], 80, plain).slice(0, 2)).toEqual([
      " ~ a |   3 ++-",
      " ~ b |   1 -",
    ]);
    const [many = "", one = ""] = statLines([file("a", 400, 0), file("b", 0, 1)], 80, plain);
    expect(many.length).toBeLessThanOrEqual(80);
    expect(one).toBe(" ~ b |   1 -");
  });

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

describe("valueSections", () => {
  const plain = (_: unknown, text: string): string => text;
  const change = (from: unknown, to: unknown): string | undefined =>
    valueSections([{ key: "outputs.spec", from, to }], plain)[1]?.trim();
  const text = (count: number): string =>
    Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");

  it("counts the lines of a text that has several", () => {
    expect(change(null, text(60))).toBe("spec: 60 lines added");
    expect(change(text(60), text(61))).toBe("spec: 1 line added");
    expect(change(text(3), undefined)).toBe("spec: 3 lines removed");
    expect(change("line 0\nmine\nmine\n", text(3))).toBe("spec: 2 lines added, 2 removed");
    expect(change("a\nb", "b\na")).toBe("spec: in another order");
    expect(change("one", "two")).toBe("spec: one -> two");
  });
});
