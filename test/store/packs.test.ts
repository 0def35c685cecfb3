/** The store keeps itself small: packs are merged, and what no checkpoint needs goes, killed or beside creates, with damage or without. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { field, items, text } from "../support/json.ts";
import { deleteObject, flipByteOfObject } from "../support/damage.ts";
import { withTempRepository } from "../support/temp-repository.ts";
import { canKill, killed } from "../spec/killed.ts";
import { RuleProject } from "../spec/project.ts";

const MAX_PACKS = 20;

function withProject(body: (project: RuleProject) => Promise<void>): Promise<void> {
  return withTempRepository(async (repo) => {
    await repo.write("base.txt", "base\n");
    await repo.git("add", "-A");
    await repo.commit("base");
    await body(new RuleProject(repo));
  });
}

/** A checkpoint with a file that no other has. */
async function createWith(project: RuleProject, content: string): Promise<string> {
  await project.repo.write("file.txt", content);
  return project.create();
}

const blobOf = async ({ repo }: RuleProject, id: string): Promise<string> =>
  (await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/file.txt`)).trim();

const packs = ({ repo }: RuleProject): string[] =>
  readdirSync(repo.storePath("objects/pack")).filter((name) => name.endsWith(".pack"));

async function isThere({ repo }: RuleProject, oid: string): Promise<boolean> {
  return (await repo.tryStore(["cat-file", "-e", oid])).code === 0;
}

async function expectWhole(project: RuleProject): Promise<void> {
  const { json } = await project.ok("validate");
  for (const one of items(json, "checkpoints")) expect(field(one, "overall")).toBe(true);
  await project.repo.store("fsck", "--no-dangling");
}

describe("packs of the store", () => {
  it("are merged when there are many", () =>
    withProject(async (project) => {
      for (let count = 0; count < 3 * MAX_PACKS; count++) await createWith(project, `${count}\n`);
      expect(packs(project).length).toBeLessThan(MAX_PACKS + 2);
      await expectWhole(project);
    }));

  it("of a checkpoint that is deleted for good are rewritten without its content", () =>
    withProject(async (project) => {
      const kept = await createWith(project, "kept\n");
      const gone = await createWith(project, "gone\n");
      const blobs = { kept: await blobOf(project, kept), gone: await blobOf(project, gone) };
      await project.repo.remove("file.txt");
      await project.ok("delete", gone, "--now", "--yes");
      expect(await isThere(project, blobs.gone)).toBe(false);
      expect(await isThere(project, blobs.kept)).toBe(true);
      await expectWhole(project);
    }));

  it.each([
    ["missing", deleteObject],
    ["damaged", flipByteOfObject],
  ] as const)("with an object that is %s lose nothing that is whole", (_, damage) =>
    withProject(async (project) => {
      const { repo } = project;
      await repo.write("other.txt", "of the damaged one\n");
      const hurt = await createWith(project, "hurt\n");
      const other = await repo.store("rev-parse", `refs/waymark/cp/${hurt}:worktree/other.txt`);
      await repo.remove("other.txt");
      const whole = await createWith(project, "whole\n");
      const gone = await createWith(project, "gone\n");
      const oid = await blobOf(project, gone);
      await damage(repo, await blobOf(project, hurt));
      await repo.remove("file.txt");
      await project.ok("delete", gone, "--now", "--yes");
      expect(await isThere(project, oid)).toBe(false);
      expect(await isThere(project, other.trim())).toBe(true);
      await project.ok("rollback", whole, "--yes");
      expect(String(await repo.read("file.txt"))).toBe("whole\n");
    }),
  );

  it("stay while another process is storing something", () =>
    withProject(async (project) => {
      const ids = [];
      for (let count = 0; count < 6; count++) ids.push(await createWith(project, `${count}\n`));
      await project.repo.remove("file.txt");
      const creating = Array.from({ length: 4 }, (_, number) =>
        project.run("create", "--force", "-m", `beside ${number}`),
      );
      const deleting = ids.slice(0, 5).map((id) => project.run("delete", id, "--now", "--yes"));
      const results = await Promise.all([...creating, ...deleting]);
      for (const result of results) expect([0, 3, 6]).toContain(result.code);
      await expectWhole(project);
      await project.ok("delete", ids[5] ?? "", "--now", "--yes");
      await expectWhole(project);
    }));

  it.skipIf(!canKill)("lose nothing wherever a deletion for good is killed", () =>
    withProject(async (project) => {
      const kept = await createWith(project, "kept\n");
      const gone = await createWith(project, "gone\n");
      await project.repo.remove("file.txt");
      await project.create();
      await killed(project, ["delete", gone, "--now", "--yes"], async (copy) => {
        await copy.create();
        await expectWhole(copy);
        await copy.ok("rollback", kept, "--yes");
        expect(String(await copy.repo.read("file.txt"))).toBe("kept\n");
        const { json } = await copy.ok("list");
        const left = items(json, "checkpoints").map((one) => text(one, "id"));
        if (left.includes(gone)) await copy.ok("delete", gone, "--now", "--yes");
        await expectWhole(copy);
      });
    }),
  );

  it.skipIf(!canKill)("lose nothing wherever a merge of packs is killed", () =>
    withProject(async (project) => {
      for (let count = 1; count < MAX_PACKS; count++) await createWith(project, `${count}\n`);
      await project.repo.write("file.txt", "the last\n");
      await killed(project, ["create", "--force"], async (copy) => {
        await expectWhole(copy);
        for (let count = 0; count < 3; count++) await copy.create();
        await expectWhole(copy);
      });
    }),
  );
});
