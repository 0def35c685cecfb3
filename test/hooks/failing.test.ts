/** What happens when no checkpoint can be taken. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDirty } from "../support/seed-repository.ts";
import { withHooks, type CallOptions, type HookedProject } from "./hooked-project.ts";

/** More files than it may hold: every checkpoint is refused. */
const REFUSED: CallOptions = { env: { WAYMARK_CAPTURE_MAX_FILES: "1" } };
const CLOSED: CallOptions = {
  env: { ...REFUSED.env, WAYMARK_AGENTS_POLICY: "fail_closed" },
};

async function withDirtyHooks(body: (hooked: HookedProject) => Promise<void>): Promise<void> {
  await withHooks(async (hooked) => {
    await makeDirty(hooked.project.repo);
    await body(hooked);
  });
}

const messageOf = (stdout: string): string =>
  (JSON.parse(stdout) as { systemMessage: string }).systemMessage;

describe("fail_open", () => {
  it("[R104] tells it once per session, and again when it has worked in between", async () => {
    await withDirtyHooks(async (hooked) => {
      const first = messageOf(await hooked.write("a.txt", REFUSED));
      expect(first).toMatch(/^Waymark could not create a checkpoint: .*files/);
      expect(first).toMatch(/Since \d{4}-.*Z the changes of this agent are not protected/);
      expect(first).toContain("waymark doctor");
      expect(await hooked.write("a.txt", REFUSED)).toBe("");
      expect(await hooked.prompt("go", REFUSED)).toBe("");
      expect(await hooked.call("Stop", {}, REFUSED)).toBe("");
      expect(messageOf(await hooked.as("session-2").prompt("go", REFUSED))).toContain("Since");
      expect(await hooked.checkpoints()).toEqual([]);

      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(1);
      await hooked.project.repo.write("more.txt", "x\n");
      expect(messageOf(await hooked.write("a.txt", REFUSED))).toContain("Since");
      expect(await hooked.write("a.txt", REFUSED)).toBe("");
    });
  });

  it("keeps every failure for doctor and in the audit log", async () => {
    await withDirtyHooks(async (hooked) => {
      await hooked.write("a.txt", REFUSED);
      await hooked.prompt("go", REFUSED);
      const failures = hooked.remembered("failures.ndjson").map((line) => JSON.parse(line));
      expect(failures).toMatchObject([
        { agent: "claude", agent_session_id: "session-1", moment: "pre_tool", code: "over_budget" },
        { moment: "prompt", code: "over_budget" },
      ]);
      const { json } = await hooked.project.ok("log", "--all");
      const said = JSON.stringify(json);
      expect(said.match(/over_budget/g)?.length).toBeGreaterThanOrEqual(2);
    });
  });

  it("[R104] asks an agent that shows nothing to its user to pass it on, where it listens", async () => {
    await withDirtyHooks(async (hooked) => {
      const copilot = { ...REFUSED, agent: "copilot" };
      const silent = { ...copilot, args: ["preToolUse"] };
      const tool = { toolName: "create", toolArgs: { path: "a.txt", file_text: "x" } };
      const base = { sessionId: "c", cwd: hooked.root };
      const before = await hooked.raw(JSON.stringify({ ...base, ...tool }), silent);
      expect(before.stdout.toString()).toBe("");
      expect(before.stderr).toContain("Waymark could not create a checkpoint");
      const prompt = { ...copilot, args: ["userPromptSubmitted"] };
      const ask = async (text: string): Promise<string> =>
        (await hooked.raw(JSON.stringify({ ...base, prompt: text }), prompt)).stdout.toString();
      expect(await ask("one")).toContain("Tell the user");
      expect(await ask("two")).toBe("");
    });
  });

  it("tells of a repository that git does not accept, once, and of one that works again nothing", async () => {
    await withHooks(async (hooked) => {
      const head = join(hooked.root, ".git/HEAD");
      const content = readFileSync(head);
      rmSync(head);
      expect(messageOf(await hooked.write("a.txt"))).toContain("git does not accept");
      expect(await hooked.write("a.txt")).toBe("");
      writeFileSync(head, content);
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(1);
      rmSync(head);
      expect(messageOf(await hooked.write("a.txt"))).toContain("git does not accept");
    });
  });

  it("goes on with defaults where settings are wrong", async () => {
    await withHooks(async (hooked) => {
      await hooked.project.repo.write("waymark.yml", "strategy: sometimes\n");
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(1);
    });
  });

  it("takes the checkpoint where its memory cannot be written, and says what is wrong", async () => {
    await withHooks(async (hooked) => {
      mkdirSync(join(hooked.root, ".git/waymark"));
      writeFileSync(join(hooked.root, ".git/waymark/agents"), "in the way");
      const said = messageOf(await hooked.write("a.txt"));
      expect(said).toMatch(/^Waymark created the checkpoint but could not record .*agents/);
      expect(await hooked.write("a.txt")).toBe("");
      const closed = { env: { WAYMARK_AGENTS_POLICY: "fail_closed" } };
      expect(await hooked.as("session-2").write("a.txt", closed)).not.toContain("deny");
      expect(await hooked.checkpoints()).toHaveLength(1);
    });
  });
});

