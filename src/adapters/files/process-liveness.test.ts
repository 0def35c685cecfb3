import { describe, expect, it } from "vitest";
import { ownIdentity } from "./process-identity.ts";
import { ProcessLiveness } from "./process-liveness.ts";

const liveness = new ProcessLiveness("ann");
const parent = { ...liveness.own(), pid: process.ppid, started: "" };

describe.skipIf(ownIdentity().pid_namespace === undefined)("isBelow (needs /proc)", () => {
  it("knows who started this process", () => {
    expect(liveness.isBelow(parent)).toBe(true);
    expect(liveness.isBelow(liveness.own())).toBe(false);
  });

  it("does not tell where the other one is in a namespace out of sight, and says no of other machines", () => {
    const elsewhere = { ...parent, pid_namespace: "1" };
    expect(liveness.isBelow(elsewhere)).toBeUndefined();
    expect(liveness.isBelow({ ...elsewhere, host: "other", boot: "other" })).toBe(false);
  });
});
