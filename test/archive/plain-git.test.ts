/** Runs the commands of docs/export-format.md and of the last part of docs/recovery.md, without Waymark. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteObject } from "../support/damage.ts";
import { text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { withDirty } from "../spec/project.ts";

/** The shell block of a page that has this text in it. */
async function block(page: string, part: string): Promise<string> {
  const source = await readFile(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...source.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, body = ""]) => body);
  const found = blocks.find((body) => body.includes(part));
  if (found === undefined) throw new Error(`${page} has no command with ${part}`);
  return found;
}

async function shell(
  repo: TempRepository,
  script: string,
  variables: Record<string, string>,
): Promise<string> {
  const env = { ...repo.env, ...variables };
  const result = await runCommand("sh", ["-euc", script], { cwd: repo.root, env });
  if (result.code !== 0) throw new Error(`${script}\n${result.stderr}`);
  return result.stdout.toString("latin1");
}

const PAGE = "docs/export-format.md";

describe("plain git", () => {
  it("[R14] reads an export with the commands of docs/export-format.md", async () => {
    await withDirty(async (project) => {
      const ID = await project.create();
      const ARCHIVE = join(project.repo.base, "archive.bundle");
      await project.ok("export", "-o", ARCHIVE);
      const other = project.repo.at("other");
      await project.repo.git("init", "-q", other.root);
      const run = async (part: string): Promise<string> =>
        shell(other, await block(PAGE, part), { ARCHIVE });
      expect(await run("list-heads")).toContain(`refs/waymark/cp/${ID}`);
      await run("refs/waymark/cp/*");
      expect(
        await other.git("cat-file", "blob", `refs/waymark/cp/${ID}:worktree/untracked.txt`),
      ).toBe("untracked\n");
      const manifest: unknown = JSON.parse(await run("manifest.json"));
      expect(text(manifest, "kind")).toBe("waymark_archive");
      const strict = await other.tryGit(["fsck", "--strict", "--no-dangling"]);
      expect([strict.code, strict.stdout.toString()]).toEqual([0, ""]);
    });
  });

  it("[R14] repairs a checkpoint with the commands of docs/recovery.md", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const ID = await project.create();
      const ARCHIVE = join(repo.base, "archive.bundle");
      await project.ok("export", "-o", ARCHIVE);
      const OTHER = join(repo.base, "other");
      await repo.git("clone", "-q", "--no-hardlinks", repo.root, OTHER);
      await repo.at("other").takeStoreOf(repo);
      const page = "docs/recovery.md";
      const begin = await block(page, "STORE=");
      const run = async (part: string, variables: Record<string, string>): Promise<string> =>
        shell(repo, begin + (await block(page, part)), variables);
      const OBJECT = (
        await repo.store("rev-parse", `refs/waymark/cp/${ID}:worktree/untracked.txt`)
      ).trim();
      for (const part of ["$OTHER", "--no-filters"]) {
        await deleteObject(repo, OBJECT);
        expect((await project.run("validate")).code).toBe(4);
        await run(part, { OTHER, OBJECT, FILE: "untracked.txt" });
        await project.ok("validate");
      }
      const commit = (await repo.store("rev-parse", `refs/waymark/cp/${ID}`)).trim();
      await repo.store("update-ref", "-d", `refs/waymark/cp/${ID}`);
      expect((await run("--unreachable", { ID })).trim()).toBe(commit);
      await run("$ARCHIVE", { ARCHIVE, ID });
      await project.ok("validate", ID);
    });
  });
});
