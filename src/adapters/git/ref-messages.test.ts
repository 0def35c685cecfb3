import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readStateRefs } from "./operation-state.ts";
import { messagesOf, refMessages } from "./ref-messages.ts";
import { SESSION_REFS } from "./ref-names.ts";
import { openAt, openedRepository } from "./temp-repository.fixture.ts";

async function withRefs(...names: string[]) {
  const opened = await openedRepository();
  const oids: string[] = [];
  for (const name of names) {
    await opened.repo.git("commit", "-q", "--allow-empty", "-m", `${name}\n\nétat de ${name}\n`);
    const oid = (await opened.repo.git("rev-parse", "HEAD")).trim();
    await opened.repo.store("update-ref", `${SESSION_REFS}/${name}`, oid);
    oids.push(oid);
  }
  return { ...opened, oids };
}

describe("refMessages", () => {
  it("says the same about few refs as git does, in the same order", async () => {
    const { repo, repository, reader } = await withRefs("c", "a");
    const parent = await repo.head("~1");
    await repo.store("pack-refs", "--all");
    await repo.store("update-ref", `${SESSION_REFS}/b`, parent);
    await repo.store("update-ref", `${SESSION_REFS}/a`, parent);
    const found = await refMessages(repository.store, reader, SESSION_REFS);
    expect(found?.map(({ ref }) => ref)).toEqual(
      ["a", "b", "c"].map((id) => `${SESSION_REFS}/${id}`),
    );
    expect(found).toEqual(await messagesOf(repository.store, [SESSION_REFS]));
  });

  it("says the same about many", async () => {
    const { repo, repository, reader } = await withRefs("a");
    const head = await repo.head();
    const more = Array.from(
      { length: 120 },
      (_, number) => `create ${SESSION_REFS}/m${number} ${head}\n`,
    );
    await repo.storeWithInput(more.join(""), "update-ref", "--stdin");
    const found = await refMessages(repository.store, reader, SESSION_REFS);
    expect(found).toHaveLength(121);
    expect(found).toEqual(await messagesOf(repository.store, [SESSION_REFS]));
  });

  it("lists none when the commit of one is gone", async () => {
    const { repo, repository, reader, oids } = await withRefs("a", "b");
    await repo.git("reset", "-q", "--hard", "HEAD~1");
    const gone = oids[1] ?? "";
    rmSync(join(repository.commonDir, "objects", gone.slice(0, 2), gone.slice(2)));
    expect(await refMessages(repository.store, reader, SESSION_REFS)).toBeUndefined();
  });
});

describe("readStateRefs", () => {
  it("finds the refs of this work tree's own operation", async () => {
    const { repo, repository } = await withRefs("a", "b", "c");
    const linked = join(repo.base, "linked");
    await repo.git("worktree", "add", "-q", "--detach", linked);
    await repo.git("-C", linked, "bisect", "start", "HEAD", "HEAD~2");
    const there = await openAt(linked);
    const bad = (await repo.git("rev-parse", "HEAD")).trim();
    const found = await readStateRefs(there.repository);
    expect(found.get("refs/bisect/bad")).toBe(bad);
    expect([...found.keys()].filter((ref) => ref.startsWith("refs/bisect/good-"))).toHaveLength(1);
    expect(await readStateRefs(repository)).toEqual(new Map());
  });
});
