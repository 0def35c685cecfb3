import { describe, expect, it } from "vitest";
import { asBytePath } from "../byte-path.ts";
import { claimsOf, type ClaimMoment, type Owner, type WorkStep } from "./claims.ts";

const [F, G] = [asBytePath("f"), asBytePath("dir/g")];
const NOBODY: Owner = { kind: "nobody" };
const one = (session: string): Owner => ({ kind: "one", session });
const either = (...sessions: string[]): Owner => ({
  kind: "unsure",
  sessions,
  why: "not_told_apart",
});
const lost = (session: string): Owner => ({
  kind: "unsure",
  sessions: [session],
  why: "step_lost",
});

/** Moments a second apart, the last one is now. */
function moments(count: number, more: Readonly<Record<number, Partial<ClaimMoment>>> = {}) {
  return Array.from({ length: count + 1 }, (_, n): ClaimMoment => ({
    id: `cp-${n}`,
    at: `0${n}.0`,
    content: "same",
    head: "main",
    workflow: null,
    trigger: "tool_use",
    phase: null,
    process: "here 1",
    isRun: false,
    isArrival: false,
    takenFor: null,
    ...more[n],
  }));
}

/** Right after the moment, which has its checkpoint. */
function step(moment: number, session: string, more: Partial<WorkStep> = {}): WorkStep {
  return {
    at: `0${moment}.5`,
    checkpointId: `cp-${moment}`,
    isOwn: false,
    session,
    moment: "pre_tool",
    paths: null,
    turn: 1,
    workflow: null,
    isRecorded: true,
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
    expect(owners(moments(1), both)).toEqual([either("a", "b")]);
  });

  it("cannot be told where two may have changed anything, unless one has gone on to something else", () => {
    const both = [step(0, "a"), step(0, "b")];
    expect(owners(moments(1), both)).toEqual([either("a", "b")]);
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

  it("is not waited for any more once its session is at another step: then it cannot be told, or is whose who names it", () => {
    const steps = [
      step(0, "a", { paths: [F] }),
      step(2, "a", { paths: [G] }),
      step(4, "a", { moment: "turn_end" }),
    ];
    expect(owners(moments(5), steps, [])).toEqual([
      one("a"),
      one("a"),
      either("a"),
      either("a"),
      NOBODY,
    ]);
    const named = [...steps.slice(0, 2), step(3, "b", { paths: [F] }), ...steps.slice(2)];
    expect(owners(moments(5), named, [])[3]).toEqual(one("b"));
    const shell = [...steps.slice(0, 2), step(3, "b"), ...steps.slice(2)];
    expect(owners(moments(5), shell, [])[3]).toEqual(either("b", "a"));
    const itself = [...steps.slice(0, 2), step(3, "a"), ...steps.slice(2)];
    expect(owners(moments(5), itself, [])[3]).toEqual(one("a"));
  });

  it("is whose step is at it, of two that named the file at the same moment", () => {
    const both = [step(0, "a", { paths: [F] }), step(0, "b", { paths: [F] })];
    expect(owners(moments(1), [...both, step(0, "a", { paths: [G] })])).toEqual([one("b")]);
    // Tools that run side by side are heard of one after the other.
    const two = [step(0, "a", { paths: [F] }), step(0, "a", { paths: [G] })];
    expect(owners(moments(1), two)).toEqual([one("a")]);
  });

  it("is not sure where the record of the step is lost, unless the turn that it named the file in goes on", () => {
    const named = step(0, "a", { paths: [F], isRecorded: false });
    const within = (more: object) =>
      moments(1, { 1: { takenFor: { session: "a", turn: 1, moment: "turn_end", ...more } } });
    expect(owners(moments(1), [named])).toEqual([lost("a")]);
    expect(owners(within({}), [named])).toEqual([one("a")]);
    expect(owners(within({ turn: 2 }), [named])).toEqual([lost("a")]);
    expect(owners(within({ session: "b" }), [named])).toEqual([lost("a")]);
    expect(owners(within({ moment: "prompt" }), [named])).toEqual([lost("a")]);
    const unnumbered = { ...named, turn: null };
    expect(owners(within({ turn: null }), [unnumbered])).toEqual([lost("a")]);
    const anything = { ...named, paths: null };
    expect(owners(within({}), [anything])).toEqual([lost("a")]);
    expect(owners(within({}), [{ ...named, paths: [G] }])).toEqual([NOBODY]);
    expect(owners(moments(1), [named, step(0, "b")])).toEqual([lost("a")]);
    expect(owners(moments(1), [anything, step(0, "b")])).toEqual([either("b", "a")]);
  });

  it("begins at the last moment before it was heard of, where nothing had changed", () => {
    const late = step(0, "a", { at: "02.5" });
    expect(owners(moments(3), [late])).toEqual([NOBODY, NOBODY, one("a")]);
  });

  it("does not begin at a moment that holds something else than its checkpoint, whatever the clock says", () => {
    const ahead = step(0, "a", { at: "59.0" });
    const changed = moments(3, { 1: { content: "1" }, 2: { content: "2" } });
    expect(owners(changed, [ahead])).toEqual([one("a"), NOBODY, NOBODY]);
    const back = moments(3, { 1: { content: "1" } });
    expect(owners(back, [ahead])).toEqual([NOBODY, NOBODY, one("a")]);
    expect(owners(back, [{ ...ahead, isOwn: true }])).toEqual([one("a"), NOBODY, NOBODY]);
    const next = step(1, "b", { isOwn: true, moment: "turn_end" });
    expect(owners(back, [ahead, next])).toEqual([one("a"), NOBODY, NOBODY]);
    const gone = { ...ahead, checkpointId: "cp-gone" };
    expect(owners(back, [gone, next])).toEqual([NOBODY, lost("a"), NOBODY]);
    const late = step(0, "a", { at: "00.0", checkpointId: "cp-gone" });
    expect(owners(back, [next, late])).toEqual([NOBODY, lost("a"), NOBODY]);
  });

  it("is in the order in which steps were written down", () => {
    const steps = [step(0, "a", { at: "59.0" }), step(0, "a", { moment: "turn_end" })];
    expect(owners(moments(1), steps)).toEqual([NOBODY]);
  });

  it("is not known where the checkpoint of the step is gone", () => {
    const gone = step(1, "a", { checkpointId: "cp-gone" });
    expect(owners(moments(2), [gone])).toEqual([NOBODY, lost("a")]);
    // What was there before its earlier step is known.
    expect(owners(moments(2), [step(1, "a"), gone])).toEqual([NOBODY, one("a")]);
  });

  it("is not known where the checkpoint at the end of the turn is gone, and the person's work after it with it", () => {
    const end = step(0, "a", { moment: "turn_end", checkpointId: "cp-gone" });
    const named = step(0, "a", { paths: [F] });
    expect(owners(moments(1), [step(0, "a"), end])).toEqual([lost("a")]);
    expect(owners(moments(1), [named, end])).toEqual([lost("a")]);
    expect(owners(moments(1), [step(0, "a", { paths: [G] }), end])).toEqual([NOBODY]);
    const late = { ...end, at: "01.5" };
    expect(owners(moments(2), [named, late], [])).toEqual([one("a"), lost("a")]);
    expect(owners(moments(1), [step(0, "b"), named, end])).toEqual([lost("a")]);
  });

  it("is not known where no checkpoint could be taken, also after the next moment", () => {
    const failed = step(0, "a", { checkpointId: null, paths: [F] });
    const later = step(3, "a", { moment: "turn_end" });
    expect(owners(moments(4), [step(0, "b"), failed, step(1, "b"), later], [])).toEqual([
      lost("a"),
      lost("a"),
      lost("a"),
      NOBODY,
    ]);
    const anything = step(0, "a", { checkpointId: null });
    expect(owners(moments(1), [step(0, "b"), anything])).toEqual([either("b", "a")]);
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

  it("cannot be told where a workflow was at work that may have been over", () => {
    const all = moments(1, { 0: { workflow: "w", trigger: "pre_phase" } });
    const isOver = (steps: readonly WorkStep[]) =>
      claimsOf(all, steps, null, "w", { goesOn: () => false, isPaused: () => false }).map(
        (claims) => claims.ownerOf(F),
      );
    expect(isOver([])).toEqual([either("w")]);
    expect(isOver([step(0, "a")])).toEqual([one("a")]);
  });

  it("holds thousands of steps that named what never changed", () => {
    const count = 4000;
    const all = moments(count).map((moment, n) => ({ ...moment, at: String(n).padStart(9, "0") }));
    const steps = all
      .slice(0, -1)
      .map(({ at }, n) => step(n, "a", { at, isOwn: true, paths: [F] }));
    const before = process.memoryUsage().heapUsed;
    const claims = claimsOf(all, steps, () => new Set());
    expect(claims.at(-1)?.ownerOf(F)).toEqual(one("a"));
    expect(claims).toHaveLength(count);
    // Each of them beside each later one would be hundreds.
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(100);
  });
});
