/** What every session store has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import { newSession, type SessionDocument } from "../domain/session.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

export interface SessionStoreSubject {
  /** Empty at the beginning. */
  readonly store: SessionStore;
  /** The same storage, as another process sees it. */
  reopen(): SessionStore | Promise<SessionStore>;
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
        status: "paused 'for' \"now\"",
      });
      await begin(document);
      expect((await stored("s")).document).toEqual(document);
      expect((await (await subject.reopen()).read("s"))?.document).toEqual(document);
    });

    it("begins a session once", async () => {
      const first = await begin(session("s", { status: "first" }));
      expect(await store.write(session("s", { status: "second" }), undefined, "begins")).toBe(
        false,
      );
      expect(await stored("s")).toEqual(first);
    });

    it("takes a change of the version that is there, and gives it a version of its own", async () => {
      const first = await begin(session("s"));
      const changed = session("s", { status: "done" });
      expect(await store.write(changed, first.version, "done")).toBe(true);
      const second = await stored("s");
      expect(second.document).toEqual(changed);
      expect(second.version).not.toBe(first.version);
    });

    it("refuses a change of a version that is no longer there, and changes nothing", async () => {
      const first = await begin(session("s"));
      await store.write(session("s", { status: "second" }), first.version, "second");
      const second = await stored("s");
      expect(await store.write(session("s", { status: "third" }), first.version, "third")).toBe(
        false,
      );
      expect(await stored("s")).toEqual(second);
    });

    it("tells two versions with the same content apart", async () => {
      const first = await begin(session("s"));
      await store.write(session("s", { status: "other" }), first.version, "away");
      const second = await stored("s");
      await store.write(session("s"), second.version, "and back");
      const third = await stored("s");
      expect(third.document).toEqual(first.document);
      expect(await store.write(session("s", { status: "late" }), first.version, "late")).toBe(
        false,
      );
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
        store.write(session("s", { status: "mine" }), first.version, "mine"),
        other.write(session("s", { status: "theirs" }), first.version, "theirs"),
      ]);
      expect(results.toSorted()).toEqual([false, true]);
      const winner = results[0] ? "mine" : "theirs";
      expect((await stored("s")).document.status).toBe(winner);
    });

    it("lets one of two win that begin the same session", async () => {
      const other = await subject.reopen();
      const results = await Promise.all([
        store.write(session("s", { status: "mine" }), undefined, "mine"),
        other.write(session("s", { status: "theirs" }), undefined, "theirs"),
      ]);
      expect(results.toSorted()).toEqual([false, true]);
      const winner = results[0] ? "mine" : "theirs";
      expect((await stored("s")).document.status).toBe(winner);
    });

    it("shows this process what another one wrote meanwhile", async () => {
      const first = await begin(session("s"));
      const other = await subject.reopen();
      await other.write(session("s", { status: "theirs" }), first.version, "theirs");
      expect((await stored("s")).document.status).toBe("theirs");
      expect((await store.list()).map(({ document }) => document.status)).toEqual(["theirs"]);
    });

    it("lists every session with its version", async () => {
      const all = [
        await begin(session("a")),
        await begin(session("ab", { status: "x\0y" })),
        await begin(session("b-c")),
      ];
      const listed = await store.list();
      expect(listed.toSorted((l, r) => (l.document.id < r.document.id ? -1 : 1))).toEqual(all);
    });

    it("does not take one session for another whose name begins the same", async () => {
      await begin(session("task-12"));
      expect(await store.read("task-1")).toBeUndefined();
      expect(await store.read("task-123")).toBeUndefined();
      expect(await store.read("task-12/a")).toBeUndefined();
    });
  });
}
