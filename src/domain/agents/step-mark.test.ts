import { describe, expect, it } from "vitest";
import { sampleDocument } from "../checkpoint.fixture.ts";
import type { AgentStep } from "./agent-step.ts";
import { markedStep, stepMark } from "./step-mark.ts";

const STEP: AgentStep = {
  at: "2026-11-16T08:00:00.000Z",
  checkpoint_id: "cp-1",
  agent: "claude",
  agent_session_id: "s-1",
  moment: "pre_tool",
  turn: 2,
  tool: "Edit",
  tool_kind: "write",
  tool_use_id: "toolu_1",
  paths: ["a.txt", "b/c.txt"],
};

function throughDocument(step: AgentStep): AgentStep | undefined {
  const id = step.checkpoint_id ?? "";
  const { created_by, ...rest } = sampleDocument({ id, created_at: step.at });
  return markedStep({
    ...rest,
    created_by: {
      ...created_by,
      agent: step.agent,
      agent_session_id: step.agent_session_id,
      tool_use_id: step.tool_use_id,
      ...(step.turn === null ? {} : { turn: step.turn }),
      ...(step.tool === null ? {} : { tool: step.tool }),
      ...stepMark(step),
    },
  });
}

describe("what a checkpoint says about the step that it was taken for", () => {
  it("is the step", () => {
    const turnEnd = { ...STEP, moment: "turn_end", tool: null, tool_kind: null, paths: null };
    const shell = { ...STEP, tool: "Bash", tool_kind: "shell", paths: null, turn: null };
    for (const step of [STEP, turnEnd, shell, { ...STEP, paths: [] }] as AgentStep[]) {
      expect(throughDocument(step)).toEqual(step);
    }
  });

  it("is nothing where no hook took it", () => {
    expect(markedStep(sampleDocument())).toBeUndefined();
  });

  it("does not weigh much, and says that there is more", () => {
    const many = Array.from({ length: 5000 }, (_, number) => `folder/file-${number}.txt`);
    const long = ["a.txt", "x".repeat(100_000), "b.txt"];
    for (const paths of [many, long]) {
      const mark = stepMark({ ...STEP, paths });
      expect(JSON.stringify(mark).length).toBeLessThan(8000);
      expect((mark.tool_paths?.length ?? 0) + (mark.tool_paths_left_out ?? 0)).toBe(paths.length);
      expect(throughDocument({ ...STEP, paths })?.paths).toBeNull();
    }
  });
});
