/** A project that is at another place when its interrupted rollback is taken back. */
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint, type Fingerprint } from "../support/fingerprint.ts";
import { items, text } from "../support/json.ts";
import { leaveHalfRollback } from "./half-rollback.ts";
import { withDirty, type RuleProject } from "./project.ts";

interface Moved {
  readonly project: RuleProject;
  readonly oldRoot: string;
  readonly before: Fingerprint;
}

/** Killed with the target's content in place, then moved. `staging`: what the record calls the folder. */
async function killAndMove(project: RuleProject, staging: "new" | "old"): Promise<Moved> {
  const { repo } = project;
  const id = await project.create();
  const before = await takeFingerprint(repo);
  await leaveHalfRollback(project, id);
  await repo.write("b.txt", "what the rollback brings\n");
  const oid = (await repo.git("hash-object", "--no-filters", "b.txt")).trim();
  const record = await repo.gitPath("waymark/rollback-intent.json");
  const intent = JSON.parse(await readFile(record, "utf8")) as {
    staging: string;
    steps: { files: { target: { oid: string } }[] };
  };
  for (const step of intent.steps.files) step.target.oid = oid;
  if (staging === "new") intent.staging = "restore/rb-dead";
  await writeFile(record, JSON.stringify(intent));
  const moved = project.at("moved");
  await rename(repo.root, moved.repo.root);
  return { project: moved, oldRoot: repo.root, before };
}

describe("an interrupted rollback of a project that was moved since", () => {
  it.each(["new", "old"] as const)(
    "[R6] is taken back at the new place, from a record of the %s kind",
    async (kind) => {
      await withDirty(async (dirty) => {
        const { project, oldRoot, before } = await killAndMove(dirty, kind);
        const recovered = await project.ok("recover");
        expect(text(recovered.json, "outcome")).toBe("taken_back");
        expect(items(recovered.json, "kept")).toEqual([]);
        expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
        expect(existsSync(oldRoot)).toBe(false);
        expect(existsSync(await project.repo.gitPath("waymark/restore/rb-dead"))).toBe(false);
      });
    },
  );

  it("[R6] is left as it is, and said so, where the files are missing that were moved away", async () => {
    await withDirty(async (dirty) => {
      const { project, oldRoot } = await killAndMove(dirty, "new");
      const folder = await project.repo.gitPath("waymark/restore");
      await rm(folder, { recursive: true });
      const refused = await project.run("recover");
      expectExit(refused, 1);
      expect(text(refused.json, "error", "message")).toContain(join("restore", "rb-dead"));
      expect(String(await project.repo.read("b.txt"))).toBe("what the rollback brings\n");
      expect(existsSync(folder)).toBe(false);
      expect(existsSync(oldRoot)).toBe(false);
    });
  });
});
