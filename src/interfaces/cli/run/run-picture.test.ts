import { describe, expect, it } from "vitest";
import type { RunEventBody } from "../../../domain/workflow/run-event.ts";
import { RunPicture } from "./run-picture.ts";

const plain = (_style: unknown, text: string): string => text;

function picture(now: () => number, ...events: readonly RunEventBody[]): RunPicture {
  const made = new RunPicture(now);
  for (const event of events) made.add({ at: "", session_id: "s", ...event });
  return made;
}

const start = (count: number): RunEventBody => ({
  event: "session_started",
  workflow: "w",
  phases: Array.from({ length: count }, (_, at) => ({
    name: `phase-${at + 1}`,
    step: at + 1,
    status: "pending",
  })),
});
const begin = (step: number): RunEventBody => ({
  event: "phase_started",
  phase: `phase-${step}`,
  step,
  attempt: 1,
  of: 9,
});
const end = (step: number): RunEventBody => ({
  event: "phase_finished",
  phase: `phase-${step}`,
  step,
  status: "completed",
  error: null,
  duration_ms: 1500,
});
const at = (node: string) => ({ phase: "phase-2", step: 2, node, attempt: 1 });

describe("the picture of a run", () => {
  it("shows phases with marks and times, running nodes with their last line, and the checkpoint", () => {
    let now = 0;
    const made = picture(
      () => now,
      start(3),
      begin(1),
      end(1),
      begin(2),
      {
        event: "checkpoint_created",
        checkpoint_id: "cp-02",
        trigger: "pre_phase",
        reason: null,
        phase: "phase-2",
        step: 2,
      },
      { event: "node_started", log: "l", ...at("api") },
      { event: "node_started", log: "l", ...at("ui") },
      { event: "node_output", line: "com\u001b[31mpiling", ...at("api") },
      {
        event: "node_finished",
        status: "completed",
        exit_code: 0,
        error: null,
        duration_ms: 1,
        log: "l",
        ...at("ui"),
      },
    );
    now = 65_000;
    expect(made.lines(60, 20, plain)).toEqual([
      "✔ phase-1  1.5s",
      "▶ phase-2  1m05s",
      "  api  1m05s  com\uFFFD[31mpiling",
      "○ phase-3",
      "1/3  cp-02",
    ]);
  });

  it("shows what a stopped session had running as stopped, above its last checkpoint", () => {
    const made = picture(() => 4000, start(2), begin(1), {
      event: "session_ended",
      status: "interrupted",
      exit_code: 130,
      reason: "interrupted by Ctrl+C",
      hint: null,
      resume_command: null,
      rollback_command: null,
      checkpoint_id: "cp-end",
      duration_ms: 4000,
    });
    const [phase, , foot] = made.lines(60, 10, plain);
    expect(phase).toBe("■ phase-1  0.0s");
    expect(foot).toBe("0/2  cp-end");
  });

  it("counts no further where the process of the run ended without a word", () => {
    let now = 0;
    const node: RunEventBody = { event: "node_started", log: "l", ...at("api") };
    const made = picture(() => now, start(2), begin(2), node);
    made.diedAt = 65_000;
    now = 900_000;
    expect(made.lines(60, 20, plain)).toEqual([
      "○ phase-1",
      "■ phase-2  1m05s",
      "  api  1m05s  stopped: its process ended",
      "0/2",
    ]);
  });

  it("fits a narrow and low terminal, around the phase that runs", () => {
    const made = picture(
      () => 0,
      start(30),
      ...Array.from({ length: 19 }, (_, step) => [begin(step + 1), end(step + 1)]).flat(),
      begin(20),
    );
    const lines = made.lines(12, 5, plain);
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(12);
    expect(lines.some((line) => line.includes("phase-20"))).toBe(true);
  });

  it("counts from the time of an event, which may be long ago for those who watch", () => {
    const made = new RunPicture(() => Date.parse("2026-11-15T18:46:00.000Z"));
    const moment = { at: "2026-11-15T18:45:30.000Z", session_id: "s" };
    for (const event of [start(2), begin(1)]) made.add({ ...moment, ...event });
    expect(made.lines(60, 10, plain)).toContain("▶ phase-1  30s");
  });

  it("has a phase that comes later, and none that a rollback removed", () => {
    const made = picture(() => 0, start(1), end(1), begin(2), end(2));
    expect(made.lines(60, 20, plain)).toEqual(["✔ phase-1  1.5s", "✔ phase-2  1.5s", "2/2"]);
    made.add({
      at: "",
      session_id: "s",
      event: "rolled_back",
      checkpoint_id: "cp-01",
      undo_checkpoint_id: "cp-09",
      reason: "",
      phase: null,
      step: null,
      commits_left: [],
      kept: [],
      phases: [{ name: "phase-1", step: 1, status: "completed" }],
    });
    expect(made.lines(60, 20, plain)).toEqual(["✔ phase-1", "1/1  cp-01"]);
  });
});
