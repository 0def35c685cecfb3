/** `waymark config set` and `unset` in the running product. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, readFile, rename, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALL_KEYS, fromText, keyAt } from "../../src/domain/config-keys.ts";
import { configTemplate } from "../../src/domain/config-template.ts";
import { editSettings } from "../../src/adapters/files/config-edit.ts";
import { expectExit, waymark } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { withSeed } from "../spec/project.ts";
import { withTempProject } from "../support/temp-repository.ts";

const FILE = `# ours
strategy: smart   # why

retention:
  # a month
  max_age: '30d'
  manual: 5

git: {tags: false} # flow
phases:
  never:
    - plan
    # and later
    - research
`;

describe("config set", () => {
  it("changes one value and keeps every other byte", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const after = async (...args: string[]): Promise<string> => {
        await repo.write("waymark.yml", FILE);
        await project.ok("config", ...args);
        return String(await repo.read("waymark.yml"));
      };
      const with_ = (from: string, to: string): string => FILE.replace(from, to);
      expect(await after("set", "strategy", "manual")).toBe(with_("smart ", "manual "));
      expect(await after("set", "retention.max_age", "7d")).toBe(with_("'30d'", "7d"));
      expect(await after("set", "retention.manual", "-1")).toBe(with_("5", "-1"));
      expect(await after("set", "retention.auto", "9")).toBe(
        with_("retention:\n", "retention:\n  auto: 9\n"),
      );
      expect(await after("set", "agents.policy", "fail_closed")).toBe(
        `${FILE}agents:\n  policy: fail_closed\n`,
      );
      expect(await after("unset", "strategy")).toBe(with_("strategy: smart   # why\n", ""));
      expect(await after("unset", "retention.manual")).toBe(with_("  manual: 5\n", ""));
      expect(await after("set", "git.tags", "true")).toContain("true");
      expect(await after("set", "phases.never", "a", "b")).toContain("[a, b]");
      expect(await after("unset", "phases.never")).not.toContain("never");
      expect(await after("set", "strategy", "smart")).toBe(FILE);
    });
  });

  it("leaves neither an empty section nor an empty file", async () => {
    await withSeed(async (project) => {
      await project.ok("config", "set", "retention.max_age", "3d");
      await project.ok("config", "set", "agents.policy", "fail_closed");
      await project.ok("config", "unset", "retention.max_age");
      expect(String(await project.repo.read("waymark.yml"))).toBe(
        "agents:\n  policy: fail_closed\n",
      );
      await project.ok("config", "unset", "agents.policy");
      const { json } = await project.ok("init", "--dry-run");
      expect(json).toMatchObject({ would_write_config: true });
    });
  });

  it("puts a value into the file of `init` where its default stands", async () => {
    await withSeed(async (project) => {
      await project.ok("init");
      await project.ok("config", "set", "retention.max_age", "3d");
      await project.ok("config", "set", "strategy", "smart");
      expect(String(await project.repo.read("waymark.yml"))).toBe(
        configTemplate()
          .replace("  #max_age: 7d", "  #max_age: 7d\n  max_age: 3d")
          .replace("#strategy: before_modify", "#strategy: before_modify\nstrategy: smart"),
      );
      await project.ok("config", "unset", "retention.max_age");
      await project.ok("config", "unset", "strategy");
      expect(String(await project.repo.read("waymark.yml"))).toBe(configTemplate());
    });
  });

  it.each([
    ["#strategy: smart", "strategy", "manual"],
    ["#strategy: smart\r\ngit:\r\n  tags: true\r\n", "strategy", "manual"],
    ["# ours\r\nstrategy: smart", "retention.max_age", "3d"],
    ["retention:\n  #max_age: 7d", "retention.max_age", "3d"],
    ["", "retention.max_age", "3d"],
  ])("unset gives back %j as it was before set", (before, key, value) => {
    const file = join(mkdtempSync(join(tmpdir(), "waymark-config-")), "waymark.yml");
    writeFileSync(file, before);
    editSettings(file, file, { path: key, keys: [key], value });
    editSettings(file, file, { path: key, keys: [key], value: undefined });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("checks names and values, and changes nothing then", async () => {
    await withSeed(async (project) => {
      await project.repo.write("waymark.yml", FILE);
      const refusal = async (...args: string[]): Promise<string> => {
        const refused = await project.run("config", ...args);
        expectExit(refused, 2);
        return `${text(refused.json, "error", "message")} ${text(refused.json, "error", "hint")}`;
      };
      expect(await refusal("set", "retention.maxage", "7d")).toContain(
        "Did you mean retention.max_age?",
      );
      expect(await refusal("set", "strategy", "never")).toContain("manual, before_modify");
      expect(await refusal("set", "retention.manual", "many")).toContain("an integer");
      expect(await refusal("set", "retention", "7d")).toMatch(
        /retention is a group of settings .*retention\.max_age/,
      );
      expect(String(await project.repo.read("waymark.yml"))).toBe(FILE);
      await project.repo.write("waymark.yml", "a: [\n");
      expect(await refusal("set", "strategy", "smart")).toContain("Nothing was changed");
      expect(String(await project.repo.read("waymark.yml"))).toBe("a: [\n");
    });
  });

  it.each([
    [
      "phases:\n  never: # why\n    - plan # now\n    # and later\n    - research # last\n#end\n",
      "phases.never",
      "a b",
      "phases:\n  never: [a, b] # why\n    # now\n    # and later\n    # last\n#end\n",
    ],
    [
      "retention: {max_age: 5d} # keep\n",
      "retention.max_age",
      "9d",
      "retention: {max_age: 9d} # keep\n",
    ],
    [
      "retention: { max_age: 5d, manual: 2 }",
      "retention.auto",
      "3",
      "retention: { auto: 3, max_age: 5d, manual: 2 }",
    ],
    ["retention: {max_age: 5d} # keep\n", "retention.max_age", undefined, "retention: {} # keep\n"],
    [
      "retention: {auto: 1, max_age: 5d} # keep\n",
      "retention.max_age",
      undefined,
      "retention: {auto: 1} # keep\n",
    ],
    [
      "retention: {max_age: 5d, auto: 1} # keep\n",
      "retention.max_age",
      undefined,
      "retention: {auto: 1} # keep\n",
    ],
    [
      "phases:\n  never:\n    - a\n# about git\ngit: {tags: true}\n",
      "phases.never",
      undefined,
      "# about git\ngit: {tags: true}\n",
    ],
    ["\ufeffstrategy: smart\n", "strategy", "manual", "\ufeffstrategy: manual\n"],
    ["\ufeffstrategy: smart\n", "git.tags", "true", "\ufeffstrategy: smart\ngit:\n  tags: true\n"],
    [
      "strategy: smart # x\r\nretention:\r\n  auto: 1\r\n",
      "retention.max_age",
      "3d",
      "strategy: smart # x\r\nretention:\r\n  max_age: 3d\r\n  auto: 1\r\n",
    ],
    [
      "#strategy: smart\r\ngit:\r\n  tags: true\r\n",
      "strategy",
      "manual",
      "#strategy: smart\r\nstrategy: manual\r\ngit:\r\n  tags: true\r\n",
    ],
    [
      "strategy: smart\r\n",
      "agents.policy",
      "fail_closed",
      "strategy: smart\r\nagents:\r\n  policy: fail_closed\r\n",
    ],
    [
      "phases:\r\n  never:\r\n    - a # b\r\n",
      "phases.never",
      "c",
      "phases:\r\n  never: [c]\r\n    # b\r\n",
    ],
    ["strategy: >-\n  smart\n", "strategy", "manual", "strategy: manual\n"],
    [
      "strategy: >- # why\n  smart\n\ngit:\n    tags: true\n",
      "strategy",
      "manual",
      "strategy: manual # why\n\ngit:\n    tags: true\n",
    ],
    ["git:\n    tags: true", "git.tags", "false", "git:\n    tags: false"],
    ["retention:\n    auto: 1", "retention.manual", "2", "retention:\n    manual: 2\n    auto: 1"],
    ["retention: # none yet", "retention.manual", "2", "retention: # none yet\n  manual: 2"],
    [
      "agents: {claude: {policy: fail_open}}\n",
      "agents.claude.policy",
      "fail_closed",
      "agents: {claude: {policy: fail_closed}}\n",
    ],
    ["retention: ~ # none\n", "retention.manual", "2", "retention: {manual: 2} # none\n"],
    ["{retention: null}\n", "retention.manual", "2", "{retention: {manual: 2}}\n"],
  ])("changes only the bytes of the setting in %j", (before, key, words, after) => {
    const path = join(mkdtempSync(join(tmpdir(), "waymark-config-")), "waymark.yml");
    writeFileSync(path, before);
    const found = keyAt(key);
    const given = words?.includes(" ") === true ? words.split(" ") : words;
    const value =
      found === undefined || given === undefined
        ? undefined
        : found.read(typeof given === "string" ? fromText(found.kind, given) : given);
    expect(value === undefined).toBe(words === undefined);
    editSettings(path, "waymark.yml", { path: key, keys: [found?.path ?? key], value });
    expect(readFileSync(path, "utf8")).toBe(after);
  });

  it.each([
    ["- a\n", "must be a map of settings"],
    ["just text\n", "must be a map of settings"],
    ["retention: str\n", "it is a section"],
    ["retention: [1]\n", "it is a section"],
  ])("refuses a file of %j", async (before, message) => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", before);
      const refused = await project.run("config", "set", "retention.max_age", "3d");
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toContain(message);
      expect(String(await repo.read("waymark.yml"))).toBe(before);
    });
  });

  it("refuses a symbolic link in the place of the project's file", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("real.yml", "strategy: smart\n");
      await symlink("real.yml", join(repo.root, "waymark.yml"));
      const refused = await project.run("config", "set", "strategy", "manual");
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toContain("it is a symbolic link");
    });
  });

  it("keeps every change of several at once", async () => {
    await withSeed(async (project) => {
      const keys = ["auto", "manual", "max_per_task"];
      const all = await Promise.all(
        keys.map((key) => project.ok("config", "set", `retention.${key}`, "4")),
      );
      for (const { json } of all) expect(json).toMatchObject({ changed: true, in_effect: 4 });
      const after = String(await project.repo.read("waymark.yml"));
      for (const key of keys) expect(after).toContain(`  ${key}: 4\n`);
    });
  });

  it("says what has no effect: without consent, or because another source counts more", async () => {
    await withSeed(async (project) => {
      const { json } = await project.ok("config", "set", "strategy", "manual");
      expect(json).toMatchObject({
        kind: "config_set",
        file: "waymark.yml",
        changed: true,
        value: "manual",
        before: null,
        in_effect: "before_modify",
        needs_consent: true,
      });
      expect(items(json, "warnings").join()).toContain("waymark config trust");
      const env = { ...project.repo.env, WAYMARK_STRATEGY: "before_all" };
      const other = await waymark(project.repo.root, ["config", "set", "strategy", "smart"], {
        env,
      });
      expect(items(other.json, "warnings").join()).toContain("WAYMARK_STRATEGY");
      expect((await stat(join(project.repo.root, "waymark.yml"))).mode & 0o777).toBe(
        0o666 & ~process.umask(),
      );
    });
  });

  it("--user writes the user's own file, also outside of a project, and never for an agent", async () => {
    await withTempProject(async (repo) => {
      const set = (env: NodeJS.ProcessEnv) =>
        waymark(repo.root, ["config", "set", "--user", "agents.policy", "fail_closed"], { env });
      const refused = await set({ ...repo.env, CLAUDECODE: "1" });
      expectExit(refused, 5);
      const own = join(repo.home, ".config/waymark/config.yml");
      const { json } = await set(repo.env);
      expect(json).toMatchObject({ file: own, changed: true, in_effect: null });
      await mkdir(join(repo.home, "dotfiles"));
      await rename(own, join(repo.home, "dotfiles/w.yml"));
      await symlink(join(repo.home, "dotfiles/w.yml"), own);
      await waymark(repo.root, ["config", "unset", "--user", "agents.policy"], { env: repo.env });
      expect(await readFile(join(repo.home, "dotfiles/w.yml"), "utf8")).toBe("");
    });
  });

  it("reads back what it wrote, for every setting, in any file", () => {
    const files = ["", "# only a comment", configTemplate(), FILE, "{}\n", "{strategy: smart}\n"];
    const values = fc.constantFrom(
      "true",
      "false",
      "3",
      "-1",
      "7d",
      "smart",
      "yes,no",
      "a b,'x: y'",
    );
    const path = join(mkdtempSync(join(tmpdir(), "waymark-config-")), "waymark.yml");
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.constantFrom(...ALL_KEYS),
        values,
        (file, key, word) => {
          const value = key.read(fromText(key.kind, word));
          fc.pre(value !== undefined);
          writeFileSync(path, file);
          const change = { path: key.path, keys: [key.path], value };
          editSettings(path, "waymark.yml", change);
          expect(editSettings(path, "waymark.yml", change)).toEqual({
            isChanged: false,
            before: value,
            isDeleted: false,
          });
          const comments = (all: string): number => all.match(/# /g)?.length ?? 0;
          expect(comments(readFileSync(path, "utf8"))).toBeGreaterThanOrEqual(comments(file) - 1);
        },
      ),
    );
  });
});
