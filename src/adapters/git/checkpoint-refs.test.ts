import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import { deadIdentity } from "../files/process-identity.fixture.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { sweepQuarantine } from "./quarantine.ts";
import { OWN_REFS } from "./ref-names.ts";
import { openAt, openedRepository } from "./temp-repository.fixture.ts";

async function makeSubject(tags = false) {
  const options = tags ? { tagUnlessHeld: () => Promise.resolve(undefined) } : {};
  const { repo, repository, reader } = await openedRepository();
  await repo.commit("base");
  const store = new GitCheckpointStore(repository, reader, options);
  const workTree = new GitWorkTree(repository, reader);
  return {
    repo,
    repository,
    store,
    take: async (id: string, more: Readonly<Record<string, unknown>> = {}) => {
      await repo.write("file.txt", id);
      const capture = await workTree.capture({ policy: DEFAULT_POLICY });
      return await store.publish(draftOf(id, capture, more));
    },
    /** As another process, which has nothing open, sees it. */
    reopen: async () => {
      const opened = await openAt(repo.root);
      return new GitCheckpointStore(opened.repository, opened.reader, options);
    },
    refs: async (under: string): Promise<string[]> => {
      const args = ["for-each-ref", "--format=%(objecttype) %(refname)", under];
      const found = await (under.startsWith(OWN_REFS) ? repo.store(...args) : repo.git(...args));
      return found.split("\n").filter(Boolean);
    },
    idOf: async (name: string): Promise<string> =>
      (
        await (name.startsWith(OWN_REFS)
          ? repo.store("rev-parse", name)
          : repo.git("rev-parse", name))
      ).trim(),
  };
}

