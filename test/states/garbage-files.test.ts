/** Garbage in the small files that Waymark keeps in git's folder: none of them is believed, and none of them is in the way. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { expectExit } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { withSeed } from "../spec/project.ts";

const FILES = [
  "current-session",
  "latest.json",
  "rollback-notes.json",
  "last-rollback.json",
  "last-cleanup.json",
  "capture-cache.json",
  "glances.json",
  "verified-documents",
  "guards/x.json",
  "isolated/x.json",
  "agents/done.json",
];

const CONTENTS: readonly (readonly [string, string | undefined])[] = [
  ["no JSON", "garbage \0\u0001\n\n"],
  ["other JSON", '{"version":1,"owner":"x","entries":7}'],
  ["a folder", undefined],
];

async function put(root: string, name: string, content: string | undefined): Promise<void> {
  const path = join(root, ".git", "waymark", name);
  await rm(path, { recursive: true, force: true });
  await mkdir(content === undefined ? path : dirname(path), { recursive: true });
  if (content !== undefined) await writeFile(path, content);
}

describe("small files with", () => {
  it.each(CONTENTS)(
    "[R164] %s stop nothing: create, list, rollback and undo",
    async (_kind, content) => {
      await withSeed(async (project) => {
        const { repo } = project;
        const id = await project.create();
        await repo.write("work.txt", "1\n");
        await project.rollBack(id);
        for (const name of FILES) {
          await put(repo.root, name, content);
          await project.ok("create", "--force");
          await repo.write("work.txt", `${name}\n`);
          await project.rollBack(id);
          expect(await repo.exists("work.txt")).toBe(false);
          await project.ok("undo", "--yes");
          expect(String(await repo.read("work.txt"))).toBe(`${name}\n`);
          await project.ok("list");
        }
      });
    },
  );

  it.each(CONTENTS)(
    "[R164] %s for the record of a rollback: checkpoints are taken, and what changes files refuses",
    async (_kind, content) => {
      await withSeed(async (project) => {
        const { repo } = project;
        const id = await project.create();
        await repo.write("work.txt", "1\n");
        await put(repo.root, "rollback-intent.json", content);
        const created = await project.ok("create", "--force");
        expect(JSON.stringify(field(created.json, "warnings"))).toContain("rollback-intent.json");
        await project.ok("list");
        await repo.write("work.txt", "2\n");
        const hooked = new HookedProject(project);
        const call = { tool_name: "Write", tool_input: { file_path: "work.txt" } };
        expect(await hooked.call("PreToolUse", call)).toBe("");
        const refused = await project.run("rollback", id, "--yes");
        expectExit(refused, 1);
        expect(JSON.stringify(refused.json)).toContain("rollback-intent.json");
        expect(String(await repo.read("work.txt"))).toBe("2\n");
        await rm(join(repo.root, ".git/waymark/rollback-intent.json"), { recursive: true });
        expect(text((await project.rollBack(id)).json, "undo_checkpoint_id")).toMatch(/^cp-/);
      });
    },
  );
});
