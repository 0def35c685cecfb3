// What a workflow of Waymark did, and what a person did before, after and between its runs.
import { describe, expect, it } from "vitest";
import { items, text } from "../support/json.ts";
import { reportOf, ten, withSharedTree, type Report, type SharedTree } from "./shared-tree.ts";

const WRITES = ["sh", "-c", "echo wf > wf.txt"];

async function phase(tree: SharedTree, ...words: readonly string[]): Promise<void> {
  await tree.ok("phase", "implement", "--modifies", ...words);
}

async function begins(tree: SharedTree): Promise<void> {
  await tree.ok("session", "start", "--type", "implement", "--project", "shop");
}

async function look(tree: SharedTree): Promise<Report> {
  const { json: sessions } = await tree.ok("session", "list", "--all");
  const id = text(items(sessions, "sessions")[0], "id");
  return reportOf((await tree.ok("rollback", "--only-session", id, "--yes")).json);
}

describe("taking back what a workflow did", () => {
  it("[R117] leaves what a person did after the workflow was rolled back", async () => {
    await withSharedTree(async (tree) => {
      await phase(tree, "--", ...WRITES);
      await tree.ok("rollback", "phase:implement", "--yes");
      await tree.repo.write("mine.txt", "a person\n");
      await tree.repo.write("other.txt", ten({ 1: "a person" }));
      await look(tree);
      expect(await tree.read("mine.txt")).toBe("a person\n");
      expect(await tree.read("other.txt")).toBe(ten({ 1: "a person" }));
    });
  });

  it("[R117] leaves what a person did between a checkpoint of theirs and the workflow's first phase", async () => {
    await withSharedTree(async (tree) => {
      await tree.ok("session", "start", "--type", "implement", "--project", "shop");
      await tree.ok("create", "-m", "before my own edits");
      await tree.repo.write("mine.txt", "a person\n");
      await phase(tree, "--", ...WRITES);
      expect(await look(tree)).toMatchObject({ takenBack: ["wf.txt"], kept: [] });
      expect(await tree.read("mine.txt")).toBe("a person\n");
    });
  });

  it("[R118] keeps and lists what a killed phase or a person did before it was taken up again", async () => {
    await withSharedTree(async (tree) => {
      const kills = ["sh", "-c", "echo wf > wf.txt; kill -9 $PPID"];
      await tree.run("phase", "implement", "--modifies", "--", ...kills);
      await tree.repo.write("mine.txt", "a person\n");
      await phase(tree, "--resume", "--", "sh", "-c", "echo wf > more.txt");
      expect(await look(tree)).toMatchObject({
        takenBack: ["more.txt"],
        kept: [
          ["mine.txt", "not_told_apart"],
          ["wf.txt", "not_told_apart"],
        ],
      });
      expect(await tree.read("mine.txt")).toBe("a person\n");
    });
  });

  it("[R118] keeps and lists what was done since a phase failed", async () => {
    await withSharedTree(async (tree) => {
      await tree.run(
        "phase",
        "implement",
        "--modifies",
        "--",
        "sh",
        "-c",
        "echo wf > wf.txt; false",
      );
      await tree.repo.write("mine.txt", "a person\n");
      expect(await look(tree)).toMatchObject({
        takenBack: [],
        kept: [
          ["mine.txt", "not_told_apart"],
          ["wf.txt", "not_told_apart"],
        ],
      });
    });
  });

  it("[R118] takes back what was done in a phase that commands begin and end, each a process of its own", async () => {
    await withSharedTree(async (tree) => {
      await begins(tree);
      await phase(tree, "--", "sh", "-c", "echo earlier > earlier.txt");
      await tree.repo.write("mine.txt", "a person\n");
      await tree.ok("create", "--trigger", "pre_phase", "--phase", "review");
      await tree.repo.write("wf.txt", "wf\n");
      expect(await look(tree)).toMatchObject({ takenBack: ["earlier.txt", "wf.txt"], kept: [] });
      expect(await tree.read("mine.txt")).toBe("a person\n");
    });
    await withSharedTree(async (tree) => {
      await begins(tree);
      await tree.ok("create", "--trigger", "pre_phase", "--phase", "implement");
      await tree.repo.write("wf.txt", "wf\n");
      await tree.ok("create", "--trigger", "batch_complete");
      await tree.repo.write("more.txt", "wf\n");
      await tree.ok("create", "--trigger", "post_phase", "--phase", "implement");
      await tree.repo.write("mine.txt", "a person\n");
      expect(await look(tree)).toMatchObject({ takenBack: ["more.txt", "wf.txt"], kept: [] });
    });
  });

  it("[R118] takes back what was done until the session was ended by a command", async () => {
    await withSharedTree(async (tree) => {
      await begins(tree);
      await tree.ok("create", "--trigger", "pre_phase", "--phase", "implement");
      await tree.repo.write("wf.txt", "wf\n");
      await tree.ok("session", "complete");
      await tree.repo.write("mine.txt", "a person\n");
      expect(await look(tree)).toMatchObject({ takenBack: ["wf.txt"], kept: [] });
      expect(await tree.read("mine.txt")).toBe("a person\n");
    });
  });

  it("[R118] keeps and lists what was done until a failed phase's session was ended, or since one was paused", async () => {
    await withSharedTree(async (tree) => {
      const fails = ["sh", "-c", "echo wf > wf.txt; false"];
      await tree.run("phase", "implement", "--modifies", "--", ...fails);
      await tree.repo.write("mine.txt", "a person\n");
      await tree.ok("session", "complete");
      expect(await look(tree)).toMatchObject({
        takenBack: [],
        kept: [
          ["mine.txt", "not_told_apart"],
          ["wf.txt", "not_told_apart"],
        ],
      });
    });
    await withSharedTree(async (tree) => {
      await begins(tree);
      await tree.ok("create", "--trigger", "pre_phase", "--phase", "implement");
      await tree.ok("session", "pause");
      await tree.repo.write("mine.txt", "a person\n");
      expect(await look(tree)).toMatchObject({
        takenBack: [],
        kept: [["mine.txt", "not_told_apart"]],
      });
    });
  });
});
