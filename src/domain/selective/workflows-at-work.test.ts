import { describe, expect, it } from "vitest";
import type { Trigger } from "../checkpoint.ts";
import { workflowsAtWork, type WorkflowMoment } from "./workflows-at-work.ts";

function taken(
  trigger: Trigger,
  process = "first",
  more: Partial<WorkflowMoment> = {},
): WorkflowMoment {
  return {
    workflow: "w",
    trigger,
    phase: "implement",
    process,
    isRun: true,
    isArrival: false,
    ...more,
  };
}

const OTHERS: WorkflowMoment = { ...taken("tool_use", "hook"), workflow: null };
const arrival = (trigger: Trigger): WorkflowMoment => taken(trigger, "first", { isArrival: true });

/** One letter for each moment: at work, perhaps, not. */
function shown(
  moments: readonly WorkflowMoment[],
  { goesOn = true, isPaused = false }: { goesOn?: boolean; isPaused?: boolean } = {},
): string {
  const signs = { goesOn: () => goesOn, isPaused: () => isPaused };
  const letters = workflowsAtWork(moments, signs).map((found) =>
    found === undefined ? "." : found.isSure ? "w" : "?",
  );
  return letters.join("");
}

describe("when a workflow was at work", () => {
  it("was from the checkpoint before a phase to the one after it, whatever is taken meanwhile", () => {
    expect(shown([taken("pre_phase"), OTHERS, taken("post_phase"), OTHERS])).toBe("ww..");
    const by = taken("manual", "a command of it");
    expect(shown([taken("pre_phase"), by, taken("batch_complete"), taken("session_end")])).toBe(
      "www.",
    );
  });

  it("was not after a checkpoint that somebody asked for, or that a guard took", () => {
    expect(shown([taken("manual"), taken("pre_phase"), taken("post_phase")])).toBe(".w.");
    const guard = taken("auto", "guard", { phase: null });
    expect(shown([guard, taken("pre_phase"), taken("post_phase")])).toBe(".w.");
  });

  it("was perhaps where a run was killed or failed, and said nothing", () => {
    const again = [taken("pre_phase", "second"), taken("post_phase", "second")];
    expect(shown([taken("pre_phase"), OTHERS, ...again])).toBe("??w.");
    expect(shown([taken("pre_phase"), taken("pre_phase"), taken("post_phase")])).toBe("?w.");
    expect(
      shown([taken("pre_phase"), taken("auto", "second"), taken("post_phase", "second")]),
    ).toBe("?w.");
    expect(shown([taken("pre_phase"), taken("session_end", "second")])).toBe("?.");
    expect(shown([taken("pre_phase"), OTHERS], { goesOn: false })).toBe("?.");
    expect(shown([taken("pre_phase"), OTHERS])).toBe("w.");
  });

  it("was where another process says that the phase is done", () => {
    expect(shown([taken("pre_phase"), taken("post_phase", "second")])).toBe("w.");
    const other = taken("post_phase", "second", { phase: "test" });
    expect(shown([taken("pre_phase"), other])).toBe("?.");
  });

  it("was until a command ends the session or a part of its phase, where each command is a process of its own", () => {
    const own = (trigger: Trigger, phase: string | null, process: string): WorkflowMoment =>
      taken(trigger, process, { phase, isRun: false });
    const begins = own("pre_phase", "implement", "1");
    expect(shown([begins, OTHERS, own("session_end", null, "2")])).toBe("ww.");
    expect(shown([begins, own("session_end", null, "2")], { isPaused: true })).toBe("?.");
    const part = own("batch_complete", null, "2");
    expect(shown([begins, part, own("post_phase", "implement", "3")])).toBe("ww.");
    expect(shown([begins, own("post_phase", "test", "2")])).toBe("?.");
    expect(shown([taken("pre_phase"), own("session_end", null, "2")])).toBe("?.");
    expect(shown([taken("pre_phase"), part])).toBe("?w");
  });

  it("was around a phase that a command of it ran", () => {
    const inner = [taken("pre_phase", "inner"), taken("post_phase", "inner")];
    expect(shown([taken("pre_phase"), ...inner, taken("post_phase")])).toBe("www.");
  });

  it("was not after a rollback, whatever the checkpoint was taken for, unless the run itself went back", () => {
    const back = [taken("pre_rollback", "person"), arrival("pre_phase")];
    expect(shown([taken("pre_phase"), taken("post_phase"), ...back, OTHERS])).toBe("w....");
    const retry = [taken("pre_rollback"), arrival("pre_phase")];
    expect(shown([taken("pre_phase"), ...retry, taken("post_phase")])).toBe("w.w.");
    expect(shown([taken("pre_phase"), taken("post_phase"), ...retry, OTHERS])).toBe("w....");
  });
});
