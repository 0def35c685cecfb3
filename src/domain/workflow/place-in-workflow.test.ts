import { describe, expect, it } from "vitest";
import { newSession } from "../session.ts";
import { phaseBefore, placeInWorkflow } from "./place-in-workflow.ts";
import { NO_PROGRESS, type PhaseProgress } from "./progress.ts";

const ORDER = ["assess", "specify", "plan"];

describe("the phase before", () => {
  it.each([
    ["plan", { phase: "specify", previous_phase: null }, "specify"],
    ["plan", { phase: "plan", previous_phase: "assess" }, "assess"],
    ["plan", { phase: null, previous_phase: "assess" }, "assess"],
    [null, { phase: "plan", previous_phase: "specify" }, "plan"],
    ["plan", undefined, "specify"],
    ["specify", { phase: "specify", previous_phase: null }, "assess"],
    ["assess", undefined, null],
    ["unheard of", undefined, null],
    [null, undefined, null],
  ] as const)("of %s after %j is %s", (phase, previous, before) => {
    expect(phaseBefore(phase, previous, ORDER)).toBe(before);
  });
});

describe("what a checkpoint takes from its session", () => {
  const phase = (name: string, step: number): PhaseProgress => ({
    name,
    step,
    status: "completed",
    attempts: 1,
    started_at: null,
    completed_at: null,
    checkpoint_before: null,
    checkpoint_after: null,
    error: null,
  });
  const session = {
    ...newSession("s", "2026-11-15T18:45:30.000Z"),
    task_id: "task-12",
    issue_number: 42,
    workflow: {
      ...NO_PROGRESS,
      current_phase: "plan",
      current_step: 2,
      phases: [phase("init", 1), phase("plan", 2)],
      metrics: { tests: 12 },
      state_label: "state:ready",
    },
  };
  const everything = {
    taskId: "task-12",
    issueNumber: 42,
    workflowState: "state:ready",
    metrics: { tests: 12 },
  };

  it.each([
    [{}, { ...everything, phase: "plan", step: 2 }],
    [{ phase: "init" }, { ...everything, phase: "init", step: 1 }],
    [{ step: 1 }, { ...everything, phase: "init", step: 1 }],
    [{ step: 7 }, { ...everything, step: 7 }],
    [{ phase: "assess" }, { ...everything, phase: "assess", step: 1 }],
    [{ phase: "other" }, { ...everything, phase: "other" }],
    [
      { taskId: "task-1", metrics: {} },
      { ...everything, taskId: "task-1", metrics: {}, phase: "plan", step: 2 },
    ],
  ])("%j becomes %j", (asked, place) => {
    expect(placeInWorkflow(asked, session, ORDER)).toEqual(place);
  });

  it("without a session is the number that the settings give a phase", () => {
    expect(placeInWorkflow({ phase: "plan" }, undefined, ORDER)).toEqual({
      phase: "plan",
      step: 3,
    });
    expect(placeInWorkflow({}, undefined, ORDER)).toEqual({});
  });
});
