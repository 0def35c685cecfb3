/** What every session store has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import { newSession, type SessionDocument } from "../domain/session.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

export interface SessionStoreSubject {
  /** Empty at the beginning. */
  readonly store: SessionStore;
  /** The same storage, as another process sees it. */
  reopen(): SessionStore | Promise<SessionStore>;
  /** How many versions the journal of a session has. */
  journalLength(id: string): number | Promise<number>;
}

const AT = "2026-11-15T18:00:00.000Z";

export function session(id: string, more: Readonly<Record<string, unknown>> = {}): SessionDocument {
  return { ...newSession(id, AT), ...more };
}

export function sessionStoreSuite(make: () => Promise<SessionStoreSubject>): void {
  describe("the contract of session stores", () => {
    let subject: SessionStoreSubject;
    let store: SessionStore;

    beforeEach(async () => {
      subject = await make();
      store = subject.store;
    });

    async function begin(document: SessionDocument): Promise<StoredSession> {
      expect(await store.write(document, undefined, "begins")).toBe(true);
      return stored(document.id);
    }

    async function stored(id: string): Promise<StoredSession> {
      const found = await store.read(id);
      if (found === undefined) throw new Error(`session ${id} is not there`);
      return found;
    }

    it("has nothing at the beginning", async () => {
      expect(await store.list()).toEqual([]);
      expect(await store.read("s")).toBeUndefined();
    });

    it("gives back what was written, unknown keys too", async () => {
      const document = session("s", {
        later: { deep: [1, null, "ü\n\n{"] },
        topic: "paused 'for' \"now\"",
      });
      await begin(document);
      expect((await stored("s")).document).toEqual(document);
      expect((await (await subject.reopen()).read("s"))?.document).toEqual(document);
    });

    it("begins a session once", async () => {
      const first = await begin(session("s", { topic: "first" }));
      expect(await store.write(session("s", { topic: "second" }), undefined, "begins")).toBe(false);
      expect(await stored("s")).toEqual(first);
    });

    it("takes a change of the version that is there, and gives it a version of its own", async () => {
      const first = await begin(session("s"));
      const changed = session("s", { topic: "done" });
      expect(await store.write(changed, first.version, "done")).toBe(true);
      const second = await stored("s");
      expect(second.document).toEqual(changed);
      expect(second.version).not.toBe(first.version);
    });

    it("refuses a change of a version that is no longer there, and changes nothing", async () => {
      const first = await begin(session("s"));
      await store.write(session("s", { topic: "second" }), first.version, "second");
      const second = await stored("s");
      expect(await store.write(session("s", { topic: "third" }), first.version, "third")).toBe(
        false,
      );
      expect(await stored("s")).toEqual(second);
    });

    it("tells two versions with the same content apart", async () => {
      const first = await begin(session("s"));
      await store.write(session("s", { topic: "other" }), first.version, "away");
      const second = await stored("s");
      await store.write(session("s"), second.version, "and back");
      const third = await stored("s");
      expect(third.document).toEqual(first.document);
      expect(await store.write(session("s", { topic: "late" }), first.version, "late")).toBe(false);
      expect(await stored("s")).toEqual(third);
    });

    it("refuses a change of a session that is not there", async () => {
      const other = await begin(session("other"));
      expect(await store.write(session("s"), other.version, "change")).toBe(false);
      expect(await store.read("s")).toBeUndefined();
    });

    it("lets one of two writers win", async () => {
      const first = await begin(session("s"));
      const other = await subject.reopen();
      const results = await Promise.all([
        store.write(session("s", { topic: "mine" }), first.version, "mine"),
        other.write(session("s", { topic: "theirs" }), first.version, "theirs"),
      ]);
      expect(results.toSorted()).toEqual([false, true]);
      const winner = results[0] ? "mine" : "theirs";
      expect((await stored("s")).document.topic).toBe(winner);
    });

    it("lets one of two win that begin the same session", async () => {
      const other = await subject.reopen();
      const results = await Promise.all([
        store.write(session("s", { topic: "mine" }), undefined, "mine"),
        other.write(session("s", { topic: "theirs" }), undefined, "theirs"),
      ]);
      expect(results.toSorted()).toEqual([false, true]);
      const winner = results[0] ? "mine" : "theirs";
      expect((await stored("s")).document.topic).toBe(winner);
    });

    it("shows this process what another one wrote meanwhile", async () => {
      const first = await begin(session("s"));
      const other = await subject.reopen();
      await other.write(session("s", { topic: "theirs" }), first.version, "theirs");
      expect((await stored("s")).document.topic).toBe("theirs");
      expect((await store.list()).map(({ document }) => document.topic)).toEqual(["theirs"]);
    });

    it("lists every session with its version", async () => {
      const all = [
        await begin(session("a")),
        await begin(session("ab", { topic: "x\0y" })),
        await begin(session("b-c")),
      ];
      const listed = await store.list();
      expect(listed.toSorted((l, r) => (l.document.id < r.document.id ? -1 : 1))).toEqual(all);
    });

    it("keeps the last of several passing versions, and every other one", async () => {
      let last = await begin(session("s"));
      const write = async (topic: string, message: string, passing: boolean): Promise<void> => {
        expect(await store.write(session("s", { topic }), last.version, message, { passing })).toBe(
          true,
        );
        last = await stored("s");
        expect(last.document.topic).toBe(topic);
      };
      for (let number = 1; number <= 5; number++) await write(`alive ${number}`, "alive", true);
      expect(await subject.journalLength("s")).toBe(2);
      await write("a step", "step", false);
      expect(await subject.journalLength("s")).toBe(3);
      for (let number = 6; number <= 8; number++) await write(`alive ${number}`, "alive", true);
      expect(await subject.journalLength("s")).toBe(4);
      await write("alive otherwise", "otherwise", true);
      expect(await subject.journalLength("s")).toBe(5);
    });

    it("refuses a passing version after another, like any", async () => {
      const first = await begin(session("s"));
      await store.write(session("s", { topic: "1" }), first.version, "alive", { passing: true });
      const second = await stored("s");
      await store.write(session("s", { topic: "2" }), second.version, "alive", { passing: true });
      const third = await stored("s");
      for (const stale of [first, second]) {
        const late = session("s", { topic: "late" });
        expect(await store.write(late, stale.version, "alive", { passing: true })).toBe(false);
        expect(await store.write(late, stale.version, "late")).toBe(false);
      }
      expect(await stored("s")).toEqual(third);
    });

    it("loses no change of many writers at once", async () => {
      await begin(session("s", { count: 0 }));
      const others = await Promise.all([1, 2, 3, 4].map(async () => subject.reopen()));
      const add = async (own: SessionStore): Promise<void> => {
        for (let done = 0; done < 3;) {
          const found = await own.read("s");
          if (found === undefined) throw new Error("the session is gone");
          const count = Number(found.document["count"]) + 1;
          if (await own.write(session("s", { count }), found.version, `${count}`)) done++;
        }
      };
      await Promise.all(others.map(add));
      expect((await stored("s")).document["count"]).toBe(12);
      expect(await subject.journalLength("s")).toBe(13);
    });

    it("takes a large document", async () => {
      const large = session("s", { outputs: "ünïcode \n".repeat(400_000) });
      await begin(large);
      expect((await (await subject.reopen()).read("s"))?.document).toEqual(large);
      expect((await store.list()).map(({ document }) => document)).toEqual([large]);
    });

    it("refuses one that a newer version wrote, and shows the others", async () => {
      await begin(session("good"));
      await store.write(session("newer", { schema_version: 2 }), undefined, "from the future");
      await expect(store.read("newer")).rejects.toMatchObject({ code: "checkpoint_newer" });
      expect((await store.list()).map(({ document }) => document.id)).toEqual(["good"]);
    });

    it("removes the version that it was told, and no other", async () => {
      const first = await begin(session("s"));
      await begin(session("other"));
      await store.write(session("s", { topic: "second" }), first.version, "second");
      const second = await stored("s");
      expect(await store.remove("s", first.version)).toBe(false);
      expect(await stored("s")).toEqual(second);
      expect(await store.remove("s", second.version)).toBe(true);
      expect(await store.read("s")).toBeUndefined();
      expect((await store.list()).map(({ document }) => document.id)).toEqual(["other"]);
      expect(await store.remove("s", second.version)).toBe(false);
      await begin(session("s", { topic: "again" }));
    });

    it("does not take one session for another whose name begins the same", async () => {
      await begin(session("task-12"));
      expect(await store.read("task-1")).toBeUndefined();
      expect(await store.read("task-123")).toBeUndefined();
      expect(await store.read("task-12/a")).toBeUndefined();
    });
  });
}
