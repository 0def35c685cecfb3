/** What every history of files has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import { asBytePath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { FileState } from "../domain/file-state.ts";
import type { FileHistories, FileHistory, SeenChange } from "./file-histories.ts";
import type { Capture } from "./work-tree.ts";

export interface FileHistoriesSubject {
  /** Of a project that has `a`, with ten lines `0` to `9`. Files that end with `.large` are left out of checkpoints. */
  readonly histories: FileHistories;
  readonly checkpoint: () => Promise<CheckpointDocument>;
  readonly capture: () => Promise<Capture>;
  readonly write: (name: string, content: string | Buffer, mode?: number) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** The capture as a checkpoint, and a file of it; undefined: it has none. */
  readonly publish: (capture: Capture) => Promise<(name: string) => Promise<string | undefined>>;
}

const A = asBytePath("a");
const ten = (edits: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 10 }, (_, line) => `${edits[line] ?? line}\n`).join("");

export function fileHistoriesSuite(make: () => Promise<FileHistoriesSubject>): void {
  describe("the contract of file histories", () => {
    let subject: FileHistoriesSubject;

    beforeEach(async () => {
      subject = await make();
    });

    async function withHistory<Result>(
      work: (history: FileHistory, capture: Capture) => Promise<Result>,
    ): Promise<Result> {
      const capture = await subject.capture();
      const history = await subject.histories.open(capture);
      try {
        return await work(history, capture);
      } finally {
        history.close();
        capture.discard();
      }
    }

    const byPath = (changes: readonly SeenChange[]): ReadonlyMap<BytePath, SeenChange> =>
      new Map(changes.map((change) => [change.path, change]));

    function fileOf(seen: SeenChange["after"] | undefined): FileState {
      if (seen === undefined || seen === null || seen === "unknown") throw new Error("no file");
      return seen;
    }

    it("tells what was made, changed, removed or got other permissions, between checkpoints and until now", async () => {
      await subject.write("gone", "x\n");
      await subject.write("run", "x\n", 0o644);
      const first = await subject.checkpoint();
      await subject.write("a", ten({ 1: "one" }));
      await subject.write("run", "x\n", 0o755);
      const second = await subject.checkpoint();
      await subject.remove("gone");
      await subject.write("dir/new", "x\n");
      await withHistory(async (history) => {
        const between = byPath(await history.changes(first, second));
        expect([...between.keys()].toSorted()).toEqual(["a", "run"]);
        expect(fileOf(between.get(asBytePath("run"))?.after).mode & 0o100).toBe(0o100);
        const since = byPath(await history.changes(second, undefined));
        expect([...since.keys()].toSorted()).toEqual(["dir/new", "gone"]);
        expect(since.get(asBytePath("gone"))?.after).toBeNull();
        expect(since.get(asBytePath("dir/new"))?.before).toBeNull();
        expect(await history.changes(second, second)).toEqual([]);
      });
    });

    it("says unknown, and never absent, of what a checkpoint left out", async () => {
      await subject.write("x.large", "x\n");
      const without = await subject.checkpoint();
      await subject.remove("x.large");
      await subject.write("a", ten({ 1: "one" }));
      const after = await subject.checkpoint();
      await withHistory(async (history) => {
        for (const { path, before } of await history.changes(without, after)) {
          expect(path === A || before === "unknown").toBe(true);
        }
      });
    });

    it("merges lines that do not touch, also of what no checkpoint holds, and nothing else", async () => {
      const base = await subject.checkpoint();
      await subject.write("a", ten({ 1: "one" }));
      await subject.write("b", Buffer.from([0, 1]));
      const ours = await subject.checkpoint();
      await subject.write("a", ten({ 8: "eight" }));
      const merged = await withHistory(async (history) => {
        const from = byPath(await history.changes(base, ours));
        const to = byPath(await history.changes(base, undefined));
        const start = fileOf(from.get(A)?.before).oid;
        const one = fileOf(from.get(A)?.after);
        const eight = fileOf(to.get(A)?.after);
        const binary = fileOf(from.get(asBytePath("b"))?.after).oid;
        expect(await history.merge(one.oid, eight.oid, start)).toBeDefined();
        expect(await history.merge(one.oid, start, binary)).toBeUndefined();
        const oid = await history.merge(one.oid, start, eight.oid);
        if (oid === undefined) throw new Error("it was not merged");
        const files = new Map<BytePath, FileState | null>([
          [A, { ...eight, oid }],
          [asBytePath("b"), null],
        ]);
        return subject.publish(await history.withFiles(files, base));
      });
      expect(await merged("a")).toBe(ten({ 1: "one", 8: "eight" }));
      expect(await merged("b")).toBeUndefined();
    });

    it("does not merge what both changed in the same lines", async () => {
      const base = await subject.checkpoint();
      await subject.write("a", ten({ 4: "ours" }));
      const ours = await subject.checkpoint();
      await subject.write("a", ten({ 4: "theirs" }));
      await withHistory(async (history) => {
        const from = byPath(await history.changes(base, ours)).get(A);
        const to = byPath(await history.changes(ours, undefined)).get(A);
        const merged = await history.merge(
          fileOf(from?.after).oid,
          fileOf(from?.before).oid,
          fileOf(to?.after).oid,
        );
        expect(merged).toBeUndefined();
      });
    });

    it("knows which places are taken, unless what is there goes", async () => {
      await subject.write("folder/inside", "x\n");
      await withHistory(async (history) => {
        const coming = ["a", "a/below", "folder", "free"].map(asBytePath);
        expect(await history.taken(coming, new Set())).toEqual(["a", "a/below", "folder"]);
        const going = new Set(["a", "folder/inside"].map(asBytePath));
        expect(await history.taken(coming, going)).toEqual([]);
      });
    });
  });
}
