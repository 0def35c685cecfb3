/** docs/selective-undo.md as a user would follow it: two sessions that call hooks, then the commands of the page. */
import { expect, describe, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { bin, cliEnvironment } from "../support/cli.ts";
import { pageBlocks, withoutChance } from "../support/page-blocks.ts";
import { runCommand } from "../support/run-command.ts";
import { lines, ten, withSharedTree, type SharedTree } from "./shared-tree.ts";

const FIRST = "4f9c21d8-6f0e-4c55-9a8e-0d2b7c3e1f10";
const SECOND = "b71e03aa-2c1d-4f7a-8a55-1f9d6e4c2b93";

async function work(tree: SharedTree): Promise<void> {
  const { repo } = tree;
  await repo.write("app.js", ten({}));
  await repo.write("README.md", lines("# app"));
  const [first, second] = [new HookedProject(tree, FIRST), new HookedProject(tree, SECOND)];
  const writes = async (who: HookedProject, name: string, content: string): Promise<void> => {
    await who.write(name);
    await repo.write(name, content);
  };
  await first.prompt("make it quick");
  await second.prompt("make it nice");
  await writes(first, "app.js", ten({ 1: "quick()" }));
  await writes(second, "app.js", ten({ 1: "quick()", 8: "nice()" }));
  await first.preTool("Bash", { command: "make cache" });
  await repo.write("cache.js", "cache\n");
  await writes(first, "README.md", lines("# a quick app"));
  await writes(second, "README.md", lines("# a quick and nice app"));
  await second.call("Stop");
}

describe("docs/selective-undo.md", () => {
  it("prints what the page says", async () => {
    const blocks = (await pageBlocks("docs/selective-undo.md")).filter(
      ({ language }) => language === "sh",
    );
    expect(blocks).toHaveLength(1);
    const page = blocks[0]?.text ?? "";
    await withSharedTree(async (tree) => {
      await work(tree);
      let printed = "";
      for (const [line, args = ""] of page.matchAll(/^\$ waymark (.*)$/gm)) {
        const { stdout, stderr } = await runCommand(process.execPath, [bin, ...args.split(" ")], {
          cwd: tree.repo.root,
          env: cliEnvironment(tree.repo.env),
        });
        printed += `${line}\n${stdout.toString("utf8")}${stderr}`;
      }
      expect(withoutChance(printed)).toBe(withoutChance(page));
      expect(await tree.read("app.js")).toBe(ten({ 1: "quick()", 8: "nice()" }));
    });
  });
});
