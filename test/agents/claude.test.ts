/** Claude Code, the real one. */
import { describe, expect, test } from "vitest";
import { field } from "../support/json.ts";
import { expectDone, runAgent } from "./support/agent-driver.ts";
import { agentSuite } from "./support/agent-suite.ts";
import { withHooks } from "./support/agent-work.ts";
import { claude } from "./support/drivers/claude.ts";
import { pluginSuite } from "./support/plugin-suite.ts";
import { realAgent } from "./support/real-agent.ts";

agentSuite({
  driver: claude,
  toolNames: { edit: "Edit", shell: "Bash" },
  hasCallIds: true,
  settings: {
    file: ".claude/settings.json",
    content: '{\r\n\t"env": { "MINE": "1" },\r\n\t"hooks": {}\r\n}',
  },
  async registerAgain(project) {
    await project.ok("hooks", "install", "claude", "--scope", "local", "--via", "file");
  },
});

pluginSuite(claude, ".claude/settings.json");

const agent = realAgent("claude", "what is special");

describe.skipIf(agent.isMissing)(agent.title, () => {
  test("several tools in one answer: a checkpoint before each", async () => {
    await withHooks(claude, async (project) => {
      const write = (content: string) => claude.tools.write(project, "b.txt", content);
      const append = claude.tools.shell("echo four >> b.txt");
      const script = [{ calls: [write("one\n"), write("two\n"), write("three\n"), append] }];
      expectDone(await runAgent(claude, project, { script }));
      expect(String(await project.repo.read("b.txt"))).toBe("three\nfour\n");
      const taken = await project.checkpoints();
      const held = await Promise.all(taken.map((checkpoint) => checkpoint.file("b.txt")));
      expect(held).toEqual([undefined, "one\n", "two\n", "three\n", "three\nfour\n"]);
      const calls = taken.map(({ document }) => field(document, "created_by", "tool_use_id"));
      expect(new Set(calls.slice(1, 4)).size).toBe(3);
    });
  });
});
