/** Commands that only look need no right to write into the repository. */
import { describe, expect, it } from "vitest";
import { bin } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed } from "../spec/project.ts";

/** Root writes everywhere, unless it gives that up. */
const isRoot = process.getuid?.() === 0;
const WITHOUT_POWER = isRoot
  ? ["--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]
  : [];

describe("a repository that cannot be written", () => {
  it("is no obstacle for what only looks, and one for a checkpoint", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "changed since\n");
      // Changed in the second in which the index was written: git looks at a copy of it.
      await repo.git("add", "a.txt");
      const asked = async (...args: readonly string[]): Promise<unknown> => {
        const words = [...WITHOUT_POWER, process.execPath, bin, "-C", repo.root, ...args, "--json"];
        return JSON.parse(
          (
            await runCommand(isRoot ? "setpriv" : "env", words, { env: repo.env })
          ).stdout.toString(),
        );
      };
      await runCommand("chmod", ["-R", "a-w", `${repo.root}/.git`], { env: repo.env });
      try {
        expect(field(await asked("status"), "changed_since", "files")).toBe(1);
        expect(text(await asked("diff", "--patch"), "patch")).toContain("+changed since");
        expect(field(await asked("rollback", id, "--dry-run"), "error")).toBeUndefined();
        expect(text(await asked("create"), "error", "code")).toBe("no_permission");
      } finally {
        await runCommand("chmod", ["-R", "u+w", `${repo.root}/.git`], { env: repo.env });
      }
    });
  });
});
