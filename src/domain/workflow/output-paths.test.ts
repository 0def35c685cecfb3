import { describe, expect, it } from "vitest";
import { outputPaths } from "./output-paths.ts";

describe("outputPaths", () => {
  it("names the files inside of the project, as they are written in checkpoints", () => {
    const file = (path: string) => ({ kind: "file", path, json: false }) as const;
    const outputs = {
      report: file("./build//report.json"),
      name: file("ü.txt"),
      printed: { kind: "stdout", format: "text" } as const,
      above: file("../x"),
      inside: file("a/../../x"),
      absolute: file("/tmp/x"),
    };
    expect(outputPaths(outputs)).toEqual(["build/report.json", "\u00c3\u00bc.txt"]);
  });
});
