import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { saveProblems } from "./save-problems.ts";
import { savedProgress, type ProgressSave } from "./saved-progress.ts";
import { NO_PROGRESS, progressCount, type WorkflowProgress } from "./progress.ts";

const AT = "2026-11-15T18:45:30.000Z";

function saved(...saves: readonly ProgressSave[]): WorkflowProgress {
  return saves.reduce((progress, save) => savedProgress(progress, save, AT), NO_PROGRESS);
}

describe("what is saved in a session", () => {
  it("takes the place of what is there, and leaves what is not given", () => {
    const first = saved({ state: { a: 1, b: 2 }, outputs: { spec: "x" }, iteration: 2 });
    expect(savedProgress(first, { state: { c: 3 } }, AT)).toEqual({ ...first, state: { c: 3 } });
  });

  it("changes it field by field with merge, and null removes", () => {
    const merged = saved(
      { state: { a: { x: 1, y: 2 }, b: 2 }, metrics: { tests: 1 } },
      { state: { a: { y: null, z: 3 } }, metrics: { lint: 0 }, merge: true },
    );
    expect(merged.state).toEqual({ a: { x: 1, z: 3 }, b: 2 });
    expect(merged.metrics).toEqual({ tests: 1, lint: 0 });
  });

  it("keeps keys that nobody knows", () => {
    const { team_state, message_state, knowledge_context, agent_outputs } = saved({
      team: { team_id: "T", members: [{ agent: "a", mood: "good" }], motto: "m" },
      messages: { pending: ["M1"], lost: ["M2"] },
      knowledge: { captured: ["K1"], source: "wiki" },
      agentOutputs: [{ agent: "a", task: "t", output: { output_summary: "s", words: 3 } }],
    });
    expect(team_state).toMatchObject({ motto: "m", members: [{ agent: "a", mood: "good" }] });
    expect(message_state).toEqual({ pending: ["M1"], awaiting: [], conflicts: [], lost: ["M2"] });
    expect(knowledge_context).toMatchObject({ captured: ["K1"], source: "wiki" });
    expect(agent_outputs).toMatchObject({ a: { t: { words: 3, completed_at: AT } } });
  });

  it("keeps the outputs of other agents and tasks", () => {
    const output = { output_summary: "s" };
    const both = saved(
      { agentOutputs: [{ agent: "a", task: "1", output }] },
      { agentOutputs: [{ agent: "a", task: "2", output }] },
      { agentOutputs: [{ agent: "__proto__", task: "constructor", output }] },
    );
    expect(Object.keys(both.agent_outputs["a"] ?? {})).toEqual(["1", "2"]);
    expect(Object.keys(both.agent_outputs)).toEqual(["a", "__proto__"]);
  });

  const ids = fc.array(fc.constantFrom("K1", "K2", "K3", "K4", "K5"));
  const knowledge = fc.record({ injected: ids, captured: ids, pending: ids }, { requiredKeys: [] });

  it("[R89] never has captured knowledge pending, whatever is saved in whatever order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(knowledge, fc.boolean()), { minLength: 1 }), (given) => {
        const all = saved(...given.map(([each, merge]) => ({ knowledge: each, merge })));
        const { captured, pending } = all.knowledge_context;
        const expected = [...new Set(given.flatMap(([each]) => each.captured ?? []))];
        expect(captured).toEqual(expected);
        expect(new Set(captured).size).toBe(captured.length);
        expect(pending.filter((id) => captured.includes(id))).toEqual([]);
      }),
    );
  });
});

describe("the phase that a session is in", () => {
  it("completes the one before", () => {
    const two = saved({ phase: "plan" }, { phase: "implement" });
    expect(two).toMatchObject({ current_phase: "implement", current_step: 2 });
    expect(two.phases).toMatchObject([
      { name: "plan", step: 1, status: "completed", completed_at: AT },
      { name: "implement", step: 2, status: "running", attempts: 1, started_at: AT },
    ]);
    expect(progressCount(two)).toEqual({ completed: 1, skipped: 0, total: 2, percent: 50 });
  });

  it("is not begun again by saying it twice", () => {
    const twice = saved({ phase: "plan", step: 3 }, { phase: "plan" });
    expect(twice.phases).toMatchObject([{ name: "plan", step: 3, attempts: 1 }]);
  });

  it("goes back to an earlier step: what comes after is to be done again", () => {
    const back = saved({ phase: "a" }, { phase: "b" }, { phase: "c" }, { phase: "b" });
    expect(back.phases.map(({ name, status, attempts }) => [name, status, attempts])).toEqual([
      ["a", "completed", 1],
      ["b", "running", 2],
      ["c", "pending", 1],
    ]);
    expect(back.current_step).toBe(2);
  });
});

describe("what cannot be saved", () => {
  it.each([
    [{ messages: { pending: "M1" } }],
    [{ knowledge: { captured: [1] } }],
    [{ team: { members: [{ name: "a" }] } }],
    [{ team: { members: "a" } }],
    [{ agentOutputs: [{ agent: "", task: "t", output: {} }] }],
  ])("%j is named", (save) => {
    expect(saveProblems(save)).toHaveLength(1);
  });
});
