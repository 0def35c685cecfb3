/** `waymark init` in the running product. */
import { chmod, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliEnvironment, expectExit, waymark, waymarkArguments } from "../support/cli.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed } from "../spec/project.ts";
import { withTempProject } from "../support/temp-repository.ts";

describe("init", () => {
  it("writes a file that changes nothing, and nothing else", async () => {
    await withSeed(async ({ repo }) => {
      const exclude = await repo.gitPath("info/exclude");
      const before = await readFile(exclude, "utf8");
      const status = await repo.git("status", "--porcelain", "--ignored");
      const index = await readFile(await repo.gitPath("index"));
      const { json } = await waymark(repo.root, ["init"], { env: repo.env });
      expect(json).toMatchObject({ kind: "init", config_written: true });
      expect(await readFile(exclude, "utf8")).toBe(before);
      expect(await repo.git("status", "--porcelain", "--ignored")).toBe(
        `?? waymark.yml\n${status}`,
      );
      expect(await readFile(await repo.gitPath("index"))).toEqual(index);
      expect((await stat(join(repo.root, "waymark.yml"))).mode & 0o777).toBe(
        0o666 & ~process.umask(),
      );
      const { json: config } = await waymark(repo.root, ["config"], { env: repo.env });
      expect(config).toMatchObject({ files: ["waymark.yml"], problems: [], warnings: [] });
      expect(JSON.stringify(config)).not.toContain('"source":"file"');
    });
  });

  it("leaves a file that is there, and says so; a second run changes nothing", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yaml", "strategy: smart\n");
      await project.ok("init");
      const before = await takeFingerprint(repo);
      const { json } = await project.ok("init");
      expect(json).toMatchObject({
        config_file: "waymark.yaml",
        config_written: false,
      });
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("--force keeps a copy of each file that it replaces", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const copies: string[] = [];
      const status = await repo.git("status", "--porcelain", "--ignored");
      for (const content of ["strategy: smart\n", "strategy: manual\n", "broken: [\n"]) {
        await repo.write("waymark.yml", content);
        const { json } = await project.ok("init", "--force");
        expect(field(json, "config_written")).toBe(true);
        copies.push(String(await repo.read(text(json, "kept_copy"))));
      }
      expect(copies).toEqual(["strategy: smart\n", "strategy: manual\n", "broken: [\n"]);
      expect(String(await repo.read("waymark.yml"))).toContain("#strategy: before_modify");
      expect(await repo.git("status", "--porcelain", "--ignored")).toBe(
        `?? waymark.yml\n${status}`,
      );
      await project.ok("create");
    });
  });

  it("--dry-run changes nothing at all", async () => {
    await withSeed(async (project) => {
      const before = await takeFingerprint(project.repo);
      const { json } = await project.ok("init", "--dry-run", "--force");
      expect(json).toMatchObject({
        dry_run: true,
        config_written: false,
        would_write_config: true,
      });
      expect(strictDifferences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("does not write through a link or into a folder", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const outside = join(repo.base, "outside.yml");
      await writeFile(outside, "mine\n");
      await symlink(outside, join(repo.root, "waymark.yml"));
      expect((await project.ok("init")).json).toMatchObject({ config_written: false });
      const refused = await project.run("init", "--force");
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("already_exists");
      expect(await readFile(outside, "utf8")).toBe("mine\n");
    });
  });

  it("says what is special about the project", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".claude/settings.json", "{}\n");
      await repo.write(".github/copilot-instructions.md", "hello\n");
      await repo.write("flowspec_workflow.yml", "workflows: {}\n");
      await repo.write("backlog/tasks/task-1.md", "# 1\n");
      await repo.write(".gitattributes", "*.psd filter=lfs\n");
      await repo.write("art.psd", "pixels\n");
      await repo.git("add", ".gitattributes", "art.psd");
      await repo.git("init", "-q", "nested");
      await repo.git("worktree", "add", "-q", "../linked");
      const { json } = await project.ok("init");
      expect(field(json, "detected")).toMatchObject({
        branch: "refs/heads/main",
        linked_work_tree: false,
        work_trees: 2,
        nested_repositories: ["nested/"],
        submodules: [],
        filters: { lfs: 1 },
        sparse: false,
        partial_clone: false,
        agents: ["claude", "copilot"],
        workflows: ["flowspec", "backlog"],
      });
      const linked = (await project.at("linked").ok("init")).json;
      expect(linked).toMatchObject({ config_written: true });
      expect(field(linked, "detected", "linked_work_tree")).toBe(true);
    });
  });

  it("works in a repository without a commit", async () => {
    await withTempProject(async (repo) => {
      await repo.git("init", "-q");
      expectExit(await waymark(repo.root, ["init"], { env: repo.env }), 0);
    });
  });

  it("makes a project of a plain folder, and with --dry-run only looks at it", async () => {
    await withTempProject(async (repo) => {
      await repo.write("a.txt", "alpha\n");
      const looked = await waymark(repo.root, ["init", "--dry-run"], { env: repo.env });
      expectExit(looked, 0);
      expect(field(looked.json, "detected")).toMatchObject({ plain: true, untracked_files: 1 });
      expect(await readdir(repo.root)).toEqual(["a.txt"]);
      expectExit(await waymark(repo.root, ["init"], { env: repo.env }), 0);
      expect((await readdir(repo.root)).toSorted()).toEqual([
        ".checkpoints",
        "a.txt",
        "waymark.yml",
      ]);
      expectExit(await waymark(repo.root, ["list"], { env: repo.env }), 0);
    });
  });

  it("writes each thing once when two run at once", async () => {
    await withSeed(async (project) => {
      const results = await Promise.all([1, 2, 3, 4].map(() => project.ok("init")));
      const wrote = results.filter(({ json }) => field(json, "config_written") === true);
      expect(wrote).toHaveLength(1);
      const names = await readdir(project.repo.root);
      expect(names.filter((name) => name.includes("tmp-"))).toEqual([]);
    });
  });

  it.skipIf(process.getuid?.() === 0)("says so where it may not write", async () => {
    await withSeed(async (project) => {
      await chmod(project.repo.root, 0o555);
      const refused = await project.run("init");
      await chmod(project.repo.root, 0o755);
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("no_permission");
    });
  });

  it("speaks of the first checkpoint only where there is none", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const said = async (): Promise<string> => {
        const words = waymarkArguments(repo.root, "init", "--no-hooks");
        return (await runCommand(process.execPath, words, { env: cliEnvironment(repo.env) }))
          .stderr;
      };
      expect(await said()).toContain("creates the first checkpoint");
      await project.create();
      expect(await said()).toContain("`waymark list` shows the 1 checkpoint of this work tree");
      await repo.write("a.txt", "later\n");
      await project.rollBack("latest");
      expect(await said(), "as many as list shows").toContain("the 1 checkpoint of");
    });
  });
});
