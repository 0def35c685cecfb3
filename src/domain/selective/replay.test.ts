import { describe, expect, it } from "vitest";
import type { FileState } from "../file-state.ts";
import { withoutSession, type FileChange, type Seen } from "./replay.ts";
import { wholeFile } from "./whole-file.ts";

const file = (oid: string, mode = 0o644): FileState => ({ type: "file", oid, mode });
const change = (from: number, before: Seen, after: Seen, by: FileChange["by"]): FileChange => ({
  from,
  before,
  after,
  by,
});
/** Shows what it was asked to merge. */
const merge = (ours: string, base: string, theirs: string): Promise<string> =>
  Promise.resolve(`${ours}|${base}|${theirs}`);
const noMerge = (): Promise<undefined> => Promise.resolve(undefined);
const KEPT = { kind: "kept", reason: "changed_since" };

describe("a file without a session", () => {
  it("is what it was before, where nobody else changed it", async () => {
    const changes = [
      change(0, null, file("a"), "session"),
      change(1, file("a"), file("b", 0o755), "session"),
    ];
    expect(await withoutSession(changes, [], noMerge)).toEqual({ kind: "is", file: null });
  });

  it("has what others did, merged three ways", async () => {
    const changes = [
      change(0, file("x"), file("xa"), "session"),
      change(1, file("xa"), file("xab", 0o755), "others"),
    ];
    const merged = { kind: "is", file: file("x|xa|xab", 0o755) };
    expect(await withoutSession(changes, [], merge)).toEqual(merged);
    expect(await withoutSession(changes, [], noMerge)).toEqual(KEPT);
  });

  it("is kept where others changed what the session made, deleted or turned into a link", async () => {
    const link: FileState = { type: "link", oid: "l", mode: 0 };
    for (const [before, between, after] of [
      [null, file("a"), file("b")],
      [file("x"), null, file("b")],
      [file("x"), link, file("b")],
      [file("x"), file("x", 0o755), file("x", 0o600)],
    ] as const) {
      const changes = [change(0, before, between, "session"), change(1, between, after, "others")];
      expect(await withoutSession(changes, [], merge)).toEqual(KEPT);
    }
  });

  it("brings back what the session deleted, and what it deleted of others", async () => {
    const changes = [change(0, null, file("b"), "others"), change(1, file("b"), null, "session")];
    expect(await withoutSession(changes, [], noMerge)).toEqual({ kind: "is", file: file("b") });
  });

  it("is kept where nobody knows who it was, or what was there", async () => {
    const unsure = [change(0, file("x"), file("y"), "not_told_apart")];
    expect(await withoutSession(unsure, [], merge)).toEqual({
      kind: "kept",
      reason: "not_told_apart",
    });
    const unknown = [change(0, file("x"), "unknown", "session")];
    expect(await withoutSession(unknown, [], merge)).toEqual({ kind: "kept", reason: "not_known" });
  });

  it("goes back with a rollback to what it was without the session at that moment", async () => {
    const changes = [
      change(0, file("x"), file("a"), "session"),
      change(1, file("a"), file("b"), "others"),
      change(2, file("b"), file("a"), "others"),
      change(3, file("a"), file("c"), "others"),
    ];
    const back = { from: 2, to: 1, isWhole: false };
    const result = { kind: "is", file: file("x|a|c") };
    expect(await withoutSession(changes, [back], merge)).toEqual(result);
    // Where the file itself is not what changed.
    const whole = [{ from: 2, to: 0, isWhole: true }];
    const deleted = [
      change(0, file("x"), file("b"), "others"),
      change(1, file("b"), file("x"), "session"),
    ];
    expect(await withoutSession(deleted, [], merge)).toEqual({ kind: "is", file: file("b") });
    expect(await withoutSession(deleted, whole, merge)).toEqual({ kind: "is", file: file("x") });
  });
});

describe("a whole file", () => {
  it("is what it was if only the session and rollbacks changed it", () => {
    const own = [
      change(0, file("x"), file("a"), "session"),
      change(1, file("a"), file("x"), "others"),
      change(2, file("x"), file("b"), "session"),
    ];
    const back = [{ from: 1, to: 0, isWhole: true }];
    expect(wholeFile(own, back)).toEqual({ kind: "is", file: file("x") });
    expect(wholeFile(own, [])).toEqual(KEPT);
    expect(wholeFile([change(0, file("x"), file("y"), "not_told_apart")], [])).toEqual({
      kind: "kept",
      reason: "not_told_apart",
    });
  });
});
