/** A hook is never in the way: it ends with 0 and says nothing, whatever it is given and wherever it is called. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, cliEnvironment } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { RuleProject } from "../spec/project.ts";
import { HookedProject, withHooks, type CallOptions } from "./hooked-project.ts";

const WRITE = {
  session_id: "s",
  hook_event_name: "PreToolUse",
  tool_name: "Write",
  tool_input: { file_path: "a.txt", content: "x" },
  tool_use_id: "t",
};

describe("whatever it is given", () => {
  it.each<[string, Buffer | string, CallOptions]>([
    ["an unknown agent", JSON.stringify(WRITE), { agent: "hal" }],
    ["no agent", "", { agent: "" }],
    ["flags that nobody knows", "", { args: ["--bogus", "--json=3"] }],
    ["nothing", "", {}],
    ["no JSON", "<html>", {}],
    ["half of a payload", JSON.stringify(WRITE).slice(0, 40), {}],
    ["no object", "[1, 2]", {}],
    ["null", "null", {}],
    ["bytes of no encoding", Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]), {}],
    ["an event that nobody knows", JSON.stringify({ hook_event_name: "Dream" }), {}],
    ["deep nesting", "[".repeat(200_000), {}],
    ["a folder that is gone", JSON.stringify({ ...WRITE, cwd: "/no/such/folder" }), {}],
    ["a folder that is a file", JSON.stringify({ ...WRITE, cwd: "/etc/passwd" }), {}],
    ["a folder with a zero byte", JSON.stringify({ ...WRITE, cwd: "/tmp/a\0b" }), {}],
  ])("[R100] %s: ends with 0, says nothing and does nothing", async (_, input, options) => {
    await withHooks(async (hooked) => {
      const result = await hooked.raw(input, options);
      expect([result.code, result.stdout.toString()]).toEqual([0, ""]);
      expect(existsSync(join(hooked.root, ".git/waymark"))).toBe(false);
    });
  });

  it("takes a payload with a mark at its beginning, Windows line ends and broken characters", async () => {
    await withHooks(async (hooked) => {
      const text = JSON.stringify({ ...WRITE, cwd: hooked.root, x: "_" }, null, 2);
      const [before = "", after = ""] = `\uFEFF${text.replaceAll("\n", "\r\n")}\r\n`.split('"_"');
      const bytes = Buffer.concat([
        Buffer.from(`${before}"`),
        Buffer.from([0xc3, 0x28]),
        Buffer.from(`"${after}`),
      ]);
      expect((await hooked.raw(bytes)).code).toBe(0);
      expect((await hooked.checkpoints()).map((each) => each.reason)).toEqual([
        "before Write a.txt",
      ]);
    });
  });

  it("takes the checkpoint also when what a tool writes is too long to be read", async () => {
    await withHooks(async (hooked) => {
      const tool_input = { file_path: "a.txt", content: "x".repeat(17_000_000) };
      const payload = { ...WRITE, cwd: hooked.root, tool_input: undefined };
      const text = `${JSON.stringify(payload).slice(0, -1)},"tool_input":${JSON.stringify(tool_input)}}`;
      const result = await hooked.raw(text);
      expect([result.code, result.stdout.toString()]).toEqual([0, ""]);
      const [taken] = await hooked.checkpoints();
      expect(taken?.created_by).toMatchObject({ tool: "Write", agent_session_id: "s" });
    });
  });

  it("does not wait for input that never ends", async () => {
    await withHooks(async (hooked) => {
      const run = (text: string): Promise<number | null> =>
        new Promise((resolve, reject) => {
          const child = spawn(process.execPath, [bin, "hook", "claude"], {
            cwd: hooked.root,
            env: cliEnvironment(hooked.project.repo.env),
            stdio: ["pipe", "ignore", "ignore"],
          });
          child.on("error", reject);
          child.on("close", resolve);
          child.stdin.on("error", () => undefined);
          child.stdin.write(text);
        });
      expect(await run("")).toBe(0);
      expect(await run('{"hook_event_name"')).toBe(0);
      // All of it is there, only the end of the pipe is not.
      expect(await run(JSON.stringify({ ...WRITE, cwd: hooked.root }))).toBe(0);
      expect(await hooked.checkpoints()).toHaveLength(1);
    });
  });

  it.each(["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-", "</dev/null", "<."])(
    "[R100] ends with 0 when it is started with %s",
    async (redirection) => {
      await withHooks(async (hooked) => {
        const script = `"$1" "$2" hook claude PreToolUse ${redirection}`;
        const result = await runCommand("sh", ["-c", script, "sh", process.execPath, bin], {
          cwd: hooked.root,
          env: cliEnvironment(hooked.project.repo.env),
        });
        expect([result.code, result.stdout.toString()]).toEqual([0, ""]);
      });
    },
  );
});

describe("where there is no project", () => {
  it("[R100] ends with 0, says nothing and makes none", async () => {
    await withTempProject(async (repo) => {
      const hooked = new HookedProject(new RuleProject(repo));
      expect(await hooked.prompt("hello")).toBe("");
      expect(await hooked.write("a.txt")).toBe("");
      const closed = { env: { WAYMARK_AGENTS_POLICY: "fail_closed" } };
      expect(await hooked.write("a.txt", closed)).toBe("");
      expect(readdirSync(repo.root)).toEqual([]);
      expect(readdirSync(repo.home)).toEqual([]);
    });
  });

  it.each([
    ["inside of the git folder", "project/.git/hooks"],
    ["in a bare repository", "bare.git"],
    ["in the home folder, although it is a repository", "home"],
  ])("[R100] %s: says nothing", async (_, folder) => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      mkdirSync(join(hooked.root, ".git/hooks"), { recursive: true });
      await repo.git("init", "-q", "--bare", join(repo.base, "bare.git"));
      await repo.git("init", "-q", repo.home);
      const env = { WAYMARK_AGENTS_POLICY: "fail_closed" };
      const cwd = join(repo.base, folder);
      expect(await hooked.preTool("Write", { file_path: "a" }, { cwd }, { env })).toBe("");
      expect(await hooked.call("UserPromptSubmit", { prompt: "x", cwd }, { env })).toBe("");
    });
  });

  it("[R100] in a folder that is removed while the agent is in it: says nothing", async () => {
    await withHooks(async (hooked) => {
      const gone = join(hooked.project.repo.base, "gone");
      mkdirSync(gone);
      const script = 'rmdir "$PWD"; exec "$1" "$2" hook claude';
      const { cwd: _, ...payload } = { ...WRITE, cwd: "" };
      const result = await runCommand("sh", ["-c", script, "sh", process.execPath, bin], {
        cwd: gone,
        env: cliEnvironment(hooked.project.repo.env),
        input: JSON.stringify(payload),
      });
      expect([result.code, result.stdout.toString()]).toEqual([0, ""]);
      rmSync(gone, { recursive: true, force: true });
    });
  });

  it("works in a plain folder that has checkpoints", async () => {
    await withTempProject(async (repo) => {
      const project = new RuleProject(repo);
      const hooked = new HookedProject(project);
      await repo.write("a.txt", "1\n");
      await project.ok("create");
      await repo.write("a.txt", "2\n");
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });
});

describe("the command line", () => {
  it("has help for it, and takes it with options before and after", async () => {
    await withHooks(async ({ project, root }) => {
      const help = await project.run("hook", "--help");
      expect(help.stdout.toString()).toContain("exit code is always 0");
      const payload = JSON.stringify({ ...WRITE, cwd: "/" });
      for (const args of [
        ["-C", root, "--quiet", "hook", "claude"],
        ["hook", "claude", "-C", root, "--nonsense"],
      ]) {
        const result = await runCommand(process.execPath, [bin, ...args], {
          cwd: project.repo.base,
          env: cliEnvironment(project.repo.env),
          input: payload,
        });
        expect([result.code, result.stdout.toString()]).toEqual([0, ""]);
      }
      expect(await new HookedProject(project).checkpoints()).toHaveLength(1);
    });
  });
});
