import { describe, expect, it } from "vitest";
import { PassedOutput } from "./node-output.ts";

describe("output of nodes", () => {
  const passed = () => {
    const written: string[] = [];
    const output = new PassedOutput((stream, bytes) => {
      written.push(`${stream}:${Buffer.from(bytes).toString()}`);
      return undefined;
    });
    const add = (node: string, text: string, isOneOfSeveral = true): void => {
      void output.add({
        phase: "p",
        node,
        stream: "stdout",
        bytes: Buffer.from(text),
        isOneOfSeveral,
      });
    };
    return { written, output, add };
  };

  it("is passed on as it is where one writes alone", () => {
    const { written, add } = passed();
    add("api", "half", false);
    expect(written).toEqual(["stdout:half"]);
  });

  it("comes in whole lines with the name where several write", () => {
    const { written, output, add } = passed();
    add("api", "one\ntw");
    add("ui", "other\n");
    add("api", "o\nrest");
    output.finish("api");
    output.finish("api");
    expect(written).toEqual([
      "stdout:api | one\n",
      "stdout:ui | other\n",
      "stdout:api | two\n",
      "stdout:api | rest\n",
    ]);
  });

  it("passes on a line that never ends", () => {
    const { written, add } = passed();
    for (let part = 0; part < 20; part++) add("api", "x".repeat(10_000));
    expect(written.join("").length).toBeGreaterThan(100_000);
  });
});
