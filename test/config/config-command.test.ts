/** `waymark config` in the running product. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, waymark } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { withSeed } from "../spec/project.ts";
import { withTempProject } from "../support/temp-repository.ts";

describe("config", () => {
  it("shows every value and where it came from", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write("waymark.yml", "strategy: smart\nretention:\n  phase_transition: 4\n");
      await repo.write(".flowspec/checkpoint.yml", "max_per_task: 3\nstrategy: manual\n");
      const env = { ...repo.env, WAYMARK_RETENTION_AUTO: "9" };
      const { json, code } = await waymark(repo.root, ["config"], { env });
      expect(code).toBe(0);
      const values = Object.fromEntries(
        items(json, "values").map((each) => [
          text(each, "key"),
          [field(each, "value"), field(each, "origin")],
        ]),
      );
      const file = (name: string, line: number) => ({
        source: "file",
        file: name,
        line,
        variable: null,
      });
      expect(values).toMatchObject({
        strategy: ["smart", file("waymark.yml", 1)],
        "retention.pre_phase": [4, file("waymark.yml", 3)],
        "retention.post_phase": [4, file("waymark.yml", 3)],
        "retention.max_per_task": [3, file(".flowspec/checkpoint.yml", 1)],
        "retention.auto": [
          9,
          { source: "environment", file: null, line: null, variable: "WAYMARK_RETENTION_AUTO" },
        ],
        "git.tags": [false, { source: "default", file: null, line: null, variable: null }],
      });
      expect(field(json, "files")).toEqual(["waymark.yml", ".flowspec/checkpoint.yml"]);
    });
  });

  it("[R170] shows what the user's own file says, which counts more than the project's, and what is wrong in it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const own = join(repo.home, ".config/waymark/config.yml");
      await mkdir(dirname(own), { recursive: true });
      await repo.write("waymark.yml", "strategy: smart\nretention: {auto: 7}\n");
      await writeFile(own, "strategy: manual\nagents: {policy: fail_closed}\n");
      const values = async (env = repo.env): Promise<unknown[][]> => {
        const { json } = await waymark(repo.root, ["config"], { env });
        return items(json, "values").flatMap((each) => {
          const from = field(each, "origin", "file") ?? field(each, "origin", "variable");
          return from === null ? [] : [[text(each, "key"), field(each, "value"), from]];
        });
      };
      expect(await values()).toEqual([
        ["strategy", "manual", own],
        ["retention.auto", 7, "waymark.yml"],
        ["agents.policy", "fail_closed", own],
      ]);
      expect(await values({ ...repo.env, HOME: "", WAYMARK_STRATEGY: "before_all" })).toEqual([
        ["strategy", "before_all", "WAYMARK_STRATEGY"],
        ["retention.auto", 7, "waymark.yml"],
      ]);
      await writeFile(own, "strategy: sometimes\n");
      const refused = await project.run("create");
      expectExit(refused, 2);
      expect(errorMessage(refused)).toContain(`${own}:1:11: strategy cannot be "sometimes"`);
    });
  });

  it("says which settings of another tool's file have no effect, and other commands do not", async () => {
    await withSeed(async ({ repo }) => {
      const file = ".claude/checkpoint-config.yaml";
      await repo.write(file, "storage:\n  location: .checkpoints\n  compress: true\n");
      for (const _ of ["read", "remembered"]) {
        const { json } = await waymark(repo.root, ["config"], { env: repo.env });
        expect(items(json, "warnings")).toEqual([]);
        expect(items(json, "notes")).toEqual([
          `${file}:2:13: storage.location has no effect: checkpoints are objects of the git repository`,
          `${file}:3:13: storage.compress has no effect: git always compresses`,
        ]);
        const { stderr } = await waymark(repo.root, ["create"], { env: repo.env });
        expect(stderr).not.toContain("no effect");
      }
      const { json } = await waymark(repo.root, ["doctor"], { env: repo.env });
      const told = items(json, "checks").map((each) => text(each, "message"));
      expect(told.filter((message) => message.includes("has no effect"))).toHaveLength(2);
    });
  });

  it("shows a section, one key, or what a shorthand sets", async () => {
    await withSeed(async (project) => {
      const keys = async (...args: string[]): Promise<string[]> =>
        items((await project.ok("config", ...args)).json, "values").map((each) =>
          text(each, "key"),
        );
      expect(await keys("backlog")).toEqual(["backlog.enabled"]);
      expect(await keys("retention.max_age")).toEqual(["retention.max_age"]);
      expect(await keys("retention.phase_transition")).toEqual([
        "retention.pre_phase",
        "retention.post_phase",
      ]);
      expect((await keys("retention")).length).toBeGreaterThan(10);
      const refused = await project.run("config", "retension");
      expectExit(refused, 2);
      expect(text(refused.json, "error", "hint")).toContain("Did you mean retention?");
    });
  });

  it("ends with 2 after it has shown everything when something is wrong", async () => {
    await withSeed(async (project) => {
      await project.repo.write("waymark.yml", "strategy: [\n");
      const result = await project.run("config", "strategy");
      expectExit(result, 2);
      expect(items(result.json, "values")).toHaveLength(1);
      expect(items(result.json, "problems")).not.toHaveLength(0);
    });
  });

  it("works in a folder of the project, and not outside", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write("waymark.yml", "strategy: smart\n");
      await repo.folder("deep/in");
      const { json } = await waymark(`${repo.root}/deep/in`, ["config", "strategy"], {
        env: repo.env,
      });
      expect(field(items(json, "values")[0], "value")).toBe("smart");
    });
    await withTempProject(async (repo) => {
      expectExit(await waymark(repo.root, ["config"], { env: repo.env }), 3);
    });
  });
});
