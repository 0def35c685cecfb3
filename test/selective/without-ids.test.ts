// Some agents give their calls no ids: two calls of one tool at the same checkpoint look the same.
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { reportOf, withSharedTree, type Report, type SharedTree } from "./shared-tree.ts";

const GEMINI = { agent: "gemini" };

async function runs(gemini: HookedProject, command: string): Promise<void> {
  const call = { tool_name: "run_shell_command", tool_input: { command } };
  await gemini.call("BeforeTool", { ...call, timestamp: new Date().toISOString() }, GEMINI);
}

async function look(tree: SharedTree, session: string): Promise<Report> {
  return reportOf((await tree.ok("rollback", "--only-session", session, "--yes")).json);
}

/** A command, a rollback to the checkpoint before it, another command. */
async function twice(tree: SharedTree): Promise<HookedProject> {
  const gemini = new HookedProject(tree, "sess-gemini");
  await runs(gemini, "make x");
  await tree.repo.write("x.txt", "gemini\n");
  const [first] = await gemini.checkpoints();
  await tree.ok("rollback", first?.id ?? "", "--yes");
  await runs(gemini, "make y");
  await tree.repo.write("y.txt", "gemini\n");
  return gemini;
}

describe("taking back what an agent did that gives its calls no ids", () => {
  it("takes back what it did after a rollback", async () => {
    await withSharedTree(async (tree) => {
      await twice(tree);
      expect(await look(tree, "sess-gemini")).toMatchObject({ takenBack: ["y.txt"], kept: [] });
    });
  });

  it("does the same with steps that an earlier version wrote down", async () => {
    await withSharedTree(async (tree) => {
      const gemini = await twice(tree);
      const path = `${gemini.root}/.git/waymark/agents/steps.ndjson`;
      const text = await readFile(path, "utf8");
      expect(text).toMatch(/"is_own":true.*\n.*"is_own":false/);
      await writeFile(path, text.replaceAll(/"is_own":(true|false),/g, ""));
      expect(await look(tree, "sess-gemini")).toMatchObject({ takenBack: ["y.txt"], kept: [] });
    });
  });
});