describe("fail_closed", () => {
  it("[R103] denies each tool that may change something, with the reason and what to do", async () => {
    await withDirtyHooks(async (hooked) => {
      for (const tool of ["Write", "Bash", "mcp__x__y"]) {
        const said = JSON.parse(await hooked.preTool(tool, { file_path: "a" }, {}, CLOSED)) as {
          hookSpecificOutput: Record<string, string>;
        };
        expect(said).toEqual({
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
            permissionDecisionReason: expect.stringContaining("agents.claude: fail_open"),
          },
        });
        expect(said.hookSpecificOutput["permissionDecisionReason"]).toContain("waymark doctor");
      }
      expect(await hooked.checkpoints()).toEqual([]);
    });
  });

  it("[R103] denies neither prompts nor tools that read, nor anything that works", async () => {
    await withDirtyHooks(async (hooked) => {
      expect(await hooked.preTool("Read", { file_path: "a" }, {}, CLOSED)).toBe("");
      const prompt = await hooked.prompt("go", CLOSED);
      expect(messageOf(prompt)).toContain("could not create a checkpoint");
      expect(prompt).not.toMatch(/deny|block/);
      expect(await hooked.call("Stop", {}, CLOSED)).toBe("");
      const works = { env: { WAYMARK_AGENTS_POLICY: "fail_closed" } };
      expect(await hooked.write("a.txt", works)).toBe("");
    });
  });

  it("[R103] is a choice per agent", async () => {
    await withDirtyHooks(async (hooked) => {
      const gemini = { ...REFUSED, agent: "gemini" };
      await hooked.project.repo.write("waymark.yml", "agents: {gemini: fail_closed}\n");
      const fields = { tool_name: "write_file", tool_input: { file_path: "a", content: "x" } };
      expect(JSON.parse(await hooked.call("BeforeTool", fields, gemini))).toMatchObject({
        decision: "deny",
      });
      expect(messageOf(await hooked.write("a.txt", REFUSED))).not.toBe("");
    });
  });

  it("[R103] holds for a repository that cannot be opened", async () => {
    await withHooks(async (hooked) => {
      await hooked.project.repo.write("waymark.yml", "agents: {policy: fail_closed}\n");
      rmSync(join(hooked.root, ".git/HEAD"));
      expect(await hooked.write("a.txt")).toContain('"permissionDecision":"deny"');
      expect(await hooked.write("a.txt")).toContain('"permissionDecision":"deny"');
    });
  });
});

describe("the deadline", () => {
  /** A git that takes for ever to compare files. */
  function slowGit(base: string): CallOptions {
    const folder = join(base, "slow");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "git"),
      `#!/bin/sh\nPATH=$REAL_PATH\ncase "$*" in *diff-files*) exec sleep 30;; esac\nexec git "$@"\n`,
    );
    chmodSync(join(folder, "git"), 0o755);
    const REAL_PATH = process.env["PATH"] ?? "";
    const PATH = `${folder}${delimiter}${REAL_PATH}`;
    return { env: { PATH, REAL_PATH, WAYMARK_AGENTS_DEADLINE: "1s" } };
  }

  it("gives up in time, says so once, and leaves nothing behind", async () => {
    await withHooks(async (hooked) => {
      const slow = slowGit(hooked.project.repo.base);
      expect(messageOf(await hooked.write("a.txt", slow))).toContain("longer than 1 second");
      expect(await hooked.write("a.txt", slow)).toBe("");
      const env = { ...slow.env, WAYMARK_AGENTS_POLICY: "fail_closed" };
      expect(await hooked.write("a.txt", { env })).toContain("longer than 1 second");
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(1);
      const quarantine = join(hooked.root, ".git/waymark/quarantine");
      expect(existsSync(quarantine) ? readdirSync(quarantine) : []).toEqual([]);
      await hooked.project.repo.git("fsck", "--strict");
      await hooked.project.repo.store("fsck", "--strict");
    });
  });
});
