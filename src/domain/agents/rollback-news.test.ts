import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newsFor, newsText, readNote, untold, type RollbackNote } from "./rollback-news.ts";

const note = (id: string, more: Partial<RollbackNote> = {}): RollbackNote => ({
  id,
  at: `2026-11-16T08:00:0${id}.000Z`,
  what: "rollback",
  restoredTo: "cp-1",
  stateBefore: `safety-${id}`,
  files: ["a.txt"],
  by: null,
  session: null,
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
    expect(newsFor("own", [note("1"), undo])).toEqual([]);
    expect(ids(newsFor("own", [note("1"), { ...undo, files: ["a.txt", "b.txt"] }]))).toEqual([
      "1",
      "2",
    ]);
    expect(ids(newsFor("own", [note("1"), undo, note("3", { what: "redo" })]))).toEqual(["3"]);
    const outer = note("4", { what: "undo", restoredTo: "safety-0" });
    const inner = note("3", { what: "undo", restoredTo: "safety-2" });
    expect(ids(newsFor("own", [note("0"), note("2"), inner, outer]))).toEqual([]);
    expect(ids(newsFor("own", [undo]))).toEqual(["2"]);
  });

  it("not those that it did itself, but an undo of them by another", () => {
    const own = note("1", { session: "own" });
    const undo = note("2", { what: "undo", restoredTo: "safety-1" });
    const ownUndo = { ...undo, session: "own" };
    expect(newsFor("own", [own])).toEqual([]);
    expect(ids(newsFor("other", [own]))).toEqual(["1"]);
    expect(ids(newsFor("own", [own, undo]))).toEqual(["2"]);
    expect(newsFor("own", [own, ownUndo])).toEqual([]);
    expect(newsFor("own", [note("1"), ownUndo])).toEqual([]);
  });
});

describe("what it hears", () => {
  it("says nothing about nothing", () => {
    expect(newsText([])).toBeUndefined();
  });

  it("after an undo says that the work is back, and not that it was reverted", () => {
    const undo = newsText([note("1", { what: "undo", by: "ada" })]) ?? "";
    expect(undo).toContain("a rollback of files of this project was undone since your last turn");
    expect(undo).toContain('rollback undone, restored to checkpoint cp-1 by "ada"');
    expect(undo).toContain("The work that was rolled back is restored: do not do it again");
    expect(undo).toContain("shows what was restored");
    expect(undo).not.toMatch(/Do not redo|reverted|by the user/);
    const redo = newsText([note("1", { what: "redo" })]) ?? "";
    expect(redo).toMatch(/files of this project were rolled back[^]*Do not redo what was reverted/);
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
