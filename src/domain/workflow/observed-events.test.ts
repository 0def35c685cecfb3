import { describe, expect, it } from "vitest";
import type { RollbackRecord, SessionDocument } from "../session.ts";
import { observedEvents } from "./observed-events.ts";
import { NO_PROGRESS, type NodeProgress, type PhaseProgress } from "./progress.ts";

const AT = "2026-11-15T18:45:30.000Z";
const LATER = "2026-11-15T18:45:33.000Z";

function phase(name: string, step: number, more: Partial<PhaseProgress>): PhaseProgress {
  return {
    name,
    step,
    status: "pending",
    attempts: 0,
    started_at: null,
    completed_at: null,
    checkpoint_before: null,
    checkpoint_after: null,
    error: null,
    ...more,
  };
}

function node(more: Partial<NodeProgress>): NodeProgress {
  return {
    name: "api",
    phase: "one",
    needs: [],
    status: "pending",
    attempts: 0,
    started_at: null,
    completed_at: null,
    exit_code: null,
    result: null,
    error: null,
    ...more,
  };
}

function session(
  phases: readonly PhaseProgress[],
  api: NodeProgress = node({}),
  more: Partial<SessionDocument> = {},
): SessionDocument {
  const graph = { graph_id: "g", batches: [], current_batch: null, completed_batches: [] };
  return {
    id: "s",
    status: "active",
    created_at: AT,
    updated_at: LATER,
    history: [],
    workflow_type: "demo",
    workflow: { ...NO_PROGRESS, phases, execution_graph: { ...graph, nodes: { "one/api": api } } },
    ...more,
  } as SessionDocument;
}

const RUNNING = { status: "running", attempts: 1, started_at: AT } as const;
const END = { status: "completed", completed_at: "2026-11-15T18:45:35.000Z" } as const;
const DONE = { status: "completed", attempts: 1, started_at: AT, completed_at: LATER } as const;

const names = (before: SessionDocument | undefined, after: SessionDocument): string[] =>
  observedEvents(before, after).map(({ event }) => event);

describe("what happened between two looks at a session", () => {
  it("is at the first look how far it is, with the times that things began", () => {
    const seen = session([phase("one", 1, DONE), phase("two", 2, RUNNING)]);
    expect(observedEvents(undefined, seen)).toMatchObject([
      { event: "session_started", phases: [{ status: "completed" }, { status: "running" }] },
      { event: "phase_finished", phase: "one", duration_ms: 3000 },
      { event: "phase_started", phase: "two", at: AT, attempt: 1, of: 2 },
    ]);
  });

  it("is nothing where nothing changed", () => {
    const seen = session([phase("one", 1, RUNNING)], node(RUNNING));
    expect(observedEvents(seen, seen)).toEqual([]);
  });

  it("is each step of a phase and its nodes, also of those that began and ended in between", () => {
    const begun = session([phase("one", 1, RUNNING), phase("two", 2, {})], node(RUNNING));
    const done = session(
      [phase("one", 1, { ...DONE, checkpoint_after: "cp-1" }), phase("two", 2, DONE)],
      node({ ...DONE, exit_code: 0 }),
    );
    expect(names(session([phase("one", 1, {}), phase("two", 2, {})]), begun)).toEqual([
      "phase_started",
      "node_started",
    ]);
    expect(names(begun, done)).toEqual([
      "node_finished",
      "checkpoint_created",
      "phase_finished",
      "phase_started",
      "phase_finished",
    ]);
  });

  it("begins anew after a rollback of the session", () => {
    const done = session([phase("one", 1, DONE)]);
    const back = session([phase("one", 1, {})]);
    expect(names(done, back)).toEqual(["session_resumed"]);
  });

  it("is after a rollback only that, with the phases that are left and where it stands", () => {
    const done = session([phase("one", 1, DONE), phase("two", 2, DONE)]);
    const record = { id: "rb-1", kind: "rollback", at: LATER, to_id: "cp-1", safety_id: "cp-2" };
    const history = [{ ...record, from_step: 2, to_step: 1 } as unknown as RollbackRecord];
    const back = session([phase("one", 1, DONE)], node({}), { status: "paused", history });
    expect(observedEvents(done, back)).toMatchObject([
      { event: "rolled_back", checkpoint_id: "cp-1", phases: [{ name: "one" }] },
      {
        event: "session_ended",
        status: "paused",
        reason: "rolled back to cp-1",
        checkpoint_id: "cp-1",
      },
    ]);
    expect(observedEvents(back, back)).toEqual([]);
    const filesOnly = [record as unknown as RollbackRecord];
    expect(observedEvents(done, { ...done, history: filesOnly })).toEqual([]);
  });

  it("is the end of the session, with how to resume it, once", () => {
    const active = session([phase("one", 1, RUNNING)]);
    const paused = session([phase("one", 1, RUNNING)], node({}), { status: "paused" });
    expect(observedEvents(active, paused)).toMatchObject([
      { event: "session_ended", status: "paused", resume_command: "waymark resume s" },
    ]);
    expect(observedEvents(paused, paused)).toEqual([]);
  });

  it("names the checkpoint of the end, which no phase has", () => {
    const active = session([phase("one", 1, { ...RUNNING, checkpoint_before: "cp-before" })]);
    const end = { kind: "session", at: LATER, by: null, reason: null } as const;
    const events = [{ ...end, checkpoint_ids: ["cp-end"], details: { became: "interrupted" } }];
    const stopped = { ...active, status: "interrupted", events };
    expect(observedEvents(active, stopped)).toMatchObject([{ checkpoint_id: "cp-end" }]);
    expect(observedEvents(active, { ...stopped, events: [] })).toMatchObject([
      { checkpoint_id: "cp-before" },
    ]);
  });

  it("counts a phase that was resumed from then on, without the pause", () => {
    const paused = session([phase("one", 1, RUNNING)], node({}), { status: "paused" });
    const active = { ...paused, status: "active" };
    expect(names(paused, active)).toContain("session_resumed");
    const resumed = { ...RUNNING, attempts: 2, resumed_at: LATER };
    const again = session([phase("one", 1, resumed)]);
    expect(observedEvents(active, again)).toMatchObject([
      { event: "phase_started", attempt: 2, at: LATER },
    ]);
    const done = session([phase("one", 1, { ...DONE, ...resumed, ...END })]);
    expect(observedEvents(again, done)).toMatchObject([
      { event: "phase_finished", duration_ms: 2000 },
    ]);
    const workflow = { ...(done.workflow ?? NO_PROGRESS), iteration_count: 2 };
    expect(observedEvents(done, { ...done, workflow, status: "completed" })).toMatchObject([
      { event: "session_ended", duration_ms: 0 },
    ]);
  });
});
