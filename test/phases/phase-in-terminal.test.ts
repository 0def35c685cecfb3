/** Ctrl+C during a phase, in a real terminal. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDirty } from "../spec/project.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

const CTRL_C = "\u0003";

describe.skipIf(!hasTerminal)("waymark phase in a terminal", () => {
  it("takes a user_interrupt checkpoint, and says how to resume in its last line", async () => {
    await withDirty(async (project) => {
      const { root, env } = project.repo;
      const act = "echo half > half.txt; echo begun; exec sleep 60";
      const { code, screen } = await inTerminal(
        root,
        ["phase", "implement", "--", "sh", "-c", act],
        [{ see: "begun", type: CTRL_C }],
        env,
      );
      expect(code).toBe(130);
      const last = screen.trimEnd().split("\r\n").at(-1);
      expect(last).toMatch(/^resume with: waymark resume phases_\w+$/);
      const { json } = await project.ok("list");
      const [newest] = (json as { checkpoints: Record<string, unknown>[] }).checkpoints;
      expect(newest).toMatchObject({ trigger: "user_interrupt", phase: "implement" });
      await project.ok("rollback", "phase:implement", "--yes");
      await expect(readFile(join(root, "half.txt"))).rejects.toMatchObject({ code: "ENOENT" });
      await project.ok("undo", "--yes");
      expect(await readFile(join(root, "half.txt"), "utf8")).toBe("half\n");
    });
  });
});