describe("the trash in git", () => {
  it("is a ref to the same commit, and the one of the checkpoint no longer exists", async () => {
    const { take, store, refs, idOf } = await makeSubject();
    await take("cp-a");
    const commit = await idOf("refs/waymark/cp/cp-a");
    await store.trash(["cp-a"]);
    expect(await refs("refs/waymark")).toEqual(["commit refs/waymark/trash/cp-a"]);
    expect(await idOf("refs/waymark/trash/cp-a")).toBe(commit);
  });

  it("survives `git gc --prune=now`; what was removed for good does not", async () => {
    const { repo, take, store, reopen, idOf } = await makeSubject();
    await take("cp-a");
    await take("cp-b");
    const [kept, gone] = [
      await idOf("refs/waymark/cp/cp-a:worktree/file.txt"),
      await idOf("refs/waymark/cp/cp-b:worktree/file.txt"),
    ];
    await store.trash(["cp-a"]);
    await store.remove(["cp-b"], { frees: true });
    await repo.write("file.txt", "neither");
    await repo.git("gc", "-q", "--prune=now");
    expect((await repo.store("cat-file", "-t", kept)).trim()).toBe("blob");
    expect((await repo.tryStore(["cat-file", "-e", gone])).code).not.toBe(0);
    const later = await reopen();
    expect(await later.restore(["cp-a"])).toEqual(["cp-a"]);
    expect(await later.verify()).toMatchObject([{ id: "cp-a", git: true, problems: [] }]);
  });

  it("is not for a checkpoint whose commit is gone or flipped; that one can only be removed", async () => {
    const { repo, take, reopen, refs, idOf } = await makeSubject();
    await take("cp-a");
    await take("cp-b");
    await deleteObject(repo, await idOf("refs/waymark/cp/cp-a"));
    await flipByteOfObject(repo, await idOf("refs/waymark/cp/cp-b"));
    const store = await reopen();
    expect(await store.trash(["cp-a", "cp-b"])).toEqual([]);
    expect((await store.remove(["cp-a", "cp-b"])).sort()).toEqual(["cp-a", "cp-b"]);
    expect(await refs("refs/waymark")).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it.each(["", "garbage\n", `${"0".repeat(40)}\n`])(
    "is not for a checkpoint whose ref's file says %j; that one can only be removed",
    async (text) => {
      const { repo, take, store } = await makeSubject();
      await take("cp-a");
      const path = repo.storePath("refs/waymark/cp/cp-a");
      await chmod(path, 0o644);
      await writeFile(path, text);
      expect(await store.trash(["cp-a"])).toEqual([]);
      expect(await store.remove(["cp-a"])).toEqual(["cp-a"]);
      expect(await store.list()).toEqual([]);
      expect(existsSync(path)).toBe(false);
    },
  );

  it("is moved to in one step: a ref that cannot be locked leaves all of them", async () => {
    const { repo, take, store } = await makeSubject();
    await take("cp-a");
    await take("cp-b");
    await writeFile(repo.storePath("refs/waymark/cp/cp-b.lock"), "somebody's\n");
    await expect(store.trash(["cp-a", "cp-b"])).rejects.toMatchObject({ code: "repository_busy" });
    expect(await store.list()).toHaveLength(2);
    expect(await store.listTrash()).toEqual([]);
  });

  it("is free again of locks that a killed deletion left", async () => {
    const { repository, take, store, repo } = await makeSubject();
    await take("cp-a");
    const lock = repo.storePath("refs/waymark/cp/cp-a.lock");
    await writeFile(lock, "");
    const folder = join(repository.sharedDir, "quarantine", "dead");
    await mkdir(folder, { recursive: true });
    const owner = { ...deadIdentity(), keeps: [], refLocks: [{ path: lock, oid: "" }] };
    await writeFile(join(folder, "owner.json"), JSON.stringify(owner));
    sweepQuarantine(repository);
    expect(await store.trash(["cp-a"])).toEqual(["cp-a"]);
  });
});

describe("tags of checkpoints", () => {
  it("are not there unless they are asked for", async () => {
    const { take, refs } = await makeSubject(false);
    await take("cp-a");
    expect(await refs("refs/tags")).toEqual([]);
  });

  it("[R42] come and go with the checkpoint", async () => {
    const { repo, take, store, refs, idOf } = await makeSubject(true);
    await take("cp-a", { phase: "implement", trigger: "pre_phase" });
    const name = "refs/tags/waymark/implement/pre_phase/cp-a";
    expect(await refs("refs/tags")).toEqual([`tag ${name}`]);
    expect(await idOf(`${name}^{commit}`)).toBe(await idOf("refs/waymark/cp/cp-a"));
    const object = await idOf(name);
    await repo.git("fsck", "--strict", "--full");
    await store.trash(["cp-a"]);
    expect(await refs("refs/tags")).toEqual([]);
    await store.restore(["cp-a"]);
    expect(await idOf(name)).toBe(object);
    await store.remove(["cp-a"]);
    expect(await refs("refs")).toEqual(["commit refs/heads/main", "commit refs/waymark/keep/1"]);
  });

  it("have names that git takes, whatever the phase is called", async () => {
    const { take, refs } = await makeSubject(true);
    const odd = ["Über/../prüfung.lock", "実装", "", "-x", "a b\n~^:?*[\\", "HEAD", ".", "@{1}"];
    for (const [at, phase] of odd.entries()) {
      expect(await take(`cp-${at}`, { phase })).toEqual({ kind: "published" });
    }
    await take("cp-named", { name: "by name" });
    await take("cp-bare");
    const tags = await refs("refs/tags");
    expect(tags).toHaveLength(odd.length + 2);
    expect(tags).toContain("tag refs/tags/waymark/by-name/manual/cp-named");
    expect(tags).toContain("tag refs/tags/waymark/none/manual/cp-bare");
  });

  it("are no part of safety checkpoints", async () => {
    const { take, refs } = await makeSubject(true);
    await take("cp-a", { trigger: "pre_rollback" });
    expect(await refs("refs/tags")).toEqual([]);
  });

  it("need no identity, are not signed and fire no hook", async () => {
    const { repo, take, store } = await makeSubject(true);
    for (const [name, value] of [
      ["user.useConfigOnly", "true"],
      ["tag.gpgSign", "true"],
      ["tag.forceSignAnnotated", "true"],
      ["gpg.program", "false"],
    ] as const) {
      await repo.git("config", name, value);
    }
    const fired = join(repo.base, "fired");
    await repo.write(
      ".git/hooks/reference-transaction",
      `#!/bin/sh\necho fired >'${fired}'\n`,
      0o755,
    );
    await take("cp-a");
    await store.trash(["cp-a"]);
    await store.restore(["cp-a"]);
    expect(existsSync(fired)).toBe(false);
    const tag = await repo.git("cat-file", "tag", "refs/tags/waymark/none/manual/cp-a");
    expect(tag).not.toContain("BEGIN");
  });

  it("[R42] that are in the way of ours are no reason to fail, and stay", async () => {
    const { repo, take, store, refs, idOf } = await makeSubject(true);
    await repo.git("tag", "waymark");
    expect(await take("cp-a")).toEqual({
      kind: "published",
      warnings: [expect.stringContaining("refs/tags/waymark/none/manual/cp-a")],
    });
    expect(await store.verify()).toMatchObject([{ id: "cp-a", git: true }]);
    await store.trash(["cp-a"]);
    expect(await store.restore(["cp-a"])).toEqual(["cp-a"]);
    expect(await refs("refs/tags")).toEqual(["commit refs/tags/waymark"]);
    expect(await idOf("refs/tags/waymark")).toBe(await idOf("HEAD"));
  });

  it("do not stop an id from being given once", async () => {
    const { take, refs } = await makeSubject(true);
    await take("cp-a");
    expect(await take("cp-a")).toEqual({ kind: "id_taken" });
    expect(await refs("refs/tags")).toHaveLength(1);
  });
});
