/** What every checkpoint store has to do. Each adapter's test runs it. */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { sampleDocument } from "../domain/checkpoint.fixture.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { withChecksum } from "../domain/document-text.ts";
import type { CheckpointStore, Draft, Integrity, StoredCheckpoint } from "./checkpoint-store.ts";
import type { Capture } from "./work-tree.ts";

export interface CheckpointStoreSubject {
  /** Empty at the beginning. */
  readonly store: CheckpointStore;
  /** A capture of a project that holds this text. */
  newCapture(contentText: string): Promise<Capture>;
  /** The same storage, as another process sees it. */
  reopen(): CheckpointStore | Promise<CheckpointStore>;
  /** Makes the document unreadable. */
  breakCheckpoint(id: string): void | Promise<void>;
  /** Leaves the document readable and takes away something that the checkpoint holds. */
  breakContent(id: string): void | Promise<void>;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A draft whose document fits its capture. Unknown fields are welcome. */
export function draftOf(
  id: string,
  capture: Capture,
  more: Readonly<Record<string, unknown>> = {},
): Draft {
  const { part, local } = capture.stored;
  const document = {
    ...sampleDocument({ id }),
    git: capture.git,
    parts: [part],
    ...(local === undefined ? {} : { local }),
    coverage: capture.coverage,
    sameness: capture.sameness,
    content_hash: capture.contentHash,
    ...more,
  };
  return { document: withChecksum(document, sha256), capture, keepAlive: [] };
}

const SOUND = { file: true, hash: true, git: true, state: true, problems: [] };

const byId = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
  items.toSorted((left, right) => (left.id < right.id ? -1 : 1));

const isSound = ({ file, hash, git, state }: Integrity): boolean => file && hash && git && state;

export function checkpointStoreSuite(make: () => Promise<CheckpointStoreSubject>): void {
  describe("the contract of checkpoint stores", () => {
    let subject: CheckpointStoreSubject;
    let store: CheckpointStore;

    beforeEach(async () => {
      subject = await make();
      store = subject.store;
    });

    /** Publishes one checkpoint and returns its document. */
    async function publish(
      id: string,
      more: Readonly<Record<string, unknown>> = {},
    ): Promise<CheckpointDocument> {
      const draft = draftOf(id, await subject.newCapture(`content of ${id}`), more);
      expect(await store.publish(draft)).toEqual({ kind: "published" });
      return draft.document;
    }

    const ok = (document: CheckpointDocument): StoredCheckpoint => ({
      kind: "ok",
      id: document.id,
      document,
    });

    it("has nothing at the beginning", async () => {
      expect(await store.list()).toEqual([]);
      expect(await store.read("cp-a")).toBeUndefined();
      expect(await store.verify()).toEqual([]);
      expect(await store.listTrash()).toEqual([]);
      expect(await store.remove(["cp-a"])).toEqual([]);
      expect(await store.trash(["cp-a"])).toEqual([]);
      expect(await store.restore(["cp-a"])).toEqual([]);
    });

    it("gives back every document as it was published", async () => {
      const first = await publish("cp-a", { seq: 1 });
      const second = await publish("cp-b", { seq: 2, previous_id: "cp-a" });
      expect(byId(await store.list())).toEqual([ok(first), ok(second)]);
      expect(await store.read("cp-a")).toEqual(ok(first));
      expect(await store.read("cp-b")).toEqual(ok(second));
    });

    it("keeps fields that it does not know, at every depth", async () => {
      const document = await publish("cp-a", {
        later: { version: [1, null, { x: "y" }] },
        metrics: { "key with spaces": 0.1, nested: { deep: [] } },
      });
      expect(await store.list()).toEqual([ok(document)]);
      expect(document).toHaveProperty("later.version");
    });

    it("keeps every text, whatever it holds", async () => {
      const document = await publish("cp-a", {
        reason: 'two\nlines\n\n{"schema_version": 7}\r\n\ttab, ünïcödé 日本 😀 \'quotes\' "\\',
        description: "-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n\n\n",
        name: "a".repeat(5000),
        metrics: { half: "\ud800", escape: "\u001b[31m", separator: "\u2028", empty: "" },
      });
      expect(await store.read("cp-a")).toEqual(ok(document));
      expect(await store.list()).toEqual([ok(document)]);
    });

    it("shows another process what was published", async () => {
      const document = await publish("cp-a");
      const other = await subject.reopen();
      expect(await other.list()).toEqual([ok(document)]);
      expect(await other.read("cp-a")).toEqual(ok(document));
      expect(await other.verify()).toEqual([{ id: "cp-a", ...SOUND }]);
    });

    it("shows this process what another one did meanwhile", async () => {
      await publish("cp-a");
      expect(await store.list()).toHaveLength(1);
      const other = await subject.reopen();
      await other.remove(["cp-a"]);
      const draft = draftOf("cp-b", await subject.newCapture("b"));
      expect(await other.publish(draft)).toEqual({ kind: "published" });
      expect(await store.list()).toEqual([ok(draft.document)]);
      expect(await store.read("cp-a")).toBeUndefined();
      expect(await store.read("cp-b")).toEqual(ok(draft.document));
    });

    it("gives an id once: the second is told so and the first stays", async () => {
      const first = await publish("cp-a", { reason: "first" });
      const second = draftOf("cp-a", await subject.newCapture("other"), { reason: "second" });
      expect(await store.publish(second)).toEqual({ kind: "id_taken" });
      expect(await store.list()).toEqual([ok(first)]);
      expect(await store.verify()).toEqual([{ id: "cp-a", ...SOUND }]);
    });

    it("gives an id once when two want it at the same moment", async () => {
      const other = await subject.reopen();
      const one = draftOf("cp-a", await subject.newCapture("same"), { reason: "one" });
      const two = draftOf("cp-a", await subject.newCapture("same"), { reason: "two" });
      const results = await Promise.all([store.publish(one), other.publish(two)]);
      expect(results.map((result) => result.kind).sort()).toEqual(["id_taken", "published"]);
      const winner = results[0]?.kind === "published" ? one : two;
      expect(await store.list()).toEqual([ok(winner.document)]);
    });

    it("keeps two checkpoints of the same content apart", async () => {
      const first = draftOf("cp-a", await subject.newCapture("same"));
      await store.publish(first);
      const second = draftOf("cp-b", await subject.newCapture("same"));
      await store.publish(second);
      expect(await store.remove(["cp-a"])).toEqual(["cp-a"]);
      expect(await store.list()).toEqual([ok(second.document)]);
      expect(await store.verify()).toEqual([{ id: "cp-b", ...SOUND }]);
    });

    it("shows nothing of a capture that was discarded", async () => {
      const capture = await subject.newCapture("never mind");
      capture.discard();
      expect(await store.list()).toEqual([]);
      expect(await (await subject.reopen()).list()).toEqual([]);
    });

    it("removes one and leaves the others", async () => {
      await publish("cp-a");
      const second = await publish("cp-b");
      await publish("cp-b-longer");
      expect(await store.remove(["cp-a"])).toEqual(["cp-a"]);
      expect(await store.remove(["cp-a"])).toEqual([]);
      expect(await store.remove(["cp-b-longer"])).toEqual(["cp-b-longer"]);
      expect(await store.read("cp-a")).toBeUndefined();
      expect(await store.list()).toEqual([ok(second)]);
    });

    it("knows no checkpoint by a name that means something else to a file system or to git", async () => {
      await publish("cp-a");
      for (const id of ["", "..", "cp-a/b", "cp-a~1", "cp-a^{tree}", "*", "cp-?", "cp a", "CP-A"]) {
        expect({ id, found: await store.read(id) }).toEqual({ id, found: undefined });
        expect(await store.verify([id])).toMatchObject([{ id, file: false }]);
      }
    });

    it("lists a damaged one as damaged, and it does not hide the others", async () => {
      const first = await publish("cp-a");
      await publish("cp-b");
      const third = await publish("cp-c");
      await subject.breakCheckpoint("cp-b");
      const damaged = { kind: "damaged", id: "cp-b", problem: expect.stringMatching(/./) };
      for (const one of [store, await subject.reopen()]) {
        expect(byId(await one.list())).toEqual([ok(first), damaged, ok(third)]);
        expect(await one.read("cp-b")).toEqual(damaged);
        expect(await one.read("cp-c")).toEqual(ok(third));
      }
    });

    it("verifies a damaged one as such, and the others as sound", async () => {
      await publish("cp-a");
      await publish("cp-b");
      await subject.breakCheckpoint("cp-a");
      const [broken, sound] = byId(await store.verify());
      expect(broken?.id).toBe("cp-a");
      expect(broken?.hash).toBe(false);
      expect(broken?.problems.length).toBeGreaterThan(0);
      expect(sound).toEqual({ id: "cp-b", ...SOUND });
    });

    it("removes a damaged one too", async () => {
      await publish("cp-a");
      await subject.breakCheckpoint("cp-a");
      expect(await store.remove(["cp-a"])).toEqual(["cp-a"]);
      expect(await store.list()).toEqual([]);
    });

    it("removes many in one step, and says which of them were there", async () => {
      await publish("cp-a");
      await publish("cp-b");
      const third = await publish("cp-c");
      expect((await store.remove(["cp-a", "cp-none", "cp-b", "cp-a"])).sort()).toEqual([
        "cp-a",
        "cp-b",
      ]);
      expect(await store.list()).toEqual([ok(third)]);
    });

    it("[R38] does not know a checkpoint in the trash, and brings it back as it was", async () => {
      const first = await publish("cp-a");
      const second = await publish("cp-b");
      expect(await store.trash(["cp-a", "cp-none"])).toEqual(["cp-a"]);
      for (const one of [store, await subject.reopen()]) {
        expect(await one.list()).toEqual([ok(second)]);
        expect(await one.read("cp-a")).toBeUndefined();
        expect(await one.verify()).toEqual([{ id: "cp-b", ...SOUND }]);
        expect(await one.listTrash()).toEqual([ok(first)]);
      }
      expect(await store.trash(["cp-a"])).toEqual([]);
      expect(await store.restore(["cp-a", "cp-b"])).toEqual(["cp-a"]);
      expect(byId(await store.list())).toEqual([ok(first), ok(second)]);
      expect(await store.listTrash()).toEqual([]);
      expect(byId(await store.verify())).toEqual([
        { id: "cp-a", ...SOUND },
        { id: "cp-b", ...SOUND },
      ]);
    });

    it.each(["remove", "purge"] as const)("can %s what is in the trash", async (how) => {
      await publish("cp-a");
      await store.trash(["cp-a"]);
      expect(await store[how](["cp-a", "cp-none"])).toEqual(["cp-a"]);
      expect(await store.listTrash()).toEqual([]);
      expect(await store.restore(["cp-a"])).toEqual([]);
      expect(await store[how](["cp-a"])).toEqual([]);
    });

    it("purges the trash only: one of the same id in the list stays", async () => {
      await publish("cp-a");
      await store.trash(["cp-a"]);
      const again = draftOf("cp-a", await subject.newCapture("again"));
      expect(await store.publish(again)).toEqual({ kind: "published" });
      expect(await store.purge(["cp-a"])).toEqual([]);
      expect(await store.listTrash()).toEqual([]);
      expect(await store.list()).toEqual([ok(again.document)]);
    });

    it("brings nothing back in the place of another one of the same id", async () => {
      await publish("cp-a", { reason: "first" });
      await store.trash(["cp-a"]);
      const second = draftOf("cp-a", await subject.newCapture("other"), { reason: "second" });
      expect(await store.publish(second)).toEqual({ kind: "published" });
      expect(await store.restore(["cp-a"])).toEqual([]);
      expect(await store.list()).toEqual([ok(second.document)]);
      expect(await store.listTrash()).toHaveLength(1);
    });

    it("keeps a damaged one in the trash as damaged", async () => {
      await publish("cp-a");
      await subject.breakCheckpoint("cp-a");
      expect(await store.trash(["cp-a"])).toEqual(["cp-a"]);
      expect(await store.listTrash()).toMatchObject([{ kind: "damaged", id: "cp-a" }]);
    });

    it("moves each of them once when two want to at the same moment", async () => {
      await publish("cp-a");
      await publish("cp-b");
      const other = await subject.reopen();
      const moved = await Promise.all([
        store.trash(["cp-a", "cp-b"]),
        other.trash(["cp-b", "cp-a"]),
      ]);
      expect(moved.flat().sort()).toEqual(["cp-a", "cp-b"]);
      expect(await store.listTrash()).toHaveLength(2);
    });

    it("calls a document damaged whose checksum is wrong", async () => {
      const draft = draftOf("cp-a", await subject.newCapture("x"));
      const document = { ...draft.document, reason: "changed since" };
      await store.publish({ ...draft, document });
      expect(await store.read("cp-a")).toMatchObject({ kind: "damaged", id: "cp-a" });
      expect(await store.verify()).toMatchObject([{ id: "cp-a", file: true, hash: false }]);
    });

    it("lists one of a newer version as newer, and it does not hide the others", async () => {
      await publish("cp-a", { schema_version: 2 });
      const second = await publish("cp-b");
      const newer = { kind: "newer", id: "cp-a", version: 2 };
      expect(byId(await store.list())).toEqual([newer, ok(second)]);
      expect(await store.read("cp-a")).toEqual(newer);
      const [first, sound] = byId(await store.verify());
      expect(first === undefined || isSound(first)).toBe(false);
      expect(sound).toEqual({ id: "cp-b", ...SOUND });
    });

    it("verifies what was asked for, in that order, and everything when nothing was", async () => {
      await publish("cp-a");
      await publish("cp-b");
      await publish("cp-c");
      expect(await store.verify(["cp-c", "cp-a"])).toEqual([
        { id: "cp-c", ...SOUND },
        { id: "cp-a", ...SOUND },
      ]);
      expect(await store.verify([])).toEqual([]);
      expect(byId(await store.verify()).map(({ id }) => id)).toEqual(["cp-a", "cp-b", "cp-c"]);
    });

    it("verifies what is not there as not there", async () => {
      const [missing] = await store.verify(["cp-none"]);
      expect(missing).toMatchObject({ id: "cp-none", file: false, hash: false, git: false });
      expect(missing?.problems.length).toBeGreaterThan(0);
    });

    it("finds content that is gone, although the document can be read", async () => {
      const first = await publish("cp-a");
      await publish("cp-b");
      await subject.breakContent("cp-a");
      expect(await store.read("cp-a")).toEqual(ok(first));
      // A process that already had it open may still see it.
      const [broken, sound] = byId(await (await subject.reopen()).verify());
      expect(broken).toMatchObject({ id: "cp-a", file: true, hash: true, git: false });
      expect(broken?.problems.length).toBeGreaterThan(0);
      expect(sound).toEqual({ id: "cp-b", ...SOUND });
    });
  });
}
