import { describe, expect, it } from "vitest";
import { NO_PROGRESS, type PhaseProgress, type WorkflowProgress } from "./progress.ts";
import { stepChange } from "./step-change.ts";

const at = (step: number | null, phase: string | null, ...phases: PhaseProgress[]) =>
  ({ ...NO_PROGRESS, current_step: step, current_phase: phase, phases }) as WorkflowProgress;

const phase = (step: number, status: PhaseProgress["status"]): PhaseProgress => ({
  name: `phase-${step}`,
  step,
  status,
  attempts: 1,
  started_at: null,
  completed_at: null,
  checkpoint_before: null,
  checkpoint_after: null,
  error: null,
});

const NOW = at(5, "operate");

describe("the steps of a rollback", () => {
  it("after a step: those that follow it are discarded", () => {
    const target = { trigger: "post_phase", step: 2, phase: "plan" } as const;
    expect(stepChange(NOW, at(2, "plan"), target, false)).toEqual({
      from: { step: 5, phase: "operate" },
      to: { step: 2, phase: "plan" },
      next: 3,
      discards: [3, 5],
    });
  });

  it("before a step: that one is discarded, too", () => {
    const target = { trigger: "pre_phase", step: 3, phase: "implement" } as const;
    expect(stepChange(NOW, at(2, "plan"), target, false)).toMatchObject({
      to: { step: 3, phase: "implement" },
      next: 3,
      discards: [3, 5],
    });
  });

  it("a phase that was under way is continued, and what follows it is discarded", () => {
    const then = at(2, "plan", phase(1, "completed"), phase(2, "running"), phase(3, "pending"));
    const target = { trigger: "user_interrupt", step: 2, phase: "plan" } as const;
    expect(stepChange(NOW, then, target, true)).toMatchObject({ next: 2, discards: [3, 5] });
  });

  it("with every phase of the workflow done none is left", () => {
    const then = at(2, "plan", phase(1, "completed"), phase(2, "skipped"));
    const target = { trigger: "session_end", step: null, phase: null } as const;
    expect(stepChange(at(2, "plan"), then, target, true)).toMatchObject({
      next: null,
      discards: null,
    });
  });

  it("none follows the last phase that is known", () => {
    const known = at(2, "plan", phase(1, "completed"), phase(2, "completed"));
    const after = (step: number) => ({ trigger: "post_phase", step, phase: null }) as const;
    expect(stepChange(known, known, after(2), false)).toMatchObject({ next: null });
    const then = at(1, null, phase(1, "completed"));
    expect(stepChange(known, then, after(1), false)).toMatchObject({ next: 2 });
  });

  it("none where neither side has a step", () => {
    const target = { trigger: "manual", step: null, phase: null } as const;
    expect(stepChange(NO_PROGRESS, NO_PROGRESS, target, false)).toBeNull();
  });
});
