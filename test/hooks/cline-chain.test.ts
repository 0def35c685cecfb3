/** Cline's user has a script of their own where ours has to be: both are heard. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { withHooks, type HookedProject } from "./hooked-project.ts";

let calls = 0;

/** Runs the installed script before a tool, as Cline does. */
async function preTool(hooked: HookedProject, env: NodeJS.ProcessEnv = {}) {
  const { repo } = hooked.project;
  const shims = join(repo.base, "shims");
  await mkdir(shims, { recursive: true });
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  await writeFile(join(shims, "waymark"), shim, { mode: 0o755 });
  const input = JSON.stringify({
    taskId: "task-1",
    hookName: "tool_call",
    workspaceRoots: [repo.root],
    sessionContext: { rootSessionId: "session-c" },
    tool_call: { id: `call-${calls++}`, name: "run_commands", input: { commands: ["ls"] } },
  });
  const { code, stdout, stderr } = await runCommand(
    join(repo.root, ".clinerules/hooks/PreToolUse"),
    [],
    {
      cwd: repo.root,
      env: { ...repo.env, PATH: `${shims}:${process.env["PATH"]}`, ...env },
      input,
    },
  );
  return { code, stdout: stdout.toString(), stderr };
}

async function withScript(
  script: string,
  body: (hooked: HookedProject) => Promise<void>,
): Promise<void> {
  await withHooks(async (hooked) => {
    const { repo } = hooked.project;
    await repo.write(".clinerules/hooks/PreToolUse", `#!/bin/sh\ncat >/dev/null\n${script}\n`);
    await hooked.project.ok("hooks", "install", "cline");
    await body(hooked);
  });
}

const CLOSED = { WAYMARK_CAPTURE_MAX_FILES: "1", WAYMARK_AGENTS_POLICY: "fail_closed" };

async function rollBack(hooked: HookedProject): Promise<void> {
  const { repo } = hooked.project;
  await repo.write("a.txt", "of the agent\n");
  await preTool(hooked);
  await repo.write("a.txt", "more\n");
  const [first] = await hooked.checkpoints();
  await hooked.project.ok("rollback", first?.id ?? "", "--yes");
}

describe("beside a script of Cline's user", () => {
  it("[R133] denies whatever that script says, and however it ends", async () => {
    await withScript(`echo '{"cancel":false}'; exit 3`, async (hooked) => {
      await hooked.project.repo.write("new.txt", "x\n");
      const { code, stdout } = await preTool(hooked, CLOSED);
      expect(JSON.parse(stdout)).toMatchObject({ cancel: true });
      expect(code).toBe(0);
      const allowed = await preTool(hooked);
      expect([allowed.code, allowed.stdout]).toEqual([3, '{"cancel":false}']);
    });
  });

  it("[R133] joins the note about a rollback with what that script says", async () => {
    await withScript(`echo '{"cancel":false,"contextModification":"theirs"}'`, async (hooked) => {
      await rollBack(hooked);
      const { stdout } = await preTool(hooked);
      const said = JSON.parse(stdout) as { contextModification: string };
      expect(said.contextModification).toMatch(/^theirs\n\n[^]*rolled back/);
    });
  });

  it("[R133] keeps the note until it can be told", async () => {
    const script = `if [ -f plain ]; then echo plain; fi`;
    await withScript(script, async (hooked) => {
      await rollBack(hooked);
      await hooked.project.repo.write("plain", "");
      expect((await preTool(hooked)).stdout).toBe("plain");
      await hooked.project.repo.remove("plain");
      expect((await preTool(hooked)).stdout).toContain("rolled back");
      expect((await preTool(hooked)).stdout).toBe("");
    });
  });
});
