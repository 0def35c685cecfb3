import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mayBeTaken } from "./held-commits.ts";
import { CHECKPOINT_REFS, OWN_REFS, TAG_REFS } from "./ref-names.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

/** A commit that only new refs of ours lead to, and the file that says that a `git gc` is at work. */
async function withNewRefs() {
  const { repo, repository } = await openedRepository();
  const head = await repo.commit("base");
  const loose = (await repo.git("commit-tree", "-m", "loose", `${head}^{tree}`)).trim();
  await repo.git("update-ref", `${CHECKPOINT_REFS}/cp-new`, loose);
  await repo.git("update-ref", `${TAG_REFS}/none/manual/cp-new`, loose);
  const gc = join(repository.commonDir, "gc.pid");
  writeFileSync(gc, `${process.pid} ${hostname()}`);
  return { repo, repository, head, loose, gc };
}

describe("mayBeTaken", () => {
  it("is about commits that nothing but the new refs leads to", async () => {
    const { repo, repository, head, loose, gc } = await withNewRefs();
    expect(await mayBeTaken(repository, [head], `${OWN_REFS}/*`)).toBe(false);
    await repo.git("update-ref", "refs/heads/holds-it", loose);
    expect(await mayBeTaken(repository, [head, loose], `${OWN_REFS}/*`)).toBe(false);
    await repo.git("update-ref", "-d", "refs/heads/holds-it");
    rmSync(gc);
    expect(await mayBeTaken(repository, [loose], `${OWN_REFS}/*`)).toBe(false);
  });

  it("is so while a `git gc` is at work", async () => {
    const { repository, loose, gc } = await withNewRefs();
    expect(await mayBeTaken(repository, [loose], `${CHECKPOINT_REFS}/cp-new`)).toBe(true);
    rmSync(gc);
    expect(await mayBeTaken(repository, [loose], `${CHECKPOINT_REFS}/cp-new`)).toBe(false);
  });
});
