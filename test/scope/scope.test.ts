import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

/** Tracked, untracked and ignored files in two folders, and a file outside of the project. */
async function scene(project: RuleProject): Promise<{ outside: string }> {
  const { repo } = project;
  await repo.write(".gitignore", "*.local\n/cache/\n");
  await repo.write("in/tracked.txt", "1");
  await repo.write("out/tracked.txt", "1");
  await repo.git("add", ".");
  await repo.git("commit", "-qm", "both");
  await repo.write("in/untracked.txt", "1");
  await repo.write("out/untracked.txt", "1");
  await repo.write("in/ignored.local", "1");
  await repo.write("out/ignored.local", "1");
  const outside = `${repo.root}-outside`;
  await mkdir(outside);
  await writeFile(join(outside, "settings.json"), "1");
  return { outside };
}

const FILES = ["tracked.txt", "untracked.txt", "ignored.local"];

async function change(project: RuleProject): Promise<void> {
  for (const folder of ["in", "out"]) {
    for (const name of FILES) await project.repo.write(`${folder}/${name}`, "2");
    await project.repo.write(`${folder}/later.txt`, "2");
    await project.repo.write(`${folder}/later.local`, "2");
  }
  await project.repo.git("add", "in/tracked.txt", "out/tracked.txt");
}

async function contents(project: RuleProject, folder: string): Promise<string> {
  const names = [...FILES, "later.txt", "later.local"];
  const all = names.map((name) =>
    readFile(join(project.repo.root, folder, name), "utf8").catch(() => "-"),
  );
  return (await Promise.all(all)).join("");
}

async function staged(project: RuleProject): Promise<string[]> {
  return (await project.repo.git("diff", "--cached", "--name-only")).split("\n").filter(Boolean);
}

