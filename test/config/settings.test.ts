/** Settings in the running product: what they do to checkpoints, and what a wrong one does not do. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, expectExit, waymark, waymarkShellCommand } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

const excluded = ({ json }: CliResult): Record<string, string> =>
  Object.fromEntries(
    items(json, "checkpoint", "coverage", "excluded").map((entry) => [
      text(entry, "path"),
      text(entry, "reason"),
    ]),
  );

async function withSettings(
  yaml: string,
  body: (project: RuleProject) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    await project.agreeTo(yaml);
    await body(project);
  });
}

describe("capture.exclude", () => {
  it("[R43] keeps untracked files out, lists them, and a rollback leaves them alone", async () => {
    await withSettings('capture:\n  exclude: ["*.bin", "data/"]\n', async (project) => {
      const { repo } = project;
      await repo.write("model.bin", "large\n");
      await repo.write("data/deep/rows.csv", "1,2\n");
      await repo.write("kept.txt", "held\n");
      const created = await project.ok("create");
      expect(excluded(created)).toMatchObject({ "model.bin": "excluded", "data/": "excluded" });
      const id = text(created.json, "checkpoint", "id");
      await repo.write("model.bin", "larger\n");
      await repo.write("data/deep/more.csv", "3,4\n");
      await repo.write("kept.txt", "changed\n");
      await project.rollBack(id);
      expect(String(await repo.read("model.bin"))).toBe("larger\n");
      expect(await repo.exists("data/deep/more.csv")).toBe(true);
      expect(String(await repo.read("kept.txt"))).toBe("held\n");
    });
  });

  it("[R43] never keeps a tracked file out", async () => {
    await withSettings('capture:\n  exclude: ["*.bin"]\n', async (project) => {
      const { repo } = project;
      await repo.write("tracked.bin", "one\n");
      await repo.git("add", "tracked.bin");
      const created = await project.ok("create");
      expect(excluded(created)).not.toHaveProperty(["tracked.bin"]);
      await repo.write("tracked.bin", "two\n");
      await project.rollBack(text(created.json, "checkpoint", "id"));
      expect(String(await repo.read("tracked.bin"))).toBe("one\n");
    });
  });

  it("[R43] a file that a checkpoint left out stays when the rule has gone meanwhile", async () => {
    await withSettings('capture:\n  exclude: ["*.bin"]\n', async (project) => {
      const { repo } = project;
      await repo.write("model.bin", "large\n");
      const id = await project.create();
      await repo.write("waymark.yml", "capture: {exclude: []}\n");
      await repo.write("new.bin", "was not there at all\n");
      await project.rollBack(id);
      expect(String(await repo.read("model.bin"))).toBe("large\n");
      expect(await repo.exists("new.bin")).toBe(false);
      await project.ok("undo", "--yes");
      expect(String(await repo.read("new.bin"))).toBe("was not there at all\n");
      expect(String(await repo.read("model.bin"))).toBe("large\n");
    });
  });
});

describe("other settings of a capture", () => {
  it("[R43] include_untracked: false leaves untracked files alone, also when it is true again", async () => {
    await withSettings("capture: {include_untracked: false}\n", async (project) => {
      const { repo } = project;
      await repo.write("notes.txt", "mine\n");
      const created = await project.ok("create");
      expect(excluded(created)).toMatchObject({ "notes.txt": "excluded" });
      const id = text(created.json, "checkpoint", "id");
      await repo.write("notes.txt", "mine, and more\n");
      await repo.write("a.txt", "changed\n");
      rmSync(join(repo.root, "waymark.yml"));
      await project.rollBack(id);
      expect(String(await repo.read("notes.txt"))).toBe("mine, and more\n");
    });
  });

  it("[R2] include_untracked: false still holds an untracked file that stands in the way", async () => {
    await withSettings("capture: {include_untracked: false}\n", async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.git("rm", "-q", "--cached", "a.txt");
      await repo.commit("untracked now");
      await repo.write("a.txt", "precious, and untracked\n");
      const result = await project.rollBack(id);
      const safety = text(result.json, "undo_checkpoint_id");
      const held = `refs/waymark/cp/${safety}:worktree/a.txt`;
      expect(await repo.store("cat-file", "blob", held)).toBe("precious, and untracked\n");
    });
  });

  it("secrets.patterns adds names, secrets.exclude: false takes them all in", async () => {
    await withSettings('secrets:\n  patterns: ["*.Token"]\n', async (project) => {
      const { repo } = project;
      await repo.write("api.token", "secret\n");
      await repo.write("key.p12", "secret\n");
      expect(excluded(await project.ok("create"))).toMatchObject({
        "api.token": "sensitive",
        "key.p12": "sensitive",
      });
      await project.agreeTo('secrets: {exclude: false, patterns: ["*.token"]}\n');
      const all = excluded(await project.ok("create"));
      expect(all).not.toHaveProperty(["api.token"]);
      expect(all).not.toHaveProperty(["key.p12"]);
    });
  });

  it("max_file_mb and max_total_mb are the limits that are meant", async () => {
    await withSettings("capture: {max_file_mb: 1, max_total_mb: 1}\n", async (project) => {
      const { repo } = project;
      await repo.write("large", Buffer.alloc(1024 * 1024 + 1));
      expect(excluded(await project.ok("create"))).toMatchObject({ large: "over_budget" });
      await repo.write("half", Buffer.alloc(600_000, "a"));
      await repo.write("other-half", Buffer.alloc(600_000, "b"));
      const refused = await project.run("create");
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("over_budget");
      await project.agreeTo("capture: {max_file_mb: 1, max_total_mb: 2}\n");
      await project.ok("create");
    });
  });

  it("linked work trees have settings of their own", async () => {
    await withSettings('capture: {exclude: ["*.bin"]}\n', async (project) => {
      await project.repo.git("worktree", "add", "-q", "../linked");
      const linked = project.at("linked");
      await linked.repo.write("model.bin", "held here\n");
      expect(excluded(await linked.ok("create"))).not.toHaveProperty(["model.bin"]);
      await linked.repo.write("waymark.yml", 'capture: {exclude: ["*.bin"]}\n');
      expect(excluded(await linked.ok("create"))).toMatchObject({ "model.bin": "excluded" });
    });
  });

  it("the environment counts more than the file", async () => {
    await withSettings('capture: {exclude: ["*.bin"]}\n', async (project) => {
      await project.repo.write("model.bin", "x\n");
      const env = { ...project.repo.env, WAYMARK_CAPTURE_EXCLUDE: "" };
      const created = await waymark(project.repo.root, ["create"], { env });
      expectExit(created, 0);
      expect(excluded(created)).not.toHaveProperty(["model.bin"]);
    });
  });
});

const BROKEN = "strategy: sometimes\nretention: {max_age: 7}\n";

describe("settings that are wrong", () => {
  it("[R44] make create fail loudly with every problem", async () => {
    await withSettings(BROKEN, async (project) => {
      const refused = await project.run("create");
      expectExit(refused, 2);
      expect(text(refused.json, "error", "code")).toBe("config_invalid");
      expect(text(refused.json, "error", "message")).toContain(
        'waymark.yml:1:11: strategy cannot be "sometimes"',
      );
      expect(items(refused.json, "error", "details", "problems")).toHaveLength(2);
      expect(await project.repo.storeRefs("refs/waymark")).toBe("");
    });
  });

  it("[R44] keep nobody from their work", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "changed\n");
      for (const broken of [BROKEN, "a: b: c\n", "[".repeat(300_000), "\0"]) {
        await repo.write("waymark.yml", broken);
        await project.ok("list");
        await project.ok("show", id);
        await project.ok("validate");
        await project.ok("rollback", id, "--paths", "a.txt", "--yes");
        await project.ok("undo", "--yes");
        await project.ok("redo", "--yes");
        await project.ok("undo", "--yes");
        await project.ok("recover");
        expect(String(await repo.read("a.txt"))).toBe("changed\n");
      }
    });
  });

  it("[R44] do not stop a rollback by limits that cannot be read", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const env = { ...repo.env, WAYMARK_CAPTURE_MAX_FILES: "3" };
      const id = await project.create();
      await repo.write("a.txt", "changed\n");
      for (let at = 0; at < 5; at++) await repo.write(`many/${at}`, "x\n");
      const rollback = ["rollback", id, "--yes", "--discard-commits"];
      expectExit(await waymark(repo.root, rollback, { env }), 1);
      writeFileSync(join(repo.root, "waymark.yml"), BROKEN);
      expectExit(await waymark(repo.root, rollback, { env }), 0);
    });
  });

  it("warn on stderr, and unknown keys do too", async () => {
    await withSettings("strategi: smart\n", async (project) => {
      const env = { ...project.repo.env, NO_COLOR: "1" };
      const list = waymarkShellCommand("-C", project.repo.root, "list");
      const result = await runCommand("sh", ["-c", list], { env });
      expect(result.code).toBe(0);
      expect(result.stderr).toContain(
        "warning: waymark.yml:1:1: unknown setting strategi; did you mean strategy?",
      );
      expect(field((await project.ok("create")).json, "checkpoint_created")).toBe(true);
    });
  });
});

describe("the start of a command", () => {
  it("loads the YAML package only for a file that it has not read yet", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const spy = join(repo.base, "spy.cjs");
      const seen = join(repo.base, "seen.json");
      // Files of the build are read by its own loader (src/load-code.ts), and are in no list of Node's.
      writeFileSync(
        spy,
        `const fs = require("fs");
        const { readFileSync } = fs;
        const read = [];
        fs.readFileSync = (path, ...rest) => (read.push(String(path)), readFileSync(path, ...rest));
        process.on("exit", () => fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify(read)));`,
      );
      const env = { ...repo.env, NODE_OPTIONS: `--require=${spy}` };
      const loadsYaml = async (): Promise<boolean> => {
        expectExit(await waymark(repo.root, ["create"], { env }), 0);
        const loaded = JSON.parse(readFileSync(seen, "utf8")) as string[];
        expect(loaded.some((path) => path.endsWith("start.cjs"))).toBe(true);
        return loaded.some((path) => path.includes("config-yaml"));
      };
      expect(await loadsYaml()).toBe(false);
      await repo.write("waymark.yml", "strategy: smart\n");
      expect(await loadsYaml()).toBe(true);
      // A file is remembered once it is older than the clock of any file system can blur.
      await new Promise((resolve) => setTimeout(resolve, 2200));
      expect(await loadsYaml()).toBe(true);
      expect(await loadsYaml()).toBe(false);
      await repo.write("waymark.yml", "strategy: manual\n");
      expect(await loadsYaml()).toBe(true);
    });
  });
});
