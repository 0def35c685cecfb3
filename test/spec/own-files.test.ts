/** Where Waymark keeps its own files in a git project: in the git folder, and never in the work tree. */
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, readFile, rename, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { differences, strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { writeWorkflow } from "../run/running-command.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withDirty, withSeed } from "./project.ts";
import { canKill, killed } from "./killed.ts";

async function status({ repo }: RuleProject): Promise<string> {
  return repo.git("status", "--porcelain", "--ignored", "-uall");
}

/** What a command says to people. */
async function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<string> {
  const words = waymarkArguments(repo.root, ...args);
  const env = cliEnvironment(repo.env);
  return (await runCommand(process.execPath, words, { cwd: repo.root, env })).stderr;
}

/** Everything that leaves files: an audit log, exports, logs of a run, a file that was replaced. */
async function useAll(project: RuleProject): Promise<string> {
  const { repo } = project;
  const id = await project.create();
  await repo.write("a.txt", "to be rolled back\n");
  await project.rollBack(id);
  await project.ok("undo", "--yes");
  await project.ok("export");
  await writeWorkflow(project, [{ name: "plan", run: "echo planned" }]);
  expectExit(await project.run("run", "wf.yml"), 0);
  expectExit(await project.run("guard", "--", "sh", "-c", "echo x > b.txt; exit 1"), 7);
  await repo.write("waymark.yml", "strategy: smart\n");
  const { json } = await project.ok("init", "--force");
  expect(await readFile(resolve(repo.root, text(json, "kept_copy")), "utf8")).toBe(
    "strategy: smart\n",
  );
  await repo.remove("wf.yml");
  await repo.remove("waymark.yml");
  return id;
}

/** As an earlier version left it. */
async function asEarlier({ repo }: RuleProject): Promise<void> {
  const [old, now] = [repo.path(".checkpoints").toString(), repo.path(".git/waymark").toString()];
  await mkdir(old, { mode: 0o700 });
  for (const name of ["audit.log", "exports", "runs", "replaced"]) {
    await rename(join(now, name), join(old, name));
  }
  await cp(join(old, "audit.log"), join(old, "audit.log.1"));
  await appendFile(join(old, "audit.log.1"), "\n");
  await mkdir(join(old, "tmp"));
  await appendFile(await repo.gitPath("info/exclude"), "*.mine\n/.checkpoints/\n# the end");
}

describe("a git project", () => {
  it("[R16] has nothing of ours in its work tree, whatever was done", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const exclude = await readFile(await repo.gitPath("info/exclude"), "utf8");
      await repo.write("a.txt", "changed\n");
      const before = await status(project);
      const id = await useAll(project);
      expect(await status(project)).toBe(before);
      expect(await readFile(await repo.gitPath("info/exclude"), "utf8")).toBe(exclude);
      expect(existsSync(repo.path(".checkpoints"))).toBe(false);
      const own = await readdir(await repo.gitPath("waymark"));
      expect(own).toEqual(expect.arrayContaining(["audit.log", "exports", "replaced", "runs"]));
      // Nothing of it goes with what users run in a work tree.
      await repo.git("clean", "-qfdx");
      await repo.git("stash", "-q", "-a").catch(() => "");
      await repo.remove(".checkpoints");
      expect(await readdir(await repo.gitPath("waymark"))).toEqual(expect.arrayContaining(own));
      await project.ok("validate");
      expect(items((await project.ok("log")).json, "entries").length).toBeGreaterThan(5);
      await project.rollBack(id);
    });
  });

  it("[R16] and its linked work trees share exports and runs, and have an audit log each", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", join(repo.base, "linked"), "other");
      const linked = project.at("linked");
      await useAll(linked);
      expect(await linked.repo.git("status", "--porcelain", "--ignored")).toBe(" M a.txt\n");
      expect(await readdir(await repo.gitPath("waymark"))).toEqual(
        expect.arrayContaining(["exports", "replaced", "runs"]),
      );
      expect(existsSync(repo.path(".git/waymark/audit.log"))).toBe(false);
      expect(existsSync(repo.path(".git/worktrees/linked/waymark/audit.log"))).toBe(true);
    });
  });

  it("[R16] a .checkpoints folder of the user is captured and restored like any other", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".checkpoints/audit", "mine\n");
      await repo.write(".checkpoints/exports/1/weights.bin", "mine too\n");
      expect(await status(project)).toContain("?? .checkpoints/audit\n");
      const before = await takeFingerprint(repo);
      const id = await project.create();
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      await repo.remove(".checkpoints");
      await repo.write(".checkpoints/audit", "changed\n");
      await repo.write(".checkpoints/new.txt", "new\n");
      await project.rollBack(id);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      await project.ok("undo", "--yes");
      expect(String(await repo.read(".checkpoints/new.txt"))).toBe("new\n");
    });
  });
});

