import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import { DEFAULT_CONFIG } from "./config.ts";
import { neededForState } from "./needed-for-state.ts";
import type { StatePart } from "./parts.ts";
import { newSession, stateRecord, type SessionDocument, type StateRecord } from "./session.ts";

const NOW = new Date("2026-11-15T20:00:00.000Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ago = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();

function holding(
  id: string,
  names: readonly ("state" | "outputs")[],
  keys: readonly string[] | null = null,
): CheckpointDocument {
  const documents = names.map((name) => ({ name }) as StatePart["documents"][number]);
  return sampleDocument({
    id,
    parts: [{ type: "state_snapshot", digest: "sha256:0", documents, keys }],
  });
}

/** As if they had been saved one after the other. */
function recordOf(documents: readonly CheckpointDocument[]): StateRecord | undefined {
  let record: StateRecord | undefined;
  for (const { id } of documents) record = stateRecord(id, false, record);
  return record;
}

function needed(
  documents: readonly CheckpointDocument[],
  more: Partial<SessionDocument> = {},
  inUse: readonly string[] = [],
): string[] {
  const state = recordOf(documents);
  const session = {
    ...newSession("s", ago(DAY)),
    ...(state === undefined ? {} : { state }),
    ...more,
  };
  const holders = neededForState({
    sessions: [session],
    documents,
    inUse: new Set(inUse),
    settings: { ...DEFAULT_CONFIG.retention, failedMaxAge: 2 * DAY },
    now: NOW,
  });
  return [...holders.keys()].sort();
}

describe("neededForState", () => {
  it("is the last one that holds the whole state, and not those before it", () => {
    const row = Array.from({ length: 30 }, (_, at) => holding(`cp-${at}`, ["state"]));
    expect(needed(row)).toEqual(["cp-29"]);
  });

  it("is everything that the state is put together from", () => {
    const row = [
      holding("too-old", ["state", "outputs"]),
      holding("outputs", ["outputs"]),
      holding("hidden", ["outputs", "state"]),
      holding("whole", ["state"]),
      holding("keys", ["state"], ["phase"]),
    ];
    expect(needed(row)).toEqual(["hidden", "keys", "whole"]);
  });

  it("is no part whose keys later ones hold", () => {
    const row = [
      holding("whole", ["state"]),
      ...Array.from({ length: 10 }, (_, at) => holding(`cp-${at}`, ["state"], ["phase"])),
      holding("other", ["state"], ["tasks", "phase"]),
      holding("again", ["state"], ["phase"]),
      holding("inside", ["state"], ["tasks.current"]),
      holding("last", ["state"], ["phase", "tasks.current"]),
    ];
    expect(needed(row)).toEqual(["last", "other", "whole"]);
    expect(needed([holding("outputs too", ["state", "outputs"], ["phase"]), ...row])).toContain(
      "outputs too",
    );
    const withoutLast = row.filter(({ id }) => id !== "last");
    const state = recordOf(row);
    if (state === undefined) throw new Error("there are some");
    expect(needed(withoutLast, { state })).toEqual(["again", "inside", "other", "whole"]);
  });

  it("is one that says that there was no state, and nothing before it", () => {
    const none = holding("none", ["state"], ["phase"]);
    const parts = none.parts.map((part) =>
      part.type === "state_snapshot"
        ? { ...part, documents: part.documents.map((held) => ({ ...held, format: null })) }
        : part,
    );
    const row = [
      holding("before", ["state"]),
      { ...none, parts },
      holding("last", ["state"], ["phase"]),
    ];
    expect(needed(row)).toEqual(["last", "none"]);
  });

  it("is one of which nobody can tell the keys", () => {
    const row = [holding("odd", ["state"], []), holding("last", ["state"], ["phase"])];
    expect(needed(row)).toEqual(["last", "odd"]);
  });

  it("goes on behind one that is gone", () => {
    const [old, last] = [holding("old", ["state"]), holding("last", ["state"])];
    const state = recordOf([old, last]);
    if (state === undefined) throw new Error("there are two");
    expect(needed([old], { state })).toEqual(["old"]);
  });

  it("is of sessions that may go on: not ended, failed a while ago, or in use", () => {
    const row = [holding("cp", ["state"])];
    for (const status of ["active", "paused", "interrupted"]) {
      expect(needed(row, { status })).toEqual(["cp"]);
    }
    expect(needed(row, { status: "failed", ended_at: ago(HOUR) })).toEqual(["cp"]);
    expect(needed(row, { status: "failed", ended_at: ago(3 * DAY) })).toEqual([]);
    for (const status of ["completed", "abandoned"]) {
      expect(needed(row, { status, ended_at: ago(HOUR) })).toEqual([]);
      expect(needed(row, { status, ended_at: ago(HOUR) }, ["s"])).toEqual(["cp"]);
    }
  });
});
