import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openedPlainFolder } from "../temp-repository.fixture.ts";
import { collectGarbage } from "./collect-garbage.ts";

it("removes what a git gc that failed has begun", async () => {
  const { repo, repository } = await openedPlainFolder();
  const begun = join(repository.commonDir, "objects/pack/tmp_pack_a1b2c3");
  const tree = (await repo.git("mktree", "--missing")).trim();
  await repo.git("update-ref", "refs/waymark/cp/one", await commitOf(tree));
  await repo.git("config", "pack.window", "none");
  writeFileSync(begun, "PACK");
  await collectGarbage(repository);
  expect(existsSync(begun)).toBe(false);

  async function commitOf(id: string): Promise<string> {
    return (await repo.git("commit-tree", id, "-m", "one")).trim();
  }
});
