/** What hooks take checkpoints of, and what is written down about it. */
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shellQuote, waymark, waymarkShellCommand } from "../support/cli.ts";
import { withHooks } from "./hooked-project.ts";

describe("before a tool", () => {
  it("[R101] holds what is there before each call that may change something", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await repo.write("a.txt", "first\n");
      expect(await hooked.write("a.txt")).toBe("");
      await repo.write("a.txt", "second\n");
      await repo.write("by-shell.txt", "made by a command\n");
      expect(await hooked.preTool("Bash", { command: "npm test" })).toBe("");
      await repo.write("a.txt", "third\n");
      await repo.remove("by-shell.txt");

      const [first, second] = await hooked.checkpoints();
      expect([first?.reason, second?.reason]).toEqual([
        "before Write a.txt",
        "before Bash: npm test",
      ]);
      await hooked.project.rollBack(second?.id ?? "");
      expect((await repo.read("a.txt")).toString()).toBe("second\n");
      expect((await repo.read("by-shell.txt")).toString()).toBe("made by a command\n");
      await hooked.project.rollBack(first?.id ?? "");
      expect((await repo.read("a.txt")).toString()).toBe("first\n");
      expect(await repo.exists("by-shell.txt")).toBe(false);
    });
  });

  it("[R101] takes none when nothing changed, and writes the step down all the same", async () => {
    await withHooks(async (hooked) => {
      await hooked.write("a.txt");
      await hooked.preTool("Bash", { command: "true" });
      await hooked.preTool("mcp__x__y", {});
      const checkpoints = await hooked.checkpoints();
      expect(checkpoints).toHaveLength(1);
      expect(hooked.steps().map((step) => [step.checkpoint_id, step.tool, step.paths])).toEqual([
        [checkpoints[0]?.id, "Write", ["a.txt"]],
        [checkpoints[0]?.id, "Bash", null],
        [checkpoints[0]?.id, "mcp__x__y", null],
      ]);
    });
  });

  it("says who, which session, which turn, which tool and which call", async () => {
    await withHooks(async (hooked) => {
      await hooked.prompt("go");
      await hooked.prompt("go on");
      await hooked.project.repo.write("a.txt", "1\n");
      await hooked.preTool("Write", { file_path: "a.txt" }, { tool_use_id: "toolu_1" });
      const [, last] = await hooked.checkpoints();
      expect(last).toMatchObject({
        trigger: "tool_use",
        created_by: {
          agent: "claude",
          agent_session_id: "session-1",
          tool_use_id: "toolu_1",
          turn: 2,
          tool: "Write",
        },
      });
      expect(hooked.steps().at(-1)).toMatchObject({
        checkpoint_id: last?.id,
        moment: "pre_tool",
        turn: 2,
        tool_kind: "write",
        tool_use_id: "toolu_1",
      });
    });
  });

  it("does not even look for a project when the tool only reads", async () => {
    await withHooks(async (hooked) => {
      for (const tool of ["Read", "Grep", "Glob"]) {
        expect(await hooked.preTool(tool, { file_path: "a.txt" })).toBe("");
      }
      expect(await hooked.call("PostToolUse", { tool_name: "Write" })).toBe("");
      expect(await hooked.call("Notification", { message: "x" })).toBe("");
      expect(existsSync(join(hooked.root, ".git/waymark"))).toBe(false);
    });
  });

  it("names files from the project's root, where links lead, and none outside", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await repo.write("src/real.txt", "x\n");
      await repo.link("link.txt", "src/real.txt");
      symlinkSync(hooked.root, join(repo.base, "other-name"));
      const edits = [
        `${repo.base}/other-name/src/new file.txt`,
        "link.txt",
        "../outside.txt",
        "/etc/passwd",
        ".git/config",
      ];
      for (const file_path of edits) await hooked.preTool("Edit", { file_path });
      expect(hooked.steps().map((step) => step.paths)).toEqual([
        ["src/new file.txt"],
        ["link.txt", "src/real.txt"],
        [],
        [],
        [],
      ]);
    });
  });

  it("[R132] writes the first line of the prompt down, without secrets, and of a command the program only", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      const secret = `hunter2${"x".repeat(5)}`;
      const commands = [
        `curl -u bob:${secret} https://example.com`,
        `mysql -p${secret} db`,
        `sshpass -p ${secret} ssh host`,
        `docker login -u bob -p ${secret}`,
        `echo ${secret} | sudo -S true`,
        `curl -H 'X-Api-Key: ${secret}' x`,
      ];
      for (const [at, command] of commands.entries()) {
        await repo.write("a.txt", `${at}\n`);
        await hooked.preTool("Bash", { command });
      }
      await repo.write("a.txt", "prompt\n");
      await hooked.prompt(`my password is ${secret}\nand more`);
      await repo.write("a.txt", "changed\n");
      await hooked.write("a.txt");
      expect((await hooked.checkpoints()).map(({ reason }) => reason)).toEqual([
        "before Bash: curl",
        "before Bash: mysql",
        "before Bash: sshpass",
        "before Bash: docker login",
        "before Bash: echo",
        "before Bash: curl",
        "before: my password is [redacted: told-secret]",
        "before Write a.txt (my password is [redacted: told-secret])",
      ]);
      expect((await repo.everyObject()).includes(secret)).toBe(false);
      const { json: log } = await hooked.project.ok("log");
      expect(JSON.stringify(log)).not.toContain(secret);
    });
  });

  it("says in every checkpoint of a turn what was asked, and who is at work", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      const work = async (text: string): Promise<void> => {
        await hooked.prompt(`${text}\n\nIt fails on CI.`);
        await hooked.write("a.txt");
        await repo.write("a.txt", `${text}\n`);
        await hooked.preTool("Bash", { command: "npm test -- --token x" });
        await hooked.call("Stop");
      };
      await work("fix the login test");
      await repo.write("a.txt", "of a person\n");
      await work("x".repeat(300));
      const line = `${"x".repeat(119)}…`;
      const short = `${"x".repeat(59)}…`;
      const checkpoints = await hooked.checkpoints();
      const rows = checkpoints.map(({ reason, created_by: { agent, turn, prompt } }) => [
        reason,
        [agent, turn, prompt],
      ]);
      expect(rows).toEqual([
        ["before: fix the login test", ["claude", 1, "fix the login test"]],
        ["before Bash: npm test (fix the login test)", ["claude", 1, "fix the login test"]],
        [`before: ${short}`, ["claude", 2, line]],
        [`before Bash: npm test (${short})`, ["claude", 2, line]],
      ]);
      const { json } = await hooked.project.ok("log");
      expect(JSON.stringify(json)).toContain("before Bash: npm test (fix the login test)");
    });
  });

  it("[R132] says nothing of prompts where the settings say so, also of one from before", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await hooked.prompt("fix the login test");
      await repo.write("waymark.yml", "agents: {prompts: false}\n");
      await hooked.write("a.txt");
      await hooked.call("Stop");
      await repo.write("a.txt", "more\n");
      await hooked.prompt("fix the logout test");
      await repo.write("a.txt", "much more\n");
      await hooked.call("Stop");
      const [, ...checkpoints] = await hooked.checkpoints();
      expect(checkpoints.map(({ reason }) => reason)).toEqual([
        "before Write a.txt",
        "before turn 2",
        "after turn 2",
      ]);
      expect(JSON.stringify(checkpoints)).not.toMatch(/login|logout/);
      expect(JSON.stringify((await hooked.project.ok("list")).json)).not.toContain("logout");
    });
  });

  it("takes none where the settings say so", async () => {
    await withHooks(async (hooked) => {
      await hooked.project.agreeTo("triggers: {tool_use: false}\n");
      await hooked.write("a.txt");
      expect(await hooked.checkpoints()).toEqual([]);
      await hooked.prompt("go");
      expect((await hooked.checkpoints()).map((each) => each.trigger)).toEqual(["auto"]);
      await hooked.project.agreeTo("strategy: manual\n");
      await hooked.write("a.txt");
      await hooked.prompt("go");
      await hooked.call("Stop");
      await hooked.call("SessionEnd", { reason: "other" });
      expect(await hooked.checkpoints()).toHaveLength(1);
      expect(hooked.steps()).toHaveLength(1);
    });
  });
});

