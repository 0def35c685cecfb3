/** `waymark hooks uninstall`: where it looks, what it says, and places that are not what they seem. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { type CliResult, errorMessage, said, waymark } from "../support/cli.ts";
import { field } from "../support/json.ts";

function run(project: RuleProject, env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult> {
  return waymark(project.repo.root, args, { env: { ...project.repo.env, ...env } });
}

const states = ({ json }: CliResult): unknown =>
  (field(json, "agents") as { agent: string; scope: string; state: string }[]).map(
    ({ agent, scope, state }) => [agent, scope, state],
  );

describe("hooks uninstall", () => {
  it("takes what the project has in any scope, and names the command for the rest", async () => {
    await withSeed(async (project) => {
      const local = await project.ok("hooks", "install", "claude", "--scope", "local");
      expect(said(local)).toContain("`waymark hooks uninstall --scope local` removes them");
      const own = ["hooks", "install", "claude", "--scope", "user", "--via", "file"];
      expect(said(await project.ok(...own))).toContain("`waymark hooks uninstall --scope user`");
      const gone = await project.ok("hooks", "uninstall", "--yes");
      expect(states(gone)).toEqual([["claude", "local", "removed"]]);
      expect(said(gone)).toContain("`waymark hooks uninstall claude --scope user`");
      expect(states(await project.ok("hooks", "uninstall", "claude"))).toEqual([
        ["claude", "project", "not_installed"],
      ]);
      const rest = await project.ok("hooks", "uninstall", "claude", "--scope", "user");
      expect(states(rest)).toEqual([["claude", "user", "removed"]]);
    });
  });

  it("says what stays, why, and how it goes, and ends with 1", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.root, ".opencode/plugins/waymark.js");
      await project.ok("hooks", "install", "opencode");
      await writeFile(path, `${await readFile(path, "utf8")}// mine\n`);
      const kept = await run(project, {}, "hooks", "uninstall");
      expect([kept.code, said(kept)]).toEqual([
        1,
        expect.stringContaining(
          ".opencode/plugins/waymark.js was changed since it was installed and was not removed; `waymark hooks uninstall opencode --force` removes it",
        ),
      ]);
      await project.ok("hooks", "uninstall", "opencode", "--force");
    });
  });
});

describe("hooks of one work tree that git does not ignore", () => {
  it("are reported; paths of this machine only where there are any", async () => {
    await withSeed(async (project) => {
      const install = ["hooks", "install", "claude", "--scope", "local"];
      const file = ".claude/settings.local.json is not ignored by git, although";
      expect(said(await project.ok(...install))).toContain(
        `${file} --scope local is for this work tree only`,
      );
      expect(said(await project.ok(...install, "--absolute"))).toContain(
        `${file} it contains paths of this machine`,
      );
      await project.repo.write(".gitignore", "*.local.json\n");
      await project.ok("hooks", "uninstall");
      expect(said(await project.ok(...install))).not.toContain("not ignored by git");
    });
  });
});

describe("odd places", () => {
  it("installs beyond a link, in the project and out of it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await mkdir(join(repo.root, "settings"));
      await mkdir(join(repo.base, "elsewhere"));
      await symlink("settings", join(repo.root, ".claude"));
      await symlink(join(repo.base, "elsewhere"), join(repo.root, ".codex"));
      await project.ok("hooks", "install", "claude", "codex");
      expect(String(await repo.read("settings/settings.json"))).toContain("waymark hook claude");
      await project.ok("hooks", "uninstall");
      expect(await repo.exists("settings/settings.json")).toBe(false);
    });
  });

  it("refuses a link to itself, and the user's settings where there is no HOME, without a trace", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await mkdir(join(repo.root, ".claude"));
      await symlink("settings.json", join(repo.root, ".claude/settings.json"));
      const loop = await run(project, {}, "hooks", "install", "claude");
      expect(errorMessage(loop)).toContain("is a symbolic link that points to itself");
      const homeless = await run(
        project,
        { HOME: "" },
        "hooks",
        "install",
        "codex",
        "--scope",
        "user",
      );
      expect(errorMessage(homeless)).toContain("HOME is not set");
      const plugin = await run(project, {}, "hooks", "install", "codex", "--via", "plugin");
      expect(field(plugin.json, "error", "hint")).toContain("--scope user");
      expect(await repo.exists(".checkpoints/audit.log")).toBe(false);
    });
  });
});

describe("trust", () => {
  const trustOf = async (project: RuleProject, agent: string): Promise<unknown[]> => {
    const { json } = await project.ok("hooks", "status", agent);
    const [status] = field(json, "agents") as { trust: string; trust_reason: string | null }[];
    return [status?.trust, status?.trust_reason];
  };

  it("of Copilot is in its list of folders", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", "copilot");
      expect(await trustOf(project, "copilot")).toEqual([
        "not_trusted",
        "start `copilot` in this project and trust the folder",
      ]);
      await mkdir(join(repo.home, ".copilot"), { recursive: true });
      const trusted = JSON.stringify({ trustedFolders: [repo.root] });
      await writeFile(join(repo.home, ".copilot/config.json"), trusted);
      expect(await trustOf(project, "copilot")).toEqual(["trusted", null]);
    });
  });

  it("of Copilot counts the same way where it runs the hooks of Claude's file", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".github/copilot-instructions.md", "");
      const why = "start `copilot` in this project and trust the folder";
      expect(said(await project.ok("hooks", "install", "claude", "copilot"))).toContain(
        `Copilot CLI does not run them yet: ${why}`,
      );
      expect(await trustOf(project, "copilot")).toEqual(["not_trusted", why]);
      expect(said(await project.run("doctor"))).toContain(
        "Copilot CLI does not run the hooks: they are not trusted yet",
      );
      await mkdir(join(repo.home, ".copilot"), { recursive: true });
      const trusted = JSON.stringify({ trustedFolders: [repo.root] });
      await writeFile(join(repo.home, ".copilot/config.json"), trusted);
      expect(await trustOf(project, "copilot")).toEqual(["trusted", null]);
      expect(said(await project.run("doctor"))).toContain("Copilot CLI: covered by ");
    });
  });

  it("of Codex in a linked work tree is about the hooks of the main one", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", join(repo.base, "linked"));
      const linked = project.at("linked");
      await linked.ok("hooks", "install", "codex");
      expect(await trustOf(linked, "codex")).toEqual([
        "not_trusted",
        `in a linked work tree it runs the hooks of ${repo.root}: run \`waymark hooks install codex\` there, too`,
      ]);
      await project.ok("hooks", "install", "codex");
      expect(await trustOf(linked, "codex")).toEqual([
        "not_trusted",
        expect.stringContaining("trust the folder"),
      ]);
    });
  });
});
