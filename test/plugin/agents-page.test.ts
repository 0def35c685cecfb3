/** docs/agents.md after an agent was at work: every command prints what the page says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageBlocks, withoutChance } from "../support/page-blocks.ts";
import { Folder } from "./folder.ts";

const blocks = (await pageBlocks("docs/agents.md")).filter(
  ({ language }) => language === "console",
);

const BEFORE = `
git init -q -b main
mkdir config src
echo 'port: 80' > config/app.yml
echo 'debug: true' > config/dev.yml
echo 'start()' > src/main.js
git add . && git commit -qm begin
echo 'name: shop' >> config/app.yml
echo idea > notes.md
`;

/** What Claude Code says around its work, and the work. */
async function agentAtWork(folder: Folder): Promise<void> {
  const hear = (event: string, more: object): Promise<string> =>
    folder.hook({
      session_id: "7c1f20aa-31c4-4f8e-9d55-2f6a3d0b8e11",
      hook_event_name: event,
      ...more,
    });
  const call = (tool: string, id: string, input: object): Promise<string> =>
    hear("PreToolUse", { tool_name: tool, tool_use_id: id, tool_input: input });
  await hear("UserPromptSubmit", { prompt: "tidy up the configuration" });
  await call("Write", "1", { file_path: `${folder.project}/src/config.js`, content: "x" });
  await folder.shell("echo 'export default {}' > src/config.js");
  await call("Bash", "2", { command: "rm -r config notes.md" });
  await folder.shell("rm -r config notes.md");
  await hear("Stop", { stop_hook_active: false });
}

/** Columns are cut by tabs, and who did it is whoever runs the test. */
const comparable = (text: string): string =>
  withoutChance(text.replaceAll("\t", "  ").replaceAll(/\w+ \(claude\) {2}create/g, "ada  create"));

describe("docs/agents.md", () => {
  let folder: Folder;

  beforeAll(async () => {
    folder = await Folder.make();
    await folder.shell(BEFORE);
    await agentAtWork(folder);
  });

  afterAll(() => folder.remove());

  it("prints what the page says", async () => {
    expect(blocks.length).toBeGreaterThan(3);
    for (const { text } of blocks) {
      let printed = "";
      for (const [, command = ""] of text.matchAll(/^\$ (.*)$/gm)) {
        printed += `$ ${command}\n${await folder.shell(`{ ${command}\n} 2>&1`)}`;
      }
      expect(comparable(printed)).toBe(comparable(text));
    }
  });

  it("tells the agent in its next prompt what was taken back", async () => {
    const said = await folder.hook({
      session_id: "7c1f20aa-31c4-4f8e-9d55-2f6a3d0b8e11",
      hook_event_name: "UserPromptSubmit",
      prompt: "go on",
    });
    expect(said).toContain("src/config.js");
  });
});