describe("at other moments", () => {
  // Claude Code leaves a second and a half at the end of a session, which a busy machine may well need.
  const GEMINI = { agent: "gemini" };

  it("holds each turn from its prompt to its end, and the end of the session", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await hooked.call("SessionStart", { source: "startup" }, GEMINI);
      await repo.write("a.txt", "1\n");
      await hooked.call("BeforeAgent", { prompt: "Please add more" }, GEMINI);
      await repo.write("a.txt", "2\n");
      await hooked.call("AfterAgent", {}, GEMINI);
      await repo.write("a.txt", "3\n");
      await hooked.call("BeforeAgent", { prompt: "more" }, GEMINI);
      await repo.write("a.txt", "4\n");
      await hooked.call("SessionEnd", { reason: "other" }, GEMINI);
      const checkpoints = await hooked.checkpoints();
      expect(checkpoints.map(({ trigger, reason }) => [trigger, reason])).toEqual([
        ["auto", "before: Please add more"],
        ["auto", "after: Please add more"],
        ["auto", "before: more"],
        ["session_end", "end of the agent's session"],
      ]);
      expect(hooked.steps().map(({ moment, turn }) => [moment, turn])).toEqual([
        ["prompt", 1],
        ["turn_end", 1],
        ["prompt", 2],
        ["session_end", 2],
      ]);
      expect(hooked.remembered("durations")).toHaveLength(5);
    });
  });

  it("takes none at the end of a session in which nothing changed", async () => {
    await withHooks(async (hooked) => {
      await hooked.call("BeforeAgent", { prompt: "look" }, GEMINI);
      await hooked.call("AfterAgent", {}, GEMINI);
      await hooked.call("SessionEnd", { reason: "clear" }, GEMINI);
      expect(await hooked.checkpoints()).toHaveLength(1);
      expect(hooked.steps()).toHaveLength(3);
    });
  });
});

