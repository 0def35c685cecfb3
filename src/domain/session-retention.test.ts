import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "./config.ts";
import { decideSessions, type SessionRetentionInput } from "./session-retention.ts";
import { newSession, type SessionDocument } from "./session.ts";

const NOW = new Date("2026-11-15T20:00:00.000Z");
const DAY = 86_400_000;

const ago = (days: number): string => new Date(NOW.getTime() - days * DAY).toISOString();

function ended(status: string, days: number, more: Partial<SessionDocument> = {}): SessionDocument {
  return { ...newSession("s", ago(99)), implicit: false, status, ended_at: ago(days), ...more };
}

function going(session: SessionDocument, more: Partial<SessionRetentionInput> = {}): string[] {
  const decided = decideSessions({
    sessions: [session],
    settings: DEFAULT_CONFIG.retention,
    now: NOW,
    limits: {},
    inUse: new Set(),
    withCheckpoints: new Set(),
    checkpoints: new Set(),
    ...more,
  });
  return decided.map(({ id }) => id);
}

const UNDO = {
  rollback_id: "r",
  return_id: "cp-a",
  to_id: "cp-b",
  result: "",
  epoch_before: null,
  epoch_after: null,
  files_only: false,
  paths: null,
  keep_head: false,
};

describe("a session without checkpoints", () => {
  it.each([
    ["completed", 8, true],
    ["completed", 6, false],
    ["failed", 31, true],
    ["failed", 29, false],
    ["abandoned", 31, true],
    ["paused", 999, false],
    ["active", 999, false],
    ["interrupted", 999, false],
  ] as const)("that is %s for %i days goes: %s", (status, days, goes) => {
    expect(going(ended(status, days))).toEqual(goes ? ["s"] : []);
  });

  it("stays while it is in use, has a checkpoint, or is no workflow", () => {
    const old = ended("failed", 99);
    expect(going(old, { inUse: new Set(["s"]) })).toEqual([]);
    expect(going(old, { withCheckpoints: new Set(["s"]) })).toEqual([]);
    expect(going({ ...old, implicit: true })).toEqual([]);
    const { ended_at: _, ...unknown } = old;
    expect(going(unknown)).toEqual([]);
  });

  it("stays while undo needs it", () => {
    const line = { epoch: null, epochs: {}, undo: [UNDO], redo: [] };
    const old = ended("failed", 99, { worktrees: { main: line } });
    expect(going(old, { checkpoints: new Set(["cp-b"]) })).toEqual([]);
    expect(going(old, { checkpoints: new Set(["cp-c"]) })).toEqual(["s"]);
  });

  it("goes by a given age, and stays where only a number is given", () => {
    expect(going(ended("failed", 2), { limits: { olderThanMs: DAY } })).toEqual(["s"]);
    expect(going(ended("failed", 99), { limits: { keep: 1 } })).toEqual([]);
  });

  it("stays for ever where the settings say so", () => {
    const settings = { ...DEFAULT_CONFIG.retention, failedMaxAge: null };
    expect(going(ended("failed", 999), { settings })).toEqual([]);
  });
});
