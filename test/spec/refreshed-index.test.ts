/** After a rollback git knows the files without having to look at them: what `git diff-files` says is what `git status` says. */
import { describe, expect, it } from "vitest";
import { takeFingerprint } from "../support/fingerprint.ts";
import { staleEntries } from "../support/round-trip.ts";
import { leaveHalfRollback } from "./half-rollback.ts";
import { withSeed, type RuleProject } from "./project.ts";

/** Changes a tracked file long after it was staged, and asks git for nothing. */
async function edited(project: RuleProject): Promise<string> {
  const { repo } = project;
  await repo.git("status");
  const id = await project.create();
  await repo.write("b.txt", "changed since\n");
  return id;
}

const expectFresh = async ({ repo }: RuleProject): Promise<void> => {
  expect(await staleEntries(repo, await takeFingerprint(repo))).toEqual([]);
};

describe("the index", () => {
  it.each(["", "--paths b.txt", "--files-only", "--keep-head"])(
    "[R181] is fresh after `rollback %s`, undo and redo",
    async (flags) => {
      await withSeed(async (project) => {
        const id = await edited(project);
        await project.ok("rollback", id, "--yes", ...flags.split(" ").filter(Boolean));
        await expectFresh(project);
        expect((await project.repo.tryGit(["diff-index", "--quiet", "HEAD"])).code).toBe(0);
        await project.ok("undo", "--yes");
        await expectFresh(project);
        await project.ok("redo", "--yes");
        await expectFresh(project);
      });
    },
  );

  it("[R181] is fresh after a guard rolled back", async () => {
    await withSeed(async (project) => {
      await edited(project);
      await project.repo.git("checkout", "-q", "b.txt");
      const guarded = await project.run("guard", "--", "sh", "-c", "echo wrecked > b.txt; exit 3");
      expect(guarded.code).toBe(7);
      await expectFresh(project);
    });
  });

  it("[R181] is fresh after a rollback that was killed is taken back", async () => {
    await withSeed(async (project) => {
      await project.repo.git("status");
      const id = await project.create();
      await leaveHalfRollback(project, id);
      expect((await project.ok("recover")).json).toMatchObject({ outcome: "taken_back" });
      await expectFresh(project);
    });
  });
});
