import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observerHelp, parseObserver } from "./observer-command.ts";

describe("parseObserver", () => {
  it.each([
    ["", { kind: "control", text: "*continue" }],
    ["*pause", { kind: "control", text: "*pause" }],
    [" *skip-to:3 ", { kind: "control", text: "*skip-to:3" }],
    ["*checkpoints", { kind: "list" }],
    ["cp-list", { kind: "list" }],
    ["*cp-show:3", { kind: "show", selector: "3" }],
    ["*cp-diff:2", { kind: "diff", from: "2", to: undefined }],
    ["*cp-diff:1:cp-04", { kind: "diff", from: "1", to: "cp-04" }],
    ["*cp-diff:phase:plan:session:s/4", { kind: "diff", from: "phase:plan", to: "session:s/4" }],
    ["*rollback:cp-04-x", { kind: "rollback", selector: "cp-04-x" }],
    ["*rollback:phase:implement", { kind: "rollback", selector: "phase:implement" }],
    ["*rollback-force", { kind: "force", selector: undefined }],
    ["*manual-restore:2", { kind: "manual", selector: "2" }],
    ["*resume", { kind: "resume", id: undefined }],
    ["*resume:a_b_1", { kind: "resume", id: "a_b_1" }],
    ["*ABANDON:x", { kind: "abandon", id: "x" }],
    ["*retry-cp", { kind: "control", text: "*retry-cp" }],
  ])("%j", (line, command) => {
    expect(parseObserver(line)).toEqual(command);
  });

  it.each([
    ["*checkpint", "Did you mean *checkpoints?"],
    ["*rolback:3", "Did you mean *rollback?"],
    ["*xyzzy", "*help shows all commands."],
  ])("answers %s with the nearest", (line, hint) => {
    expect(parseObserver(line)).toMatchObject({ kind: "wrong", hint });
  });

  it.each(["*cp-show", "*cp-show:", "*cp-list:3", "*cp-diff:1:2:3", "*abandon"])(
    "says how %s is written",
    (line) => {
      expect(parseObserver(line)).toMatchObject({
        kind: "wrong",
        problem: expect.stringContaining("usage: ") as string,
      });
    },
  );

  it("takes any line", () => {
    fc.assert(fc.property(fc.string(), (line) => typeof parseObserver(line).kind === "string"));
  });

  it("has every command in its help", () => {
    for (const { command } of observerHelp()) {
      const line = command.replace(/\[.*|( or ).*/, "").replace(/:(N|ID|cp-ID)$/, ":1");
      expect(parseObserver(line).kind).not.toBe("wrong");
    }
  });
});
