/** A rollback that does not work says where things stand, and damage that it meets is written down. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withDirty } from "../spec/project.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
    env: cliEnvironment(repo.env),
  });
}

describe("a rollback that fails", () => {
  it("names the branch, and the ways on", async () => {
    await withDirty(async (project) => {
      await project.ok("session", "start", "--type", "demo", "--id", "team");
      await project.ok("session", "save", "--phase", "build", "--step", "2");
      const id = await project.create();
      await project.repo.write("later.txt", "later\n");
      await project.repo.write(".git/index.lock", "");
      const failed = await talk(project, "rollback", id, "--yes");
      expect(failed.code).toBe(6);
      expect(failed.stderr).toContain(`The rollback to ${id} failed: all changes were reverted`);
      expect(failed.stderr).toMatch(/branch main at [0-9a-f]{8}\n +session team, step 2\n/);
      expect(failed.stderr).toContain(`waymark observe '*rollback-force:${id}'`);
      for (const word of ["continue", "abort"]) {
        const idle = await talk(project, "observe", `*${word}`);
        expect(idle.code).toBe(4);
        expect(idle.stderr).toMatch(/\*resume continues it, \*abandon:team archives it/);
      }
      await project.repo.remove(".git/index.lock");
      const forced = await talk(project, "observe", "*rollback-force", "--yes");
      expect(forced.code).toBe(0);
      expect(forced.stdout.toString("utf8")).toContain(id);
      expect((await talk(project, "observe", "*abandon:team", "--yes")).code).toBe(0);
      const { json } = await project.ok("session", "show", "team");
      expect(field(json, "session", "status")).toBe("abandoned");
    });
  });

  it("marks a damaged checkpoint, and offers one that is not", async () => {
    await withDirty(async (project) => {
      const sound = await project.create();
      await project.repo.write("b.txt", "only in the next one\n");
      const damaged = await project.create();
      const blob = `refs/waymark/cp/${damaged}:worktree/b.txt`;
      await deleteObject(project.repo, (await project.repo.store("rev-parse", blob)).trim());
      await project.repo.write("b.txt", "since\n");
      const refused = await project.run("rollback", damaged, "--yes");
      expect(refused.code).toBe(4);
      expect(field(refused.json, "error", "hint")).toContain(sound);
      const session = await project.repo.store(
        "log",
        "-1",
        "--format=%B",
        "refs/waymark/session/worktree-main",
      );
      expect(session).toMatch(new RegExp(`"corrupted": \\{\\s*"${damaged}"`));
      // Work continues without it, or it is rebuilt from the file that is there again.
      await project.create();
      await project.repo.write("b.txt", "only in the next one\n");
      await project.ok("rebuild", damaged);
      await project.rollBack(damaged);
    });
  });
});
