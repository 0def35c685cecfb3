// Kills, people who write at the same time, and programs that call it.
import { describe, expect, it } from "vitest";
import { openProject, takeBack, type Project } from "../../src/index.ts";
import { Failure } from "../../src/domain/failure.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { text } from "../support/json.ts";
import { canKill, killed } from "../spec/killed.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { ALICE, BOB, ten, withSharedTree, SharedTree } from "./shared-tree.ts";

async function worked(tree: SharedTree): Promise<void> {
  await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
  await tree.writes(ALICE, "made.txt", "alice\n");
  await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
}

async function withProject<Result>(
  tree: SharedTree,
  work: (project: Project) => Promise<Result>,
): Promise<Result> {
  const project = await openProject({ directory: tree.repo.root });
  try {
    return await work(project);
  } finally {
    project.close();
  }
}

describe("taking back what a session did", () => {
  it.runIf(canKill)(
    "[R120] is done or not done at all when it is killed, and can be done again",
    async () => {
      await withSharedTree(async (tree) => {
        await worked(tree);
        const before = await takeFingerprint(tree.repo);
        const args = ["rollback", "--only-session", ALICE, "--yes"];
        await killed(tree, args, async ({ repo }) => {
          const copy = new SharedTree(repo);
          await copy.ok("recover");
          const now = await takeFingerprint(copy.repo);
          const isUndone = differences(now, before).length === 0;
          expect(isUndone || (await copy.read("shared.txt")) === ten({ 8: "bob" })).toBe(true);
          expect(await copy.repo.exists("made.txt")).toBe(isUndone);
          await copy.ok(...args);
          expect(await copy.read("shared.txt")).toBe(ten({ 8: "bob" }));
        });
      });
    },
  );

  it("[R126] leaves nothing that counts when it is killed before its rollback begins", async () => {
    await withSharedTree(async (tree) => {
      const before = await tree.create();
      await tree.repo.write("old.txt", "now\n");
      const made = await withProject(tree, (project) =>
        createCheckpoint(project, { trigger: "auto", name: "take-back", isWorkedOut: true }),
      );
      const latest = await tree.ok("show", "latest");
      expect(text(latest.json, "checkpoint", "id")).toBe(before);
      await tree.repo.write("old.txt", "later\n");
      const asked = await tree.ok("rollback", made.checkpoint.id, "--yes");
      expect(text(asked.json, "restored_to")).toBe(made.checkpoint.id);
      const now = await tree.ok("show", "latest");
      expect(text(now.json, "checkpoint", "id")).toBe(made.checkpoint.id);
    });
  });

  it("starts from what is there when somebody writes to the same file meanwhile", async () => {
    await withSharedTree(async (tree) => {
      await worked(tree);
      await tree.hears(BOB, "turn_end");
      let asked = 0;
      const done = await withProject(tree, (project) =>
        takeBack(project, ALICE, {
          confirm: async (plan) => {
            asked += 1;
            if (asked === 1)
              await tree.repo.write("shared.txt", ten({ 1: "alice", 5: "person", 8: "bob" }));
            return plan.kept.length === 0;
          },
        }),
      );
      expect([done.kind, asked]).toEqual(["done", 2]);
      expect(await tree.read("shared.txt")).toBe(ten({ 5: "person", 8: "bob" }));
      const { json } = await tree.ok("list", "--all");
      expect(JSON.stringify(json).match(/"name": ?"selective-undo"/g)).toHaveLength(1);
    });
  });

  it("leaves no checkpoint behind when it is not confirmed", async () => {
    await withSharedTree(async (tree) => {
      await worked(tree);
      const refs = await tree.repo.allRefs();
      const refused = withProject(tree, (project) =>
        takeBack(project, ALICE, { confirm: () => false }),
      );
      await expect(refused).rejects.toSatisfy(
        (error) => error instanceof Failure && error.code === "cancelled",
      );
      const plan = await withProject(tree, (project) =>
        takeBack(project, "a11ce", { dryRun: true, by: "paths", paths: ["./made.txt"] }),
      );
      expect([...plan.files]).toEqual([["made.txt", null]]);
      expect(await tree.repo.allRefs()).toBe(refs);
    });
  });
});
