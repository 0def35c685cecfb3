import { copyFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deleteObject } from "../../../test/support/damage.ts";
import { Failure } from "../../domain/failure.ts";
import { session, sessionStoreSuite } from "../../ports/session-store.suite.ts";
import { GitSessionStore } from "./git-session-store.ts";
import {
  openAt,
  openedPlainFolder,
  openedRepository,
  waitForRefLocks,
  type OpenedRepository,
} from "./temp-repository.fixture.ts";

async function makeSubject(...initArgs: string[]) {
  return await subjectOf(await openedRepository(...initArgs));
}

async function subjectOf({ repo, repository, reader }: OpenedRepository) {
  await waitForRefLocks(repo);
  return {
    repo,
    store: new GitSessionStore(repository, reader),
    reopen: async () => {
      const opened = await openAt(repo.root);
      return new GitSessionStore(opened.repository, opened.reader);
    },
    journalLength: async (id: string) =>
      Number(await repo.store("rev-list", "--count", `refs/waymark/session/${id}`)),
  };
}

describe("GitSessionStore", () => {
  sessionStoreSuite(() => makeSubject());
});

describe("GitSessionStore in a plain folder", () => {
  sessionStoreSuite(async () => await subjectOf(await openedPlainFolder()));
});

describe("a session in git", () => {
  it("is not called damaged when it began while others were listed", async () => {
    const { repo, store } = await makeSubject();
    await store.write(session("s"), undefined, "begins");
    const fileOf = (id: string): string => repo.storePath(`refs/waymark/session/${id}`);
    const listed = store.listAll();
    // Their refs were read by now, and their commits were not.
    copyFileSync(fileOf("s"), fileOf("later"));
    expect(await listed).toMatchObject({ sessions: [{ document: { id: "s" } }], unreadable: [] });
    writeFileSync(fileOf("later"), "");
    expect((await store.listAll()).unreadable).toMatchObject([{ code: "session_damaged" }]);
  });

  it("is a chain of commits: `git log` is its journal", async () => {
    const { repo, store } = await makeSubject();
    await store.write(session("s"), undefined, "session s begins");
    await store.write(session("s", { n: 1 }), (await store.read("s"))?.version, "rollback to a");
    await store.write(session("s", { n: 2 }), (await store.read("s"))?.version, "undo to b");
    expect(await repo.store("log", "--format=%s", "refs/waymark/session/s")).toBe(
      "undo to b\nrollback to a\nsession s begins\n",
    );
  });

  it("keeps every version through `git gc --prune=now`", async () => {
    const { repo, store } = await makeSubject("--object-format=sha256");
    await store.write(session("s", { n: 1 }), undefined, "one");
    await store.write(session("s", { n: 2 }), (await store.read("s"))?.version, "two");
    await repo.git("gc", "-q", "--prune=now");
    expect(await repo.store("log", "-1", "--format=%b", "refs/waymark/session/s~1")).toContain(
      '"n": 1',
    );
    expect(await repo.store("fsck", "--strict")).toBe("");
  });

  it("can be brought back by plain git after it was removed", async () => {
    const { repo, store } = await makeSubject();
    await store.write(session("s", { n: 1 }), undefined, "one");
    const found = await store.read("s");
    expect(await store.remove("s", found?.version ?? "")).toBe(true);
    await repo.store("update-ref", "refs/waymark/session/s", found?.version ?? "");
    expect(await store.read("s")).toEqual(found);
  });

  it("shows signs of life once in `git log`, and does not fill the folder of packs", async () => {
    const { repo, store } = await makeSubject();
    await store.write(session("s"), undefined, "session s begins");
    for (let n = 0; n < 30; n++) {
      const version = (await store.read("s"))?.version;
      await store.write(session("s", { n }), version, "heartbeat", { passing: true });
    }
    expect(await repo.store("log", "--format=%s", "refs/waymark/session/s")).toBe(
      "heartbeat\nsession s begins\n",
    );
    expect(await repo.store("fsck", "--strict", "--no-dangling")).toBe("");
    const counted = await repo.store("count-objects", "-v");
    expect(Number(/packs: (\d+)/.exec(counted)?.[1])).toBeLessThan(25);
  });

  it("is refused as damaged when it cannot be read, with what to do", async () => {
    const { repo, store } = await makeSubject();
    await store.write(session("s"), undefined, "begins");
    const commit = await repo.store(
      "commit-tree",
      "-m",
      "garbage",
      "refs/waymark/session/s^{tree}",
    );
    await repo.store("update-ref", "refs/waymark/session/s", commit.trim());
    const error: unknown = await store.read("s").catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ code: "session_damaged" });
    expect(error).toHaveProperty("hint", expect.stringContaining("refs/waymark/session/s"));
  });

  // One bad session stops `create`, `list` and `rollback` in every work tree.
  it("does not hide the others when its commit is missing", async () => {
    const { repo, store, reopen } = await makeSubject();
    await store.write(session("bad"), undefined, "begins");
    await store.write(session("good"), undefined, "begins");
    await deleteObject(repo, (await repo.store("rev-parse", "refs/waymark/session/bad")).trim());
    const listed = await (await reopen()).list();
    expect(listed.map(({ document }) => document.id)).toContain("good");
  });
});

describe("the name of a session in git", () => {
  it("can be any word", async () => {
    const { store } = await makeSubject();
    await store.write(session("ünïcödé_2"), undefined, "begins");
    expect((await store.read("ünïcödé_2"))?.document.id).toBe("ünïcödé_2");
    expect(await store.list()).toHaveLength(1);
  });

  // `--session worktree-main~1` reads the journal as it was one change ago.
  it("does not mean an older version or a part of one", async () => {
    const { store } = await makeSubject();
    await store.write(session("s"), undefined, "one");
    await store.write(session("s", { n: 2 }), (await store.read("s"))?.version, "two");
    for (const id of ["s~1", "s^", "s^{tree}", "s@{0}", "s:", "../session/s", ""]) {
      const found = await store.read(id).catch(() => undefined);
      expect({ id, found }).toEqual({ id, found: undefined });
    }
  });

  // Rule 13: `task-12` must not block `task-12/a`, and git refuses names such as `x.lock`.
  it.each(["task-12/a", "x.lock", "with space", "a..b", "a~b", ".hidden", "x".repeat(300)])(
    "can be %j",
    async (id) => {
      const { store } = await makeSubject();
      await store.write(session("task-12"), undefined, "begins");
      expect(await store.write(session(id), undefined, "begins")).toBe(true);
      expect((await store.read(id))?.document.id).toBe(id);
      expect(await store.list()).toHaveLength(2);
    },
  );
});