describe("the automatic cleanup", () => {
  it("comes with prompts and turns, and does not keep a tool waiting", async () => {
    await withHooks(async (hooked) => {
      const log = join(hooked.root, ".git/waymark/last-cleanup.json");
      const env = { WAYMARK_NO_AUTO_CLEANUP: "" };
      await hooked.write("a.txt", { env });
      expect(existsSync(log)).toBe(false);
      await hooked.project.repo.write("a.txt", "1\n");
      await hooked.prompt("go", { env });
      expect(existsSync(log)).toBe(true);
    });
  });
});

describe("whose checkpoint it is", () => {
  it("belongs to the workflow that the agent runs in", async () => {
    await withHooks(async (hooked) => {
      await hooked.project.repo.write(
        "flow.yml",
        [
          "name: with-an-agent",
          "type: implement",
          "project: demo",
          "phases:",
          "  - name: implement",
          "    run: ./agent.sh",
          "",
        ].join("\n"),
      );
      const payload = JSON.stringify({
        session_id: "inner",
        cwd: hooked.root,
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "make" },
        tool_use_id: "inner-1",
      });
      await hooked.project.repo.write(
        "agent.sh",
        `#!/bin/sh\necho work > made.txt\nprintf %s ${shellQuote(payload)} | ${waymarkShellCommand("hook", "claude")}\n`,
        0o755,
      );
      // Otherwise it would be gone when the run has ended well.
      await hooked.project.repo.write("waymark.yml", "retention: {on_success: keep_all}\n");
      await hooked.project.ok("run", "flow.yml");
      const taken = (await hooked.checkpoints()).filter((each) => each.trigger === "tool_use");
      expect(taken.map(({ session_id, created_by }) => [session_id, created_by.agent])).toEqual([
        [expect.stringMatching(/^implement_demo_/), "claude"],
      ]);
      expect(hooked.remembered("failures.ndjson")).toEqual([]);
    });
  });

  it("is the work tree's own where the workflow is another project's", async () => {
    await withHooks(async (hooked) => {
      await hooked.write("a.txt", { env: { WAYMARK_SESSION: "implement_other_20260101_000000" } });
      await hooked.write("b.txt", { env: { WAYMARK_SESSION: "../../no session" } });
      const sessions = (await hooked.checkpoints()).map((each) => each.session_id);
      await hooked.project.ok("create", "--force");
      expect(sessions).toEqual([(await hooked.checkpoints()).at(-1)?.session_id]);
      expect(hooked.remembered("failures.ndjson")).toEqual([]);
    });
  });

  it("is the work tree's own where the workflow has ended: what that held may be cleaned up", async () => {
    await withHooks(async (hooked) => {
      const { project } = hooked;
      const { json } = await project.ok("session", "start", "--type", "implement");
      const { id } = (json as { session: { id: string } }).session;
      await project.ok("session", "complete");
      await project.repo.write("a.txt", "after its end\n");
      await hooked.write("a.txt", { env: { WAYMARK_SESSION: id } });
      const [taken] = (await hooked.checkpoints()).filter(({ trigger }) => trigger === "tool_use");
      expect(taken?.session_id).toMatch(/^worktree-/);
    });
  });

  it("a command that an agent runs says which agent that was", async () => {
    await withHooks(async ({ project }) => {
      const env = { ...project.repo.env, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc" };
      const { json } = await waymark(project.repo.root, ["create"], { env });
      expect(json).toMatchObject({
        checkpoint: { created_by: { agent: "claude", agent_session_id: "abc" } },
      });
    });
  });
});