describe("what an earlier version left in the work tree", () => {
  it("[R215] is moved by the next command that changes something, and our line goes", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await useAll(project);
      const before = await status(project);
      await asEarlier(project);
      const exports = await readdir(repo.path(".checkpoints/exports").toString());
      const entries = items((await project.ok("log")).json, "entries").length;
      expect(existsSync(repo.path(".checkpoints/audit.log"))).toBe(true);
      expect(entries).toBeGreaterThan(5);
      const stderr = await talk(project, "create", "--force");
      expect(stderr).toContain(
        `moved .checkpoints/audit.log, .checkpoints/audit.log.1, .checkpoints/exports, .checkpoints/replaced, .checkpoints/runs to ${repo.root}/.git/waymark`,
      );
      expect(await talk(project, "create", "--force")).not.toContain("moved ");
      expect(existsSync(repo.path(".checkpoints"))).toBe(false);
      expect(await readdir(await repo.gitPath("waymark/exports"))).toEqual(exports);
      const exclude = await readFile(await repo.gitPath("info/exclude"), "utf8");
      expect(exclude).toMatch(/^\*\.mine\n# the end$/m);
      expect(exclude).not.toContain("checkpoints");
      expect(await status(project)).toBe(before);
      expect(items((await project.ok("log")).json, "entries").length).toBeGreaterThan(entries);
    });
  });

  it("[R215] stays where it would replace something, is tracked, is a link or has a copy of files beside it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await useAll(project);
      await asEarlier(project);
      const [name = ""] = await readdir(repo.path(".checkpoints/exports").toString());
      await repo.write(`.git/waymark/exports/${name}`, "another\n");
      await repo.write(".git/waymark/audit.log", "");
      await repo.write("outside/x", "x\n");
      await repo.remove(".checkpoints/runs");
      await symlink("../outside", repo.path(".checkpoints/runs"));
      await repo.git("add", "-f", ".checkpoints/replaced");
      await repo.write(".checkpoints/cp-01-plan-20261115-184530-a3f2/manifest.json", "{}\n");
      await talk(project, "create", "--force");
      expect(await repo.read(`.git/waymark/exports/${name}`).then(String)).toBe("another\n");
      expect((await readdir(repo.path(".checkpoints").toString())).toSorted()).toEqual([
        "cp-01-plan-20261115-184530-a3f2",
        "exports",
        "replaced",
        "runs",
      ]);
      const logs = (await readdir(await repo.gitPath("waymark"))).filter((one) =>
        one.startsWith("audit.log"),
      );
      expect(logs.toSorted()).toEqual(["audit.log", "audit.log.1", "audit.log.2"]);
      expect(await readFile(await repo.gitPath("info/exclude"), "utf8")).toContain(
        "/.checkpoints/",
      );
    });
  });

  it("[R215] keeps our line while another work tree has such a folder", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", join(repo.base, "linked"), "other");
      const linked = project.at("linked");
      await useAll(project);
      await asEarlier(project);
      await linked.repo.write(".checkpoints/audit.log", "{}\n");
      await linked.repo.write(".checkpoints/exports/old.bundle", "old\n");
      await project.create("--force");
      expect(existsSync(repo.path(".checkpoints"))).toBe(false);
      expect(await linked.repo.git("status", "--porcelain")).toBe("");
      await linked.create("--force");
      expect(existsSync(linked.repo.path(".checkpoints"))).toBe(false);
      expect(await linked.repo.git("status", "--porcelain", "--ignored")).toBe("");
      expect(await readFile(await repo.gitPath("info/exclude"), "utf8")).not.toContain("checkp");
    });
  });

  it.skipIf(!canKill)(
    "[R215] killed anywhere, the next command moves the rest",
    async () => {
      await withSeed(async (project) => {
        await useAll(project);
        const before = await status(project);
        await asEarlier(project);
        const [name = ""] = await readdir(project.repo.path(".checkpoints/exports").toString());
        await killed(project, ["cleanup"], async (copy) => {
          await copy.ok("cleanup");
          expect(
            existsSync(join(dirname(await copy.repo.gitPath("HEAD")), "waymark/exports", name)),
          ).toBe(true);
          // At worst the empty folder is left, without our line.
          const left = copy.repo.path(".checkpoints").toString();
          expect(await readdir(left).catch(() => [])).toEqual([]);
          expect(field((await copy.ok("log")).json, "entries")).not.toEqual([]);
          expect(await status(copy)).toBe(before);
        });
      });
    },
    240_000,
  );
});
