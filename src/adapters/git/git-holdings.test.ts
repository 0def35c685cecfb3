import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { deleteObject } from "../../../test/support/damage.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitHoldings } from "./git-holdings.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

const LARGE = 50_000;

async function makeSubject() {
  const { repo, repository, reader } = await openedRepository();
  await repo.commit("base");
  const store = new GitCheckpointStore(repository, reader, {
    tagUnlessHeld: () => Promise.resolve(undefined),
  });
  const workTree = new GitWorkTree(repository, reader);
  let seconds = 0;
  const take = async (id: string, keepAlive: readonly string[] = []): Promise<void> => {
    const capture = await workTree.capture({ policy: DEFAULT_POLICY });
    // The order of commits is the order of their times, by the second.
    const created_at = new Date(Date.UTC(2026, 10, 15, 18, 0, seconds++)).toISOString();
    const draft = draftOf(id, capture, { created_at });
    expect(await store.publish({ ...draft, keepAlive })).toMatchObject({ kind: "published" });
  };
  return { repo, store, take, holdings: new GitHoldings(repository) };
}

describe("the bytes that checkpoints hold", () => {
  it("are those that the store does not borrow, each counted once, for the newest that holds it", async () => {
    const { repo, take, holdings } = await makeSubject();
    await repo.write("shared", randomBytes(LARGE));
    await take("cp-a");
    await repo.write("second", randomBytes(2 * LARGE));
    await take("cp-b");
    const both = await holdings.bytes(["cp-a", "cp-b"]);
    expect(both.get("cp-a") ?? 0).toBeLessThan(LARGE);
    expect(both.get("cp-b") ?? 0).toBeGreaterThan(3 * LARGE);
    const one = await holdings.bytes(["cp-a"]);
    expect(one.get("cp-a") ?? 0).toBeGreaterThan(LARGE);
    expect(one.get("cp-a") ?? 0).toBeLessThan(2 * LARGE);
    await repo.git("add", "-A");
    await repo.commit("the user has them too, and the store keeps its own");
    expect(await holdings.bytes(["cp-a", "cp-b"])).toEqual(both);
  });

  it("are counted without those that are missing", async () => {
    const { repo, take, holdings } = await makeSubject();
    await repo.write("file", randomBytes(LARGE));
    await take("cp-a");
    const blob = await repo.store("rev-parse", "refs/waymark/cp/cp-a:worktree/file");
    await deleteObject(repo, blob.trim());
    const bytes = await holdings.bytes(["cp-a"]);
    expect(bytes.get("cp-a") ?? 0).toBeGreaterThan(0);
    expect(bytes.get("cp-a") ?? 0).toBeLessThan(LARGE);
  });

  it("are none for none", async () => {
    const { holdings } = await makeSubject();
    expect(await holdings.bytes([])).toEqual(new Map());
    expect(await holdings.bytes(["cp-none"])).toEqual(new Map());
  });
});

describe("the commits that checkpoints hold", () => {
  it("are the user's commits that no ref of the user's reaches, named for the newest one", async () => {
    const { repo, take, holdings } = await makeSubject();
    const first = await repo.commit("first");
    const second = await repo.commit("second");
    await repo.git("branch", "kept", first);
    await take("cp-a");
    await take("cp-b", [second]);
    await repo.git("reset", "-q", "--hard", "HEAD~2");
    expect(await holdings.commits(["cp-a"])).toEqual(new Map([["cp-a", [second]]]));
    expect(await holdings.commits(["cp-a", "cp-b"])).toEqual(new Map([["cp-b", [second]]]));
    await repo.git("branch", "-D", "kept");
    expect(await holdings.commits(["cp-b"])).toEqual(new Map([["cp-b", [second, first]]]));
    await repo.git("update-ref", "refs/remotes/origin/x", second);
    expect(await holdings.commits(["cp-a", "cp-b"])).toEqual(new Map());
  });

  it("are the user's as long as another work tree has them checked out", async () => {
    const { repo, take, holdings } = await makeSubject();
    const commit = await repo.commit("detached elsewhere");
    await take("cp-a");
    await repo.git("worktree", "add", "-q", "--detach", "../linked", commit);
    await repo.git("reset", "-q", "--hard", "HEAD~1");
    expect(await holdings.commits(["cp-a"])).toEqual(new Map());
  });
});
