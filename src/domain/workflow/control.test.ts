import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { controlRefusal, controlText, parseControl, type ControlCommand } from "./control.ts";

describe("commands to a running workflow", () => {
  it.each<[string, ControlCommand]>([
    ["", { kind: "continue" }],
    ["  *continue ", { kind: "continue" }],
    ["*pause", { kind: "pause" }],
    ["*abort", { kind: "abort" }],
    ["*skip", { kind: "skip" }],
    ["*skip-to:3", { kind: "skip_to", step: 3 }],
    ["*retry-cp", { kind: "retry_checkpoint" }],
    ["*skip-cp", { kind: "skip_checkpoint" }],
    ["*rollback:cp-04", { kind: "rollback", selector: "cp-04" }],
    ["*rollback:latest~2", { kind: "rollback", selector: "latest~2" }],
  ])("%j is understood", (text, command) => {
    expect(parseControl(text)).toEqual(command);
    expect(parseControl(controlText(command))).toEqual(command);
  });

  it.each([
    "pause",
    "*Pause",
    "*skip-to:",
    "*skip-to:0",
    "*skip-to:-1",
    "*rollback:",
    "*rollback: ",
    "*cp-list",
    "constructor",
  ])("%j is none of them", (text) => {
    expect(parseControl(text)).toBeUndefined();
  });

  it("any text is one of them or none, and never an error", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const command = parseControl(text);
        if (command !== undefined) expect(parseControl(controlText(command))).toEqual(command);
      }),
    );
  });

  it("does not skip to where the workflow has been, nor beyond its end", () => {
    const phase = {
      status: "pending",
      attempts: 0,
      started_at: null,
      completed_at: null,
      checkpoint_before: null,
      checkpoint_after: null,
      error: null,
    } as const;
    const phases = [1, 2, 3].map((step) => ({ ...phase, name: `p${step}`, step }));
    const at = { current_step: 2, phases };
    expect(controlRefusal({ kind: "skip_to", step: 3 }, at)).toBeUndefined();
    expect(controlRefusal({ kind: "skip_to", step: 2 }, at)).toContain("*rollback:2");
    expect(controlRefusal({ kind: "skip_to", step: 4 }, at)).toContain("the last one is 3");
    expect(controlRefusal({ kind: "pause" }, at)).toBeUndefined();
  });
});
