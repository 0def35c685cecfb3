import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failure.ts";
import { ownIdentity } from "../files/process-identity.ts";
import { GitGuards } from "./git-guards.ts";
import { sweepTemporary } from "./sweep-temporary.ts";
import { openAt, openedRepository } from "./temp-repository.fixture.ts";
import type { Repository } from "./repository.ts";

const ID = "cp-00-auto-20261115-180000-0001";

function leaveMark(repository: Repository, checkpointId: string, content?: string): void {
  const folder = join(repository.sharedDir, "guards");
  mkdirSync(folder, { recursive: true });
  const mark = {
    version: 1,
    owner: { ...ownIdentity(), boot: "another" },
    checkpoint_id: checkpointId,
    worktree_id: repository.worktreeId,
    since: "2026-11-15T18:00:00.000Z",
  };
  writeFileSync(join(folder, `${checkpointId}.json`), content ?? JSON.stringify(mark));
}

async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );
}

describe("guards in a repository", () => {
  it("is one at a time in a work tree", async () => {
    const { repository } = await openedRepository();
    const guards = new GitGuards(repository, {});
    const first = await guards.enter(undefined);
    expect(await code(guards.enter(undefined))).toBe("locked");
    first.leave();
    (await guards.enter(undefined)).leave();
  });

  it("may be inside of another, and then again is one at a time", async () => {
    const { repository } = await openedRepository();
    const guards = new GitGuards(repository, {});
    const outer = await guards.enter(undefined);
    outer.protect(ID);
    const inner = await new GitGuards(repository, { WAYMARK_GUARD: `elsewhere:${ID}` }).enter(
      undefined,
    );
    expect(inner.around).toEqual(["elsewhere", ID]);
    expect(await code(guards.enter(ID))).toBe("locked");
    inner.leave();
    const again = await guards.enter(ID);
    expect(again.around).toEqual([ID]);
    again.leave();
    expect(await code(guards.enter("no-such-guard"))).toBe("locked");
    outer.leave();
  });

  it("each work tree has its own, and knows the checkpoints of all", async () => {
    const { repo, repository } = await openedRepository();
    await repo.commit("first");
    await repo.git("worktree", "add", "-q", "../linked");
    const { repository: linked } = await openAt(join(repo.base, "linked"));
    const place = await new GitGuards(repository, {}).enter(undefined);
    place.protect(ID);
    const there = new GitGuards(linked, { WAYMARK_GUARD: ID });
    expect(there.inUse()).toEqual([ID]);
    const other = await there.enter(undefined);
    expect(await code(new GitGuards(linked, {}).enter(undefined))).toBe("locked");
    other.leave();
    place.leave();
    expect(there.inUse()).toEqual([]);
  });

  it("leaves nothing behind", async () => {
    const { repository } = await openedRepository();
    const place = await new GitGuards(repository, {}).enter(undefined);
    place.protect(ID);
    const report = place.report(Buffer.from([0, 255]));
    expect(existsSync(report)).toBe(true);
    place.leave();
    expect(existsSync(report)).toBe(false);
    expect(readdirSync(repository.privateDir)).toEqual(["guards", "store"]);
    expect(readdirSync(join(repository.sharedDir, "guards"))).toEqual([]);
  });

  it("[R62] one that was killed protects its checkpoint until it is known, and blocks nobody", async () => {
    const { repository } = await openedRepository();
    leaveMark(repository, ID);
    const guards = new GitGuards(repository, { WAYMARK_GUARD: ID });
    expect(guards.inUse()).toEqual([ID]);
    expect(guards.killed()).toMatchObject([{ checkpointId: ID, worktreeId: "main" }]);
    (await guards.enter(undefined)).leave();
    guards.forget(ID);
    expect(guards.inUse()).toEqual([]);
  });

  it("does not forget one that is under way", async () => {
    const { repository } = await openedRepository();
    const guards = new GitGuards(repository, {});
    const place = await guards.enter(undefined);
    place.protect(ID);
    guards.forget(ID);
    expect(guards.killed()).toEqual([]);
    expect(guards.inUse()).toEqual([ID]);
    place.leave();
  });

  it.each(["", "{", "null", "[]", '{"owner":{}}', `{"checkpoint_id":"other"}`])(
    "a mark that says %j is that of a killed one",
    async (content) => {
      const { repository } = await openedRepository();
      leaveMark(repository, ID, content);
      const guards = new GitGuards(repository, {});
      expect(guards.inUse()).toEqual([ID]);
      expect(guards.killed()).toMatchObject([{ checkpointId: ID }]);
      guards.forget(ID);
      expect(guards.inUse()).toEqual([]);
    },
  );

  it("reports of killed ones are swept", async () => {
    const { repository } = await openedRepository();
    const place = await new GitGuards(repository, {}).enter(undefined);
    const name = place.report(Buffer.from("x"));
    const dead = name.replace(/tmp-\d+-/, "tmp-999999999-");
    writeFileSync(dead, "x");
    sweepTemporary(repository);
    expect([existsSync(name), existsSync(dead)]).toEqual([true, false]);
    place.leave();
  });
});
