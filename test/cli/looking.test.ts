/** `list`, `show`, `diff` and `log` on a real repository. */
import { describe, expect, it } from "vitest";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";

/** As in a pipe: no terminal, no --json. */
async function piped(project: RuleProject, ...args: readonly string[]): Promise<string> {
  const { repo } = project;
  const result = await runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
    env: cliEnvironment(repo.env),
  });
  expect(result.code).toBe(0);
  return result.stdout.toString("utf8");
}

describe("list", () => {
  it("prints one line with tabs per checkpoint in a pipe, and nothing else", async () => {
    await withDirty(async (project) => {
      const first = await project.create("--task", "task-12", "-m", "one\ttwo\nthree");
      const second = await project.create("--step", "4", "--phase", "implement");
      const rows = (await piped(project, "list")).trimEnd().split("\n");
      expect(rows.map((row) => row.split("\t")[0])).toEqual([second, first]);
      expect(rows[0]?.split("\t").slice(1, 5)).toEqual(["*", "4", "implement", "manual"]);
      expect(rows[1]?.split("\t").slice(1, 9)).toEqual([
        "",
        "",
        "",
        "manual",
        "task-12",
        expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        (await project.repo.git("rev-parse", "HEAD")).trim(),
        expect.stringContaining("uncommitted"),
      ]);
      expect(rows[1]?.split("\t").at(-1)).toBe("one two three");
    });
  });

  it("--stat tells how far each one is from now", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("a.txt", "alpha\nsecond line\nthird\n");
      await project.repo.write("fresh.txt", "1\n2\n");
      const { json } = await project.ok("list", "--stat");
      const [only] = items(json, "checkpoints");
      expect(text(only, "id")).toBe(id);
      expect(field(only, "from_now")).toEqual({ files: 2, added: 0, removed: 3 });
    });
  });
});

describe("diff", () => {
  it("says of what nothing differs, when it was asked for a part", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const saidBy = async (...args: readonly string[]): Promise<string> => {
        const { root, env } = project.repo;
        const all = waymarkArguments(root, "diff", "latest", ...args);
        const { stderr } = await runCommand(process.execPath, all, { env: cliEnvironment(env) });
        return stderr.trim();
      };
      expect(await saidBy("--stat")).toBe(`no file differs from ${id}`);
      await project.repo.write("a.txt", "changed\n");
      expect(await saidBy("--state")).toBe(`no state differs from ${id}`);
      await project.repo.git("checkout", "-q", "a.txt");
      expect(await saidBy()).toBe(`nothing differs from ${id}`);
    });
  });

  it("between a checkpoint and now sees staged, unstaged and untracked files, and stores nothing", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.write("fresh.txt", "one\ntwo\n");
      await repo.write("dir/c.txt", "changed\n");
      await repo.remove("b.txt");
      const objects = async (): Promise<string> =>
        (await repo.git("count-objects", "-v")) + (await repo.store("count-objects", "-v"));
      const before = await objects();
      const { json } = await project.ok("diff", "latest", "--patch");
      expect(items(json, "files")).toEqual([
        { path: "b.txt", change: "removed", added: 0, removed: 1 },
        { path: "dir/c.txt", change: "modified", added: 1, removed: 1 },
        { path: "fresh.txt", change: "added", added: 2, removed: 0 },
      ]);
      expect(text(json, "patch")).toContain("+two");
      expect(await objects()).toBe(before);
    });
  });

  it("between two checkpoints has state, metrics and commits", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("../metrics.json", '{"coverage": 80}');
      const first = await project.create(
        "--phase",
        "plan",
        "--step",
        "3",
        "--metrics",
        `${repo.base}/metrics.json`,
      );
      await repo.write("a.txt", "work\n");
      await repo.git("commit", "-q", "-am", "the work");
      await repo.write("../metrics.json", '{"coverage": 85}');
      const second = await project.create(
        "--phase",
        "implement",
        "--step",
        "4",
        "--metrics",
        `${repo.base}/metrics.json`,
      );
      const { json } = await project.ok("diff", first, second, "--state");
      expect(items(json, "state")).toEqual([
        { key: "phase", from: "plan", to: "implement" },
        { key: "step", from: 3, to: 4 },
        { key: "metrics.coverage", from: 80, to: 85 },
      ]);
      expect(text(items(json, "commits", "gained")[0], "subject")).toBe("the work");
      const back = await project.ok("diff", second, first);
      expect(text(items(back.json, "commits", "lost")[0], "subject")).toBe("the work");
    });
  });

  it("runs no program of the repository", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      const canary = `${repo.base}/canary`;
      for (const key of [
        "diff.external",
        "core.pager",
        "diff.evil.textconv",
        "diff.evil.command",
      ]) {
        await repo.git("config", key, `touch ${canary}`);
      }
      await repo.write(".gitattributes", "* diff=evil\n");
      await repo.write("a.txt", "changed\n");
      await project.ok("diff", "latest", "--patch");
      await piped(project, "diff", "latest", "--patch");
      expect(await repo.exists("../canary")).toBe(false);
    });
  });

  it("shows odd names as they are", async () => {
    await withSeed(async (project) => {
      await project.create();
      await project.repo.write("with\nnewline", "x\n");
      await project.repo.write(".checkpoint-like/日本.txt", "x\n");
      const { json } = await project.ok("diff", "latest");
      expect(items(json, "files").map((file) => text(file, "path"))).toEqual([
        ".checkpoint-like/日本.txt",
        '"with\\nnewline"',
      ]);
    });
  });

  it("--paths limits it", async () => {
    await withSeed(async (project) => {
      await project.create();
      await project.repo.write("a.txt", "x\n");
      await project.repo.write("dir/c.txt", "x\n");
      const { json } = await project.ok("diff", "latest", "--paths", `${project.repo.root}/dir`);
      expect(items(json, "files").map((file) => text(file, "path"))).toEqual(["dir/c.txt"]);
    });
  });
});