describe("a checkpoint with a scope", () => {
  it("[R47] is rolled back to within its scope, and undone within it", () =>
    withSeed(async (project) => {
      await scene(project);
      const id = await project.create("--scope", "in");
      await change(project);
      const head = await project.repo
        .git("commit", "-qm", "since", "--allow-empty", "--only")
        .then(() => project.repo.git("rev-parse", "HEAD"));
      const later = await project.create();
      const dry = await project.ok("rollback", id, "--dry-run");
      expect(JSON.stringify(dry.json)).not.toContain("out/");
      await project.ok("rollback", id, "--yes");
      expect(await contents(project, "in")).toBe("111--");
      expect(await contents(project, "out")).toBe("22222");
      expect(await staged(project)).toEqual(["out/tracked.txt"]);
      expect(await project.repo.git("rev-parse", "HEAD")).toBe(head);
      const list = JSON.stringify((await project.ok("show", later)).json);
      expect(list).toContain('"valid":true');
      await project.repo.write("out/tracked.txt", "3");
      await project.ok("undo", "--yes");
      expect(await contents(project, "in")).toBe("22222");
      expect(await contents(project, "out")).toBe("32222");
      expect(await staged(project)).toEqual(["in/tracked.txt", "out/tracked.txt"]);
      await project.ok("redo", "--yes");
      expect(await contents(project, "in")).toBe("111--");
      expect(await contents(project, "out")).toBe("32222");
    }));

  it("[R47] says its scope, counts only that, and diff shows nothing else", () =>
    withSeed(async (project) => {
      await scene(project);
      const { json } = await project.ok("create", "--force", "--scope", "in");
      const id = text(json, "checkpoint", "id");
      expect(field(json, "checkpoint", "scope", "files")).toEqual([
        "in/ignored.local",
        "in/tracked.txt",
        "in/untracked.txt",
      ]);
      expect(field(json, "checkpoint", "scope")).toMatchObject({
        files_total: 3,
        patterns: ["in"],
      });
      expect(field(json, "checkpoint", "coverage", "files")).toBe(2);
      expect(JSON.stringify(field(json, "checkpoint", "coverage", "excluded"))).toContain(
        '"path":"out/untracked.txt","reason":"out_of_scope"',
      );
      await change(project);
      const diff = JSON.stringify((await project.ok("diff", id, "--patch")).json);
      expect(diff).toContain("in/untracked.txt");
      expect(diff).not.toContain("out/");
      const shown = JSON.stringify((await project.ok("show", id)).json);
      expect(shown).toContain('"patterns":["in"]');
    }));

  it("[R47] --paths goes further into the scope, and not out of it", () =>
    withSeed(async (project) => {
      await scene(project);
      const id = await project.create("--scope", "in");
      await change(project);
      await project.ok("rollback", id, "--yes", "--paths", "in/untracked.txt");
      expect(await contents(project, "in")).toBe("21222");
      const refused = await project.run("rollback", id, "--yes", "--paths", "out/untracked.txt");
      expectExit(refused, 2);
      expect(errorMessage(refused)).toContain("not in the scope");
    }));

  it("[R46] holds ignored files and files outside, and brings exactly those back", () =>
    withSeed(async (project) => {
      const { outside } = await scene(project);
      try {
        const id = await project.create("--scope", "in/*.local", `${outside}/settings.json`);
        const half = await project.repo.store(
          "ls-tree",
          "-r",
          "--name-only",
          `refs/waymark/local/${id}`,
        );
        expect(half).toBe(
          `files/outside${outside}/settings.json\nfiles/project/in/ignored.local\n`,
        );
        await change(project);
        await writeFile(join(outside, "settings.json"), "2");
        await writeFile(join(outside, "another.json"), "2");
        await project.ok("rollback", id, "--yes");
        expect(await contents(project, "in")).toBe("2212-");
        expect(await readFile(join(outside, "settings.json"), "utf8")).toBe("1");
        expect(await readFile(join(outside, "another.json"), "utf8")).toBe("2");
        await project.ok("undo", "--yes");
        expect(await contents(project, "in")).toBe("22222");
        expect(await readFile(join(outside, "settings.json"), "utf8")).toBe("2");
      } finally {
        await rm(outside, { recursive: true });
      }
    }));

  it("[R46] capture.include_ignored puts ignored files into every checkpoint", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.write(
        "waymark.yml",
        "capture:\n  include_ignored: ['*.local', 'nothing/']\n",
      );
      const id = await project.create();
      await change(project);
      await project.ok("rollback", id, "--yes");
      expect(await contents(project, "in")).toBe("111--");
      expect(await contents(project, "out")).toBe("111--");
      await project.ok("undo", "--yes");
      expect(await contents(project, "out")).toBe("22222");
      await project.ok("validate", id);
    }));

  it("[R48] refuses each pattern that matches nothing, and takes no checkpoint", () =>
    withSeed(async (project) => {
      await scene(project);
      const refused = await project.run(
        "create",
        "--scope",
        "in/untracked.txt",
        "in/untraked.txt",
        "in/*.zip",
        "/nowhere/at/all",
      );
      expectExit(refused, 2);
      expect(errorMessage(refused)).toBe(
        "--scope: no file matches in/untraked.txt, in/*.zip, /nowhere/at/all",
      );
      expect(text(refused.json, "error", "hint")).toContain("Did you mean in/untracked.txt?");
      expect(field((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
    }));

  it("[R48] takes patterns from the folder that one stands in, and names with odd characters as they are", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.write("in/[a].txt", "1");
      await project.repo.write("in/a.txt", "1");
      const { json } = await project
        .at("project/in")
        .ok("create", "--scope", "[a].txt", "../out/*.txt", ".");
      expect(field(json, "checkpoint", "scope", "patterns")).toEqual([
        "in/\\[a\\].txt",
        "out/*.txt",
        "in",
      ]);
      for (const bad of [".git/config", "../.checkpoints/x", "in/["]) {
        expectExit(await project.run("create", "--scope", bad), 2);
      }
    }));

  it("[R67] finds a damaged copy, and then changes nothing", () =>
    withSeed(async (project) => {
      await scene(project);
      const id = await project.create("--scope", "in");
      await change(project);
      const copy = `refs/waymark/local/${id}:files/project/in/ignored.local`;
      await deleteObject(project.repo, (await project.repo.store("rev-parse", copy)).trim());
      const validation = await project.run("validate", id);
      expectExit(validation, 4);
      expect(JSON.stringify(validation.json)).toContain("in/ignored.local");
      const refused = await project.run("rollback", id, "--yes");
      expectExit(refused, 4);
      expect(await contents(project, "in")).toBe("22222");
    }));

  it("[R67] goes with its copies when it is deleted for good", () =>
    withSeed(async (project) => {
      await scene(project);
      const id = await project.create("--scope", "in");
      await project.create();
      const isThere = async (): Promise<boolean> =>
        (await project.repo.store("for-each-ref", `refs/waymark/local/${id}`)) !== "";
      await project.ok("delete", id, "--yes");
      await project.ok("delete", "--undo", id);
      await project.ok("validate", id);
      expect(await isThere()).toBe(true);
      await project.ok("delete", id, "--yes", "--now");
      expect(await isThere()).toBe(false);
    }));

  it("[R67] is whole in every work tree of the repository, and goes from all of them", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.git("worktree", "add", "-q", "../linked");
      const linked = project.at("linked");
      await linked.repo.write("mine.local", "1");
      const id = await linked.create("--scope", "mine.local");
      await project.ok("validate", id);
      await project.ok("rollback", id, "--yes");
      expect(await readFile(join(project.repo.root, "mine.local"), "utf8")).toBe("1");
      await project.ok("undo", "--yes");
      await linked.create();
      await project.ok("delete", id, "--yes", "--now", "--force");
      expect(await project.repo.store("for-each-ref", `refs/waymark/local/${id}`)).toBe("");
    }));

  it("[R69] can be brought back by the commands that are shown, in a fresh shell", () =>
    withSeed(async (project) => {
      const { outside } = await scene(project);
      try {
        const id = await project.create("--scope", "in/*.local", `${outside}/settings.json`);
        const { json } = await project.ok("show", id);
        const parts = field(json, "by_hand") as { type: string; commands: string[] }[];
        const commands = parts.find(({ type }) => type === "file_backup")?.commands ?? [];
        expect(commands).toHaveLength(2);
        await rm(join(project.repo.root, "in"), { recursive: true });
        await rm(join(outside, "settings.json"));
        for (const command of commands) {
          const done = await runCommand("sh", ["-c", command], { env: project.repo.env, cwd: "/" });
          expect([done.code, done.stderr]).toEqual([0, ""]);
        }
        expect(await readFile(join(project.repo.root, "in/ignored.local"), "utf8")).toBe("1");
        expect(await readFile(join(outside, "settings.json"), "utf8")).toBe("1");
        const page = await readFile(new URL("../../docs/recovery.md", import.meta.url), "utf8");
        const [, begin = ""] = /^```sh\n(STORE=[^`]*)```/m.exec(page) ?? [];
        const [, block = ""] = /^```sh\n(# A copied file[^`]*)```/m.exec(page) ?? [];
        await rm(join(project.repo.root, "in"), { recursive: true });
        const byPage = await runCommand("sh", ["-euc", begin + block], {
          env: {
            ...project.repo.env,
            ID: id,
            FILE: "in/ignored.local",
          },
          cwd: project.repo.root,
        });
        expect([byPage.code, byPage.stderr]).toEqual([0, ""]);
        expect(await readFile(join(project.repo.root, "in/ignored.local"), "utf8")).toBe("1");
      } finally {
        await rm(outside, { recursive: true });
      }
    }));
});
