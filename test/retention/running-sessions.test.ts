/** Cleaning up leaves alone what a running phase, or a running batch, would go back to. */
import { expect, it } from "vitest";
import { withDirty } from "../spec/project.ts";
import { waymarkShellCommand } from "../support/cli.ts";

it("a phase that runs keeps the checkpoint before it, whatever the limits are", async () => {
  await withDirty(async (project) => {
    const { root } = project.repo;
    const inside = (...args: string[]): string => waymarkShellCommand("-C", root, ...args);
    const script = [
      inside("create", "--force", "-m", "newer"),
      inside("cleanup", "--keep", "0", "--yes", "--now"),
      "exit 3",
    ].join(" && ");
    const failed = await project.run("phase", "implement", "--", "sh", "-c", script);
    expect(failed.json).toMatchObject({ status: "failed", exit_code: 3 });
    await project.ok("rollback", "phase:implement", "--yes");
  });
});

it("a batch that runs keeps the checkpoint that a retry starts from", async () => {
  await withDirty(async (project) => {
    const { root } = project.repo;
    const inside = (...args: string[]): string => waymarkShellCommand("-C", root, ...args);
    await project.repo.write(
      "flow.yml",
      `name: again\ntype: demo\nphases:\n  - name: one\n    retries: 1\n    run: |\n      test "$WAYMARK_ATTEMPT" = 2 && exit 0\n      ${inside("create", "--force", "-m", "newer")} && ${inside("cleanup", "--keep", "0", "--yes", "--now")}\n      echo left > left.txt\n      exit 1\n`,
    );
    const result = await project.run("run", "flow.yml");
    expect(result.code).toBe(0);
    expect(await project.repo.exists("left.txt")).toBe(false);
  });
});
