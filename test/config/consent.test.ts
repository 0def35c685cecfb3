/** Settings of a project that count only after its user has agreed, in the running product. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withHooks } from "../hooks/hooked-project.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { errorMessage, expectExit, waymark, type CliResult } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

const OFF = "capture: {include_untracked: false, exclude: ['*.bin', '*']}\nstrategy: manual\n";
const NOT_IN_EFFECT = "not in effect without your consent: waymark.yml:";

async function value(project: RuleProject, key: string): Promise<unknown> {
  return field(items((await project.ok("config", key)).json, "values")[0], "value");
}

async function excluded(project: RuleProject): Promise<string[]> {
  const { json } = await project.ok("create", "--force");
  return items(json, "checkpoint", "coverage", "excluded").map((each) => text(each, "path"));
}

/** A file beside the project, and settings that name it. */
async function nameOutside(project: RuleProject): Promise<{ file: string; settings: string }> {
  const file = join(project.repo.base, "outside/private.txt");
  await mkdir(join(project.repo.base, "outside"));
  await writeFile(file, "1");
  return { file, settings: `capture:\n  include_ignored: ['${file}']\n` };
}

/** Copies of files outside that checkpoints have. */
async function copies({ repo }: RuleProject): Promise<string[]> {
  const found: string[] = [];
  for (const half of (await repo.storeRefs("--format=%(refname)", "refs/waymark/local")).split(
    "\n",
  )) {
    const names = half === "" ? "" : await repo.store("ls-tree", "-r", "--name-only", half);
    found.push(...names.split("\n").filter((path) => path.endsWith("private.txt")));
  }
  return found;
}

describe("a path outside of the project", () => {
  it("[R171] is neither copied nor changed by a rollback before the user has agreed", async () => {
    await withHooks(async (hooked) => {
      const { project } = hooked;
      const { file, settings } = await nameOutside(project);
      await project.repo.write("waymark.yml", settings);
      expect(await hooked.prompt("go")).toContain("capture.include_ignored");
      const id = await project.create("-m", "without consent");
      await writeFile(file, "2");
      await project.repo.write("a.txt", "changed");
      await project.ok("rollback", id, "--yes");
      expect(await readFile(file, "utf8")).toBe("2");
      expect(await copies(project)).toEqual([]);

      await project.ok("config", "trust", "--yes");
      const held = await project.create("-m", "with consent");
      expect(await copies(project)).toHaveLength(1);
      await project.ok("config", "trust", "--revoke");
      await writeFile(file, "3");
      // What the user's own checkpoint holds comes back, whatever the settings are by now.
      await project.ok("rollback", held, "--yes");
      expect(await readFile(file, "utf8")).toBe("2");
    });
  });

  it("[R171] counts in the user's own file", async () => {
    await withSeed(async (project) => {
      const { file, settings } = await nameOutside(project);
      await project.writeOwnSettings(settings);
      const id = await project.create();
      await writeFile(file, "2");
      await project.ok("rollback", id, "--yes");
      expect(await readFile(file, "utf8")).toBe("1");
    });
  });

  it("[R171] is not reached through a link of the project", async () => {
    await withSeed(async (project) => {
      const { file } = await nameOutside(project);
      const { repo } = project;
      await symlink(join(repo.base, "outside"), join(repo.root, "way-out"));
      await repo.write(".gitignore", "way-out\n");
      const patterns = [
        "way-out",
        "way-out/",
        "way-out/private.txt",
        `${repo.root}/way-out/private.txt`,
      ];
      await repo.write("waymark.yml", `capture: {include_ignored: ${JSON.stringify(patterns)}}\n`);
      const id = await project.create("-m", "x");
      expect(await copies(project)).toEqual([]);
      await writeFile(file, "2");
      await repo.write("a.txt", "changed");
      await project.ok("rollback", id, "--yes");
      expect(await readFile(file, "utf8")).toBe("2");
    });
  });
});

