/** Runs the commands of docs/recovery.md as a user would paste them, without Waymark. */
import { readFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { text } from "../support/json.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { RuleProject, withDirty } from "./project.ts";

async function commandsOf(document: string): Promise<string[]> {
  const page = await readFile(new URL(`../../${document}`, import.meta.url), "utf8");
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
}

/** With the lines that the page begins with. */
async function shell(
  project: RuleProject,
  script: string,
  variables: Record<string, string>,
): Promise<string> {
  const [begin = ""] = await commandsOf("docs/recovery.md");
  return runScript(project, begin + script, variables);
}

async function runScript(
  project: RuleProject,
  script: string,
  variables: Record<string, string>,
): Promise<string> {
  const result = await runCommand("sh", ["-euc", script], {
    cwd: project.repo.root,
    env: { ...project.repo.env, ...variables },
  });
  if (result.code !== 0) throw new Error(`${script}\n${result.stderr}`);
  return result.stdout.toString("latin1");
}

/** The block of the page that has this text in it. */
function blockWith(blocks: readonly string[], part: string): string {
  const found = blocks.find((block) => block.includes(part));
  if (found === undefined) throw new Error(`docs/recovery.md has no command with ${part}`);
  return found;
}

describe("plain git", () => {
  it("[R14] brings back files, index and commits byte for byte with the commands of docs/recovery.md", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const blocks = await commandsOf("docs/recovery.md");
      await repo.write(".gitattributes", "*.txt text eol=lf\n");
      await repo.write("crlf.txt", "one\r\ntwo\r\n");
      const ID = await project.create();
      const index = await readFile(await repo.gitPath("index"));
      const OUT = join(repo.base, "out");
      await mkdir(OUT);
      expect(await shell(project, blockWith(blocks, "for-each-ref"), { ID })).toContain(ID);
      await shell(project, blockWith(blocks, "ls-tree -r refs/waymark/cp/$ID:worktree"), {
        ID,
        OUT,
      });
      for (const name of ["a.txt", "b.txt", "untracked.txt", "crlf.txt", "new/deep/untracked.sh"]) {
        expect(await readFile(join(OUT, name))).toEqual(await repo.read(name));
      }
      await repo.remove("crlf.txt");
      await shell(project, blockWith(blocks, '"$FILE"'), { ID, FILE: "crlf.txt" });
      expect(String(await repo.read("crlf.txt"))).toBe("one\r\ntwo\r\n");
      await repo.git("add", "-A");
      await shell(project, blockWith(blocks, "index.raw"), { ID });
      expect(await readFile(await repo.gitPath("index"))).toEqual(index);
      const head = (await repo.git("rev-parse", "HEAD")).trim();
      expect((await shell(project, blockWith(blocks, "$ID^1"), { ID })).trim()).toBe(head);
      await shell(project, blockWith(blocks, "branch recovered"), { ID });
      expect((await repo.git("rev-parse", "recovered")).trim()).toBe(head);
      await repo.commit("left the branch");
      const rolledBack = await project.rollBack(ID);
      const SAFETY = text(rolledBack.json, "undo_checkpoint_id");
      const left = await shell(project, blockWith(blocks, "$SAFETY^@"), { SAFETY });
      expect(left).toContain("left the branch");
      await shell(project, blockWith(blocks, "update-ref -d"), { ID });
      expect(await repo.storeRefs(`refs/waymark/cp/${ID}`)).toBe("");
    });
  });

  it("[R14] brings back the files of a plain folder with the same commands", async () => {
    await withTempProject(async (repo) => {
      const project = new RuleProject(repo);
      const blocks = await commandsOf("docs/recovery.md");
      await repo.write("dir/a.txt", "alpha\r\n");
      await repo.write("run.sh", "#!/bin/sh\n", 0o755);
      const ID = await project.create();
      await repo.remove("dir");
      const OUT = join(repo.base, "out");
      await mkdir(OUT);
      const there = blockWith(blocks, "repo.git");
      const run = (part: string, variables: Record<string, string>): Promise<string> =>
        runScript(project, there + blockWith(blocks, part), { ID, ...variables });
      expect(await run("for-each-ref --sort", {})).toContain(ID);
      await run("ls-tree -r refs/waymark/cp/$ID:worktree", { OUT });
      expect(String(await readFile(join(OUT, "dir/a.txt")))).toBe("alpha\r\n");
      expect(String(await readFile(join(OUT, "run.sh")))).toBe("#!/bin/sh\n");
      await repo.folder("dir");
      await run('"$FILE"', { FILE: "dir/a.txt" });
      expect(String(await repo.read("dir/a.txt"))).toBe("alpha\r\n");
    });
  });

  it("[R14] the content hash of a checkpoint can be computed without Waymark", async () => {
    await withDirty(async (project) => {
      const [command = ""] = (
        await readFile(new URL("../../docs/storage-format.md", import.meta.url), "utf8")
      )
        .split("\n")
        .filter((line) => line.includes("sha256sum"));
      const { json } = await project.ok("create");
      const id = text(json, "checkpoint", "id");
      const printed = await shell(project, command.trim().replace("ID", id), {});
      expect(`sha256:${printed.split(" ")[0] ?? ""}`).toBe(
        text(json, "checkpoint", "content_hash"),
      );
    });
  });
});
