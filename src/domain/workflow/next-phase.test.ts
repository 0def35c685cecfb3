import { describe, expect, it } from "vitest";
import { nextPhase } from "./next-phase.ts";
import { NO_PROGRESS, type PhaseStatus } from "./progress.ts";
import { phasesOf } from "./progress.fixture.ts";

const ORDER = ["assess", "plan", "implement"];

function next(statuses: Readonly<Record<string, PhaseStatus>>, current: string | null) {
  const progress = { ...NO_PROGRESS, phases: phasesOf(statuses), current_phase: current };
  return nextPhase(progress, ORDER);
}

describe("nextPhase", () => {
  it.each<[Readonly<Record<string, PhaseStatus>>, string | null, string | undefined]>([
    [{}, null, "assess"],
    [{ plan: "completed" }, "plan", "implement"],
    [{ plan: "running" }, "plan", "plan"],
    [{ plan: "failed" }, "plan", "plan"],
    [{ implement: "completed" }, "implement", undefined],
    [{ other: "completed" }, "other", undefined],
    [{ assess: "completed" }, "plan", "plan"],
  ])("after %j in %s it is %s", (statuses, current, expected) => {
    expect(next(statuses, current)?.phase).toBe(expected);
  });

  it("is the one that was interrupted, with its command and what was before it", () => {
    const [phase] = phasesOf({ plan: "pending" });
    const broken = {
      ...NO_PROGRESS,
      current_phase: "plan",
      phases:
        phase === undefined
          ? []
          : [
              {
                ...phase,
                error: "interrupted by SIGINT",
                command: "make",
                checkpoint_before: "cp-1",
              },
            ],
    };
    expect(nextPhase(broken, ORDER)).toEqual({
      phase: "plan",
      why: "interrupted by SIGINT",
      command: "make",
      checkpoint_before: "cp-1",
    });
  });
});