describe("a project that switches protection off", () => {
  it("[R172] is said by every create, and protects all the same", async () => {
    await withSeed(async (project) => {
      await project.repo.write("waymark.yml", OFF);
      await project.repo.write("new.ts", "1");
      for (const command of [["create"], ["list"], ["doctor"]]) {
        const { stdout } = await project.run(...command);
        expect(stdout.toString("utf8")).toContain(NOT_IN_EFFECT);
      }
      expect(await excluded(project)).not.toContain("new.ts");
      expect(await value(project, "capture.exclude")).toEqual(["*.bin"]);
      expect(await value(project, "strategy")).toBe("before_modify");
    });
  });

  it("[R172] counts with consent, for this project and these values alone", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.agreeTo(OFF);
      await repo.write("new.ts", "1");
      expect(await excluded(project)).toContain("new.ts");
      expect(field((await project.ok("create", "--force")).json, "warnings")).toEqual([]);
      // Harmless settings change without a question.
      await repo.write("waymark.yml", `${OFF}retention: {auto: 7}\n`);
      expect(await value(project, "strategy")).toBe("manual");
      // Another value is another question; what was agreed to still counts.
      await repo.write("waymark.yml", OFF.replace("'*'", "'*.ts'"));
      expect(await value(project, "capture.exclude")).toEqual(["*.bin"]);
      expect(await value(project, "strategy")).toBe("manual");
      await repo.write("waymark.yml", OFF);
      await repo.git("add", "-f", "waymark.yml");
      await repo.git("commit", "-qm", "settings");
      await repo.git("worktree", "add", "-q", "../linked");
      await repo.git("clone", "-q", ".", "../clone");
      expect(await value(project.at("linked"), "strategy")).toBe("manual");
      expect(await value(project.at("clone"), "strategy")).toBe("before_modify");
      await project.ok("config", "trust", "--revoke");
      expect(await value(project, "strategy")).toBe("before_modify");
    });
  });

  it("[R172] by a file of another tool needs consent, too", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".claude/checkpoint-config.yaml", "checkpoint: {enabled: false}\n");
      await project.repo.write(".flowspec/checkpoint.yml", "include_untracked: false\n");
      const { json } = await project.ok("config");
      expect(field(json, "warnings")).toEqual([
        expect.stringContaining(
          "not in effect without your consent: .claude/checkpoint-config.yaml:",
        ),
      ]);
      expect(items(json, "consent").map((each) => text(each, "key"))).toEqual([
        "strategy",
        "triggers.phase_transition",
        "triggers.batch_complete",
        "triggers.conflict_events",
        "triggers.tool_use",
        "capture.include_untracked",
      ]);
      expect(items(json, "consent").every((each) => field(each, "agreed") === false)).toBe(true);
      expect(await value(project, "strategy")).toBe("before_modify");
    });
  });

  it("[R172] is said by hooks once per session, before and after the user has agreed", async () => {
    await withHooks(async (hooked) => {
      const { project } = hooked;
      await project.repo.write("waymark.yml", "strategy: manual\n");
      const first = await hooked.write("a.txt");
      expect(first).toContain("not in effect without your consent: waymark.yml:1 strategy: manual");
      expect(first).toContain("`waymark config trust`");
      expect(await hooked.prompt("go")).toBe("");
      expect(await hooked.checkpoints()).not.toEqual([]);
      const { length } = await hooked.checkpoints();
      await project.ok("config", "trust", "--yes");
      await project.repo.write("b.txt", "2");
      expect(await hooked.prompt("more")).toContain(
        "in effect with your consent: waymark.yml:1 strategy: manual (no checkpoint is created",
      );
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(length);
      expect(await hooked.as("another").prompt("go")).toContain("in effect with your consent");
    });
  });
});

