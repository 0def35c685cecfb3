/** What every maker of isolated work trees has to do. Each adapter's test runs it. */
import { rm } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { IsolatedWorkTrees } from "./isolated-work-trees.ts";
import type { Capture } from "./work-tree.ts";

export interface IsolatedSubject {
  /** The main work tree has `a` and `b`, with "a\n" and "b\n". */
  readonly trees: IsolatedWorkTrees;
  /** The main work tree as a checkpoint. */
  readonly checkpoint: () => Promise<CheckpointDocument>;
  /** The same for the work tree in this folder. */
  readonly checkpointAt: (folder: string) => Promise<CheckpointDocument>;
  readonly capture: () => Promise<Capture>;
  readonly write: (folder: string, name: string, content: string) => Promise<void>;
  readonly read: (folder: string, name: string) => Promise<string | undefined>;
  /** The folder of the main work tree. */
  readonly root: string;
  /** Names in a tree, and what it is there. */
  readonly names: (folder: string) => Promise<string[]>;
}

export function isolatedWorkTreesSuite(make: () => Promise<IsolatedSubject>): void {
  describe("the contract of isolated work trees", () => {
    let subject: IsolatedSubject;
    let trees: IsolatedWorkTrees;
    let base: CheckpointDocument;

    beforeEach(async () => {
      subject = await make();
      ({ trees } = subject);
      base = await subject.checkpoint();
    });

    async function result(name: string, file: string, content: string) {
      const tree = await trees.make({ checkpoint: base, name });
      await subject.write(tree.path, file, content);
      return { name, checkpoint: await subject.checkpointAt(tree.path) };
    }

    async function merge(...results: Awaited<ReturnType<typeof result>>[]) {
      const ours = await subject.checkpoint();
      const merged = await trees.merge({ base, ours, capture: await subject.capture(), results });
      merged.capture.discard();
      return merged;
    }

    it("makes trees with the files of the checkpoint, each on its own", async () => {
      const [one, two] = [
        await trees.make({ checkpoint: base, name: "same name" }),
        await trees.make({ checkpoint: base, name: "same name" }),
      ];
      expect(one.id).not.toBe(two.id);
      expect(one).toMatchObject({ name: "same name", baseId: base.id, sessionId: base.session_id });
      await subject.write(one.path, "a", "other\n");
      await subject.write(one.path, "new", "new\n");
      expect(await subject.read(two.path, "a")).toBe("a\n");
      expect(await subject.names(two.path)).toEqual(await subject.names(subject.root));
      expect(await subject.read(subject.root, "a")).toBe("a\n");
      expect(await subject.names(subject.root)).not.toContain("new");
    });

    it("takes any name", async () => {
      const names = ["", "../../x", "a".repeat(300), "ü/ö", "-rf", "main", "\n"];
      for (const name of names) {
        const tree = await trees.make({ checkpoint: base, name });
        expect(tree.name).toBe(name);
        expect(await subject.read(tree.path, "b")).toBe("b\n");
        await trees.remove(tree);
      }
    });

    it("removes a tree, also one that is gone", async () => {
      const tree = await trees.make({ checkpoint: base, name: "x" });
      await trees.remove(tree);
      expect(await subject.names(tree.path)).toEqual([]);
      await trees.remove(tree);
    });

    it("leaves nobody's live tree to others", async () => {
      await trees.make({ checkpoint: base, name: "x" });
      expect(await trees.leftOver()).toEqual([]);
    });

    it("names its trees until they are removed, also one whose folder is gone", async () => {
      const tree = await trees.make({ checkpoint: base, name: "x" });
      expect(await trees.waiting()).toEqual([{ ...tree, isWhole: true }]);
      expect(await trees.isThere(tree)).toBe(true);
      await rm(tree.path, { recursive: true });
      expect(await trees.isThere(tree)).toBe(false);
      expect(await trees.waiting()).toEqual([{ ...tree, isWhole: false }]);
      await trees.remove(tree);
      expect(await trees.waiting()).toEqual([]);
    });

    it("merges what fits, in memory: nothing changes in the main work tree", async () => {
      const one = await result("one", "a", "A\n");
      const two = await result("two", "c", "c\n");
      const merged = await merge(one, two);
      expect(merged).toMatchObject({ merged: ["one", "two"], conflicts: [], isChanged: true });
      expect(await subject.read(subject.root, "a")).toBe("a\n");
      expect(await subject.names(subject.root)).not.toContain("c");
    });

    it("finds nothing to do where nothing was done", async () => {
      const merged = await merge(await result("one", "a", "a\n"));
      expect(merged).toMatchObject({ merged: ["one"], conflicts: [], isChanged: false });
    });

    it("stops at the first result that does not fit, and says why", async () => {
      const results = [
        await result("one", "a", "1\n"),
        await result("two", "a", "2\n"),
        await result("three", "a", "3\n"),
      ];
      const { merged, conflicts } = await merge(...results);
      expect(merged).toEqual(["one", "two"]);
      expect(conflicts).toMatchObject([{ path: "a", why: "content", has_markers: true }]);
    });

    it("takes what the main work tree has by now for one of the sides", async () => {
      const one = await result("one", "a", "1\n");
      await subject.write(subject.root, "a", "mine\n");
      const { conflicts } = await merge(one);
      expect(conflicts.map(({ path }) => path)).toEqual(["a"]);
    });

    it("knows a file that still has markers from one that has not", async () => {
      const labels = { ours: "main", theirs: "one" };
      const paths = ["a", "b", "nowhere"] as BytePath[];
      await subject.write(subject.root, "a", "<<<<<<< main\nx\n=======\ny\n>>>>>>> one\n");
      await subject.write(subject.root, "b", "text about <<<<<<< main\n=======\n");
      expect(await trees.unresolved(paths, labels)).toEqual(["a"]);
    });
  });
}