describe("log", () => {
  it("is limited to checkpoints of a task, a phase or a trigger", async () => {
    await withSeed(async (project) => {
      const before = await project.take({ phase: "plan", trigger: "pre_phase", taskId: "task-1" });
      const after = await project.take({ phase: "plan", trigger: "post_phase" });
      const other = await project.take({});
      const about = async (...args: string[]): Promise<unknown[]> =>
        items((await project.ok("log", ...args)).json, "entries").flatMap((entry) =>
          items(entry, "checkpoint_ids"),
        );
      expect(await about("--phase", "plan")).toEqual([after, before]);
      expect(await about("--task", "task-1")).toEqual([before]);
      expect(await about("--trigger", "manual")).toEqual([other]);
      expect(await about("--trigger", "phase_transition")).toEqual([after, before]);
      expect(await about("--trigger", "auto")).toEqual([]);
    });
  });

  it("tells who did what, when and why, newest first", async () => {
    await withSeed(async (project) => {
      const id = await project.create("-m", "for the log");
      await project.repo.write("a.txt", "x\n");
      await project.ok("rollback", id, "--yes", "-m", "it was wrong");
      await project.ok("undo", "--yes");
      const { json } = await project.ok("log");
      const entries = items(json, "entries");
      const kinds = entries.map((entry) => text(entry, "kind"));
      expect(kinds.filter((kind) => kind !== "create")).toEqual(["undo", "rollback"]);
      const rollback = entries.find((entry) => field(entry, "kind") === "rollback");
      expect(field(rollback, "reason")).toBe("it was wrong");
      expect(field(rollback, "checkpoint_ids")).toEqual([id]);
      const times = entries.map((entry) => text(entry, "at"));
      expect(times).toEqual(times.toSorted().toReversed());
    });
  });
});

describe("show", () => {
  it("is a readable page", async () => {
    await withDirty(async (project) => {
      await project.create("--step", "4", "--phase", "implement", "-m", "why not");
      const page = await piped(project, "show", "4");
      for (const part of [
        "why not",
        "Workflow",
        "implement",
        "Git",
        "main",
        "Coverage",
        "waymark rollback",
      ]) {
        expect(page).toContain(part);
      }
      // What would be wrapped in mid-word in an ordinary terminal.
      const ofOurs = page.split("\n").filter((line) => /checksum|ls-tree/.test(line));
      expect(ofOurs.map((line) => line.length > 80)).toEqual([false, false]);
    });
  });
});
