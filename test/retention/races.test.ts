/** What somebody does while a cleanup waits for its answer, or while a rollback is only planning. */
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { cleanUp } from "../../src/operations/clean-up.ts";
import { withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { text } from "../support/json.ts";

describe("meanwhile", () => {
  it("[R37] a checkpoint that is pinned while cleanup waits for its answer stays", async () => {
    await withSeed(async (project) => {
      const ids = [await project.create(), await project.create(), await project.create()];
      const [oldest = "", older = ""] = ids;
      const opened = await openGitProject({ directory: project.repo.root });
      try {
        const done = await cleanUp(opened, { limits: { keep: 1 }, now: true }, async (plan) => {
          expect(plan.removed.map(({ id }) => id)).toContain(oldest);
          await project.ok("pin", oldest);
          return true;
        });
        expect(done?.removed.map(({ id }) => id)).toEqual([older]);
        expect(done?.purged.map(({ id }) => id)).toEqual([older]);
      } finally {
        opened.close();
      }
      await project.ok("show", oldest);
    });
  });

  it("[R37] the target of a rollback that has only begun cannot be deleted", async () => {
    await withSeed(async (project) => {
      const target = await project.create();
      await project.create();
      const opened = await openGitProject({ directory: project.repo.root });
      try {
        const restore = await opened.restorer.begin("rb-20261116-000000-0000", target);
        const refused = await project.run("delete", target, "--yes", "--now", "--force");
        expectExit(refused, 5);
        expect(text(refused.json, "error", "message")).toContain(
          "is needed by a rollback in progress",
        );
        await restore.takeBack();
      } finally {
        opened.close();
      }
    });
  });
});
