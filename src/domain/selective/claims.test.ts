import { describe, expect, it } from "vitest";
import { asBytePath } from "../byte-path.ts";
import { claimsOf, type ClaimMoment, type Owner, type WorkStep } from "./claims.ts";

const [F, G] = [asBytePath("f"), asBytePath("dir/g")];
const NOBODY: Owner = { kind: "nobody" };
const one = (session: string): Owner => ({ kind: "one", session });

/** Moments a second apart, the last one is now. */
function moments(count: number, more: Readonly<Record<number, Partial<ClaimMoment>>> = {}) {
  return Array.from({ length: count + 1 }, (_, n): ClaimMoment => ({
    id: `cp-${n}`,
    at: `0${n}.0`,
    head: "main",
    workflow: null,
    trigger: "tool_use",
    ...more[n],
  }));
}

/** Right after the moment, which has its checkpoint. */
function step(moment: number, session: string, more: Partial<WorkStep> = {}): WorkStep {
  return {
    at: `0${moment}.5`,
    checkpointId: `cp-${moment}`,
    session,
    moment: "pre_tool",
    paths: null,
    workflow: null,
    ...more,
  };
}

function owners(
  all: readonly ClaimMoment[],
  steps: readonly WorkStep[],
  changed: readonly (typeof F)[] = [F, G],
  workflow: string | null = null,
): Owner[] {
  return claimsOf(all, steps, () => new Set(changed), workflow).map((claims) => claims.ownerOf(F));
}

describe("whose work a change is", () => {
  it("is that of the step that began before it, up to the next moment by anybody", () => {
    expect(owners(moments(3), [step(0, "a"), step(1, "b")])).toEqual([one("a"), one("b"), NOBODY]);
  });

  it("is only what a tool named, where it names files, and what is below a folder", () => {
    const named = [step(0, "a", { paths: [G] }), step(1, "a", { paths: [F] })];
    expect(owners(moments(2), named)).toEqual([NOBODY, one("a")]);
    const [claims] = claimsOf(moments(1), [step(0, "a", { paths: [asBytePath("dir")] })], () => {
      return new Set();
    });
    expect(claims?.ownerOf(G)).toEqual(one("a"));
  });

  it("is that of whoever named the file, whoever else was at work", () => {
    const steps = [step(0, "a"), step(0, "b", { paths: [F] })];
    expect(owners(moments(1), steps)).toEqual([one("b")]);
    const both = [step(0, "a", { paths: [F] }), step(0, "b", { paths: [F] })];
    expect(owners(moments(1), both)).toEqual([{ kind: "unsure", sessions: ["a", "b"] }]);
  });

  it("cannot be told where two may have changed anything, unless one has gone on to something else", () => {
    const both = [step(0, "a"), step(0, "b")];
    expect(owners(moments(1), both)).toEqual([{ kind: "unsure", sessions: ["a", "b"] }]);
    expect(owners(moments(1), [...both, step(0, "a", { paths: [G] })])).toEqual([one("b")]);
    expect(owners(moments(1), [...both, step(0, "a", { moment: "turn_end" })])).toEqual([one("b")]);
  });

  it("is nobody's before the first tool of a turn, unless the agent's tools are never seen", () => {
    const prompt = step(0, "a", { moment: "prompt" });
    expect(owners(moments(2), [prompt, step(1, "a")])).toEqual([NOBODY, one("a")]);
    expect(owners(moments(2), [prompt])).toEqual([one("a"), NOBODY]);
  });

  it("waits for a file that a tool named and that others' checkpoint came before, once", () => {
    const steps = [step(0, "a", { paths: [F] }), step(3, "a", { moment: "turn_end" })];
    expect(owners(moments(4), steps, [])).toEqual([one("a"), one("a"), one("a"), NOBODY]);
    expect(owners(moments(4), steps, [F])).toEqual([one("a"), NOBODY, NOBODY, NOBODY]);
  });

  it("begins at the last moment before it was heard of, where nothing had changed", () => {
    const late = step(0, "a", { at: "02.5" });
    expect(owners(moments(3), [late])).toEqual([NOBODY, NOBODY, one("a")]);
  });

  it("is not known where the checkpoint of the step is gone", () => {
    const gone = step(1, "a", { checkpointId: "cp-gone" });
    expect(owners(moments(2), [gone])).toEqual([NOBODY, { kind: "unsure", sessions: ["a"] }]);
    // What was there before its earlier step is known.
    expect(owners(moments(2), [step(1, "a"), gone])).toEqual([NOBODY, one("a")]);
  });

  it("is nobody's where the branch was switched", () => {
    expect(owners(moments(1, { 1: { head: "other" } }), [step(0, "a")])).toEqual([NOBODY]);
  });

  it("is a workflow's between its checkpoints, with what agents do in it, and not between phases", () => {
    const all = moments(5, {
      0: { workflow: "w", trigger: "pre_phase" },
      2: { workflow: "w", trigger: "post_phase" },
      3: { workflow: "w", trigger: "pre_phase" },
    });
    const agent = [step(1, "a", { workflow: "w" })];
    expect(owners(all, agent)).toEqual([one("w"), one("a"), NOBODY, one("w"), NOBODY]);
    expect(owners(all, agent, [], "w")).toEqual([one("w"), one("w"), NOBODY, one("w"), NOBODY]);
  });
});
