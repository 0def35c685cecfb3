import { describe, expect, it } from "vitest";
import { stateProblem } from "./state-limit.ts";

const sized = (bytes: number): object => ({ k: "x".repeat(bytes - '{"k":""}'.length) });
const MIB = 1_048_576;

describe("the limit of a state", () => {
  it("is on what a node leaves, to the byte", () => {
    expect(stateProblem({}, sized(MIB), sized(MIB))).toBeUndefined();
    expect(stateProblem({}, sized(MIB + 1), sized(MIB + 1))).toBe("it is larger than 1 MiB");
  });

  it("counts bytes, not characters", () => {
    const state = { k: "é".repeat(MIB / 2) };
    expect(stateProblem({}, state, state)).toBe("it is larger than 1 MiB");
  });

  it("is on what the nodes of a batch leave together", () => {
    const merged = { a: sized(MIB / 2), b: sized(MIB / 2) };
    expect(stateProblem({}, { b: sized(MIB / 2) }, merged)).toContain("together");
  });

  it("blames nobody for what was there before", () => {
    const large = sized(2 * MIB);
    expect(stateProblem(large, large, large)).toBeUndefined();
    expect(stateProblem(large, sized(2 * MIB - 1), sized(2 * MIB - 1))).toBeUndefined();
    expect(stateProblem(large, sized(2 * MIB + 1), sized(2 * MIB + 1))).toBeDefined();
  });
});
