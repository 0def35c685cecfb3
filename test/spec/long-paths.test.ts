/** Paths that cannot be looked at: longer than the system takes, or in a folder that may not be entered. */
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { bin, type CliResult, expectExit } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "./project.ts";

const NAME = "d".repeat(200);
/** PATH_MAX of Linux. */
const LONGEST = 4096;

/** Walks down from folder to folder, as programs do that make such paths. */
const IN_DEPTH = `
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const [root, names, file, content] = process.argv.slice(1);
process.chdir(root);
for (const name of names.split("/")) {
  try { mkdirSync(name); } catch {}
  process.chdir(name);
}
if (content !== undefined) writeFileSync(file, content);
process.stdout.write(readFileSync(file));
`;

async function inDepth({ repo }: RuleProject, path: string, content?: string): Promise<string> {
  const at = path.lastIndexOf("/");
  const words = [repo.root, path.slice(0, at), path.slice(at + 1)];
  const args = ["-e", IN_DEPTH, ...words, ...(content === undefined ? [] : [content])];
  const { stdout, stderr } = await runCommand(process.execPath, args, { env: repo.env });
  expect(stderr).toBe("");
  return stdout.toString("utf8");
}

/** Below `long/`, so long from the root of the file system that it does not fit by `beyond` bytes. */
function pathOfLength(total: number): string {
  const folders = Array.from({ length: Math.floor((total - 60) / 201) }, () => NAME);
  const folder = ["long", ...folders].join("/");
  return `${folder}/${"f".repeat(total - folder.length - 1)}`;
}

async function withLong(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    try {
      await body(project);
    } finally {
      // Node cannot: its paths begin at the root of the file system.
      await runCommand("rm", ["-rf", `${project.repo.root}/long`], { env: project.repo.env });
    }
  });
}

function leftOut(result: CliResult): [string, string][] {
  return items(result.json, "checkpoint", "coverage", "excluded")
    .map((one): [string, string] => [text(one, "path"), text(one, "reason")])
    .filter(([, reason]) => reason === "unreadable");
}

describe("paths that cannot be looked at", () => {
  it("[R186] an untracked file with a path longer than the system takes is left out and named; all else is protected", async () => {
    await withLong(async (project) => {
      const { repo } = project;
      // The file alone, its folder, and several folders of it are too long.
      for (const total of [LONGEST - repo.root.length, LONGEST + 300, 2 * LONGEST]) {
        const path = pathOfLength(total);
        await inDepth(project, path, "deep\n");
        const made = await project.ok("create", "--force");
        const [[named] = ["", ""], ...more] = leftOut(made);
        expect(more).toEqual([]);
        expect(named).not.toBe("");
        expect(`${path}/`.startsWith(named)).toBe(true);
        const shown = await project.ok("create", "--force", "--scope", "long/");
        expect(leftOut(shown)).toEqual([[named, "unreadable"]]);

        await repo.write("a.txt", "changed\n");
        await new HookedProject(project).write("a.txt");
        const id = text(made.json, "checkpoint", "id");
        await project.ok("rollback", id, "--paths", "a.txt", "--yes");
        expect(await repo.git("status", "--short", "--", "a.txt")).toBe("");
        expect(await inDepth(project, path)).toBe("deep\n");
        await runCommand("rm", ["-rf", `${repo.root}/long`], { env: repo.env });
      }
    });
  });

  it("[R186] and is kept by a rollback to a time before it", async () => {
    await withLong(async (project) => {
      const { repo } = project;
      const before = await project.create();
      const path = pathOfLength(LONGEST + 300);
      await inDepth(project, path, "deep\n");
      await repo.write("long/near.txt", "near\n");
      const result = await project.run("rollback", before, "--yes");
      expectExit(result, 0);
      expect(await repo.exists("long/near.txt")).toBe(false);
      expect(await inDepth(project, path)).toBe("deep\n");
      await project.ok("undo", "--yes");
      expect(await repo.exists("long/near.txt")).toBe(true);
    });
  });

  it("[R186] a tracked file with such a path is not taken for deleted or unchanged", async () => {
    await withLong(async (project) => {
      const { repo } = project;
      const blob = (await repo.gitWithInput("deep\n", "hash-object", "-w", "--stdin")).trim();
      // Git, which works with paths from the project's folder, can look at the first.
      const paths = [pathOfLength(LONGEST - repo.root.length), pathOfLength(LONGEST + 10)];
      for (const path of paths) {
        await inDepth(project, path, "deep\n");
        await repo.gitWithInput(`100644 ${blob}\t${path}\n`, "update-index", "--index-info");
      }
      await repo.git("commit", "-q", "-m", "long paths");
      const made = await project.ok("create");
      const named = leftOut(made).filter(([path]) => !path.endsWith("/"));
      expect(new Set(named.map(([path]) => path))).toEqual(new Set(paths));
      for (const path of paths) await inDepth(project, path, "changed\n");
      await repo.write("a.txt", "changed\n");
      await project.ok("rollback", text(made.json, "checkpoint", "id"), "--yes");
      for (const path of paths) expect(await inDepth(project, path)).toBe("changed\n");
      expect((await repo.read("a.txt")).toString()).not.toBe("changed\n");
    });
  });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)(
  "a folder that may not be entered (as another user, which needs root)",
  () => {
    const USER = 65_534;

    it.each([
      ["closed", 0o000],
      ["that may be listed", 0o600],
    ])("[R186] %s: its tracked files are left out and named", async (_title, mode) => {
      await withSeed(async (project) => {
        const { repo } = project;
        await repo.write("closed/tracked.txt", "one\n");
        await repo.git("add", ".");
        await repo.git("commit", "-q", "-m", "closed");
        await repo.write("closed/tracked.txt", "changed\n");
        chmodSync(`${repo.root}/closed`, mode);
        const env = { ...repo.env, HOME: "/nonexistent" };
        await runCommand("chown", ["-R", `${USER}:${USER}`, repo.base], { env });
        const words = ["--reuid", `${USER}`, "--regid", `${USER}`, "--clear-groups"];
        const asUser = (...args: readonly string[]) =>
          runCommand("setpriv", [...words, process.execPath, ...args], { env });
        const made = await asUser(bin, "-C", repo.root, "create", "--json");
        expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
        const document: unknown = JSON.parse(made.stdout.toString("utf8"));
        const excluded = items(document, "checkpoint", "coverage", "excluded").map((one) => [
          text(one, "path"),
          text(one, "reason"),
        ]);
        expect(excluded).toContainEqual(["closed/tracked.txt", "unreadable"]);
      });
    });
  },
);
