/** `waymark git`: any git command on the store, as the user typed it. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withDirty } from "../spec/project.ts";
import { bin, cliEnvironment, expectExit } from "../support/cli.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

function git({ repo }: RuleProject, ...words: string[]): Promise<CommandResult> {
  const env = { ...cliEnvironment(repo.env), GIT_INDEX_FILE: "/elsewhere", GIT_WORK_TREE: "/" };
  return runCommand(process.execPath, [bin, "git", ...words], { cwd: repo.root, env });
}

describe("waymark git", () => {
  it("runs git on the store, with every word as it was typed", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const refs = await git(project, "for-each-ref", "--format=%(refname)", "refs/waymark/cp");
      expect(refs.stdout.toString()).toBe(`refs/waymark/cp/${id}\n`);
      const log = await git(project, "-c", "color.ui=never", "log", "--all", "-n1", "--format=%H");
      expect(log.stdout.toString()).toMatch(/^[0-9a-f]{40}\n$/);
      expect((await git(project, "fsck", "--strict")).code).toBe(0);
      expect((await git(project, "--version")).stdout.toString()).toMatch(/^git version/);
      expect((await git(project, "--", "nonsense")).code).toBe(1);
      expect((await git(project, "--help")).stdout.toString()).toContain("waymark git");
      expect((await git(project, "rev-parse", "-q", "--verify", "refs/none")).code).toBe(1);
      await project.repo.git("config", "alias.own", "rev-parse --is-bare-repository");
      await project.ok("git", "fsck");
    });
  });

  it.each(["gc", "repack", "prune", "prune-packed", "maintenance"])(
    "does not run %s",
    async (command) => {
      await withDirty(async (project) => {
        await project.create();
        const result = await git(project, "-C", ".", command);
        expect(result.code).toBe(2);
        expect(result.stderr).toContain("waymark cleanup");
      });
    },
  );

  it("does not create a store", async () => {
    await withDirty(async (project) => {
      const result = await project.run("git", "log", "--all");
      expectExit(result, 3);
      expect(await project.repo.git("for-each-ref", "refs/waymark")).toBe("");
    });
  });
});
