/** Export, import and rebuild run nothing of the repository's own, nor of the one that they read from. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteObject } from "../support/damage.ts";
import { installCanaries } from "../states/canaries.ts";
import { withDirty } from "../spec/project.ts";

describe("canaries", () => {
  it("[R30] stay silent for export, import and rebuild", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      const source = project.at("source");
      await repo.git("clone", "-q", "--no-hardlinks", repo.root, source.repo.root);
      await source.repo.takeStoreOf(repo);
      const birds = [await installCanaries(repo), await installCanaries(source.repo)];
      const file = join(repo.base, "x.bundle");
      const expectSilence = async (what: string): Promise<void> => {
        for (const { sang } of birds) expect([what, await sang()]).toEqual([what, []]);
      };
      await project.ok("export", "-o", file);
      await expectSilence("export");
      await source.ok("import", file);
      await expectSilence("import");
      const blob = (
        await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/untracked.txt`)
      ).trim();
      await expectSilence("rev-parse");
      await repo.remove("untracked.txt");
      await deleteObject(repo, blob);
      await project.ok("rebuild", id, "--from", source.repo.root);
      await expectSilence("rebuild");
    });
  });
});
