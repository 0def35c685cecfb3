import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newsText, readNote, untold, withoutUndone, type RollbackNote } from "./rollback-news.ts";

const note = (id: string, more: Partial<RollbackNote> = {}): RollbackNote => ({
  id,
  at: `2026-11-16T08:00:0${id}.000Z`,
  what: "rollback",
  restoredTo: "cp-1",
  stateBefore: `safety-${id}`,
  files: ["a.txt"],
  by: null,
  reason: null,
  ...more,
});
const ids = (notes: readonly RollbackNote[]): string[] => notes.map(({ id }) => id);

describe("which rollbacks a session hears of", () => {
  it("those since it was there and since it was told last", () => {
    const notes = [note("1"), note("2"), note("3")];
    const since = "2026-11-16T08:00:01.500Z";
    expect(ids(untold(notes, { since, toldOf: null }))).toEqual(["2", "3"]);
    expect(ids(untold(notes, { since, toldOf: "2" }))).toEqual(["3"]);
    expect(ids(untold(notes, { since, toldOf: "3" }))).toEqual([]);
    expect(ids(untold(notes, { since, toldOf: "long gone" }))).toEqual(["2", "3"]);
  });

  it("not those that an undo took back, as far as it took back all of it", () => {
    const undo = note("2", { what: "undo", restoredTo: "safety-1" });
    expect(withoutUndone([note("1"), undo])).toEqual([]);
    expect(ids(withoutUndone([note("1"), { ...undo, files: ["a.txt", "b.txt"] }]))).toEqual([
      "1",
      "2",
    ]);
    expect(ids(withoutUndone([note("1"), undo, note("3", { what: "redo" })]))).toEqual(["3"]);
    const outer = note("4", { what: "undo", restoredTo: "safety-0" });
    const inner = note("3", { what: "undo", restoredTo: "safety-2" });
    expect(ids(withoutUndone([note("0"), note("2"), inner, outer]))).toEqual([]);
    expect(ids(withoutUndone([undo]))).toEqual(["2"]);
  });
});

describe("what it hears", () => {
  it("says nothing about nothing", () => {
    expect(newsText([])).toBeUndefined();
  });

  it("names each file once, over all rollbacks", () => {
    const text = newsText([note("1"), note("2", { files: ["a.txt", "b.txt"] })]) ?? "";
    expect(text).toContain("(2 files)");
    expect(text.match(/"a\.txt"/g)).toHaveLength(1);
    expect(text).toContain("waymark diff safety-2");
  });

  it("is short and has no line that somebody else wrote, whatever names and reasons are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 400 }), { maxLength: 40 }),
        fc.string({ unit: "binary", maxLength: 2000 }),
        (files, text) => {
          const read = readNote({
            rollback_id: text,
            at: text,
            what: text,
            restored_to: text,
            state_before: text,
            files,
            by: text,
            reason: text,
          });
          const said = newsText(read === undefined ? [] : [read]) ?? "";
          expect(said.length).toBeLessThan(9000);
          expect(said.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
          for (const line of said.split("\n")) {
            expect(line).toMatch(
              /^(?:- |and \d|Note from|Changed by|No files|What you|`waymark diff)/,
            );
          }
        },
      ),
    );
  });

  it.each([null, [], "x", {}, { rollback_id: 1 }, { rollback_id: "a", at: "b" }])(
    "%j is no note",
    (value) => {
      expect(readNote(value)).toBeUndefined();
    },
  );
});