describe("config trust", () => {
  const trust = (project: RuleProject, env: NodeJS.ProcessEnv, ...args: string[]) =>
    waymark(project.repo.root, ["config", "trust", ...args], { env });

  it("[R173] is the user's alone: not without a terminal or --yes, and not by an agent", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", OFF);
      const refused = async (result: CliResult, message: string): Promise<void> => {
        expectExit(result, 5);
        expect(errorMessage(result)).toContain(message);
        expect(await value(project, "strategy")).toBe("before_modify");
      };
      await refused(await project.run("config", "trust"), "confirmation required");
      await refused(
        await trust(project, { ...repo.env, CLAUDECODE: "1" }, "--yes"),
        "claude is running this command and cannot consent for you",
      );
    });
  });

  it.runIf(hasTerminal)("[R173] is not asked of an agent that has a terminal", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", OFF);
      const env = { ...repo.env, CODEX_CI: "1" };
      const { code, screen } = await inTerminal(repo.root, ["config", "trust"], [], env, 200);
      expect(screen).toContain("codex is running this command and cannot consent for you");
      expect(screen).toContain("in a terminal of your own");
      expect(code).toBe(5);
      expect(await value(project, "strategy")).toBe("before_modify");
    });
  });

  it.runIf(hasTerminal)("[R173] shows each setting with what it does, and asks", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", OFF);
      const answered = (type: string) =>
        inTerminal(repo.root, ["config", "trust"], [{ see: "[y/N]", type }], repo.env, 200);
      const no = await answered("\r");
      expect(no.code).toBe(5);
      expect(no.screen).toContain('waymark.yml:1: capture.exclude: ["*"]');
      expect(no.screen).toContain("new source files are not protected");
      expect(no.screen).toContain("waymark.yml:2: strategy: manual");
      expect(await value(project, "strategy")).toBe("before_modify");
      expect((await answered("y\r")).code).toBe(0);
      expect(await value(project, "strategy")).toBe("manual");
    });
  });

  it("[R173] keeps consent in the user's folder, and other projects' too", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.agreeTo("strategy: manual\n");
      await repo.git("clone", "-q", ".", "../clone");
      await project.at("clone").agreeTo("git: {tags: true}\n");
      const file = join(repo.home, ".config/waymark/trusted.json");
      expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
        schema_version: 1,
        projects: {
          [repo.root]: [{ key: "strategy", value: "manual" }],
          [join(repo.base, "clone")]: [{ key: "git.tags", value: true }],
        },
      });
      await writeFile(file, "{");
      expect(await value(project, "strategy")).toBe("before_modify");
      const refused = await project.run("config", "trust", "--yes");
      expectExit(refused, 1);
      expect(errorMessage(refused)).toContain(`${file} cannot be used`);
      expect(await readFile(file, "utf8")).toBe("{");
    });
  });

  it("[R173] says where consent cannot be kept, and takes none that the project brings along", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", OFF);
      const nowhere = await trust(project, { ...repo.env, HOME: "" }, "--yes");
      expectExit(nowhere, 1);
      expect(errorMessage(nowhere)).toContain("neither HOME nor XDG_CONFIG_HOME");
      // HOME of a container is in the project.
      const consent = { [repo.root]: [{ key: "strategy", value: "manual" }] };
      const file = JSON.stringify({ schema_version: 1, projects: consent });
      await repo.write("home/.config/waymark/trusted.json", file);
      await repo.write("home/.config/waymark/config.yml", "git: {tags: true}\n");
      const env = { ...repo.env, HOME: join(repo.root, "home") };
      const { json } = await waymark(repo.root, ["config"], { env });
      const values = items(json, "values").filter((each) =>
        ["strategy", "git.tags"].includes(text(each, "key")),
      );
      expect(values.map((each) => field(each, "value"))).toEqual(["before_modify", false]);
      expect(items(json, "warnings").join()).toContain("it is in the project itself");
      const inside = await trust(project, env, "--yes");
      expectExit(inside, 1);
      expect(errorMessage(inside)).toContain(".config/waymark is in the project itself");
    });
  });

  it("[R173] says when the folder cannot be written", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", OFF);
      await writeFile(join(repo.home, ".config"), "");
      const refused = await project.run("config", "trust", "--yes");
      expectExit(refused, 1);
      expect(errorMessage(refused)).toMatch(/^storing your consent: .*\.config/);
    });
  });
});
