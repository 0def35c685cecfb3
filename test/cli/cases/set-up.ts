/** Cases of the commands for setting up. */
import { tmpdir } from "node:os";
import { expect } from "vitest";
import {
  checkpointAndChange,
  halfRolledBack,
  plainFolder,
  unreadable,
  wrongSettings,
} from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const SET_UP_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  init: [
    { title: "a new file", args: ["init"], prints: { kind: "init" } },
    {
      title: "only looked at, with much to find",
      prepare: async ({ repo }) => {
        await repo.write(".gitattributes", "*.bin filter=lfs\n");
        await repo.write("CLAUDE.md", "");
        await repo.write("backlog/config.yml", "");
        await repo.git("init", "-q", "nested");
        await repo.git("checkout", "-q", "--detach");
      },
      args: ["init", "--dry-run"],
      prints: { kind: "init" },
    },
    {
      title: "a file that is there",
      prepare: wrongSettings,
      args: ["init"],
      prints: { kind: "init" },
    },
    {
      title: "a file that is there is replaced",
      prepare: wrongSettings,
      args: ["init", "--force"],
      prints: { kind: "init" },
    },
    { title: "a plain folder", prepare: plainFolder, args: ["init"], prints: { kind: "init" } },
    {
      title: "a plain folder that is only looked at",
      prepare: plainFolder,
      args: ["init", "--dry-run"],
      prints: { kind: "init" },
    },
    {
      title: "a folder in its place",
      prepare: ({ repo }) => repo.folder("waymark.yml"),
      args: ["init", "--force"],
      prints: { error: "already_exists" },
    },
    {
      title: "no such folder",
      args: ["-C", "nowhere", "init"],
      prints: { error: "not_a_repository" },
    },
  ],
  "hooks install": [
    {
      title: "for two agents",
      args: ["hooks", "install", "claude", "cline"],
      prints: { kind: "hooks_install" },
    },
    {
      title: "only looked at",
      args: ["hooks", "install", "opencode", "copilot", "--dry-run"],
      prints: { kind: "hooks_install" },
    },
    {
      title: "a file that cannot be understood",
      prepare: ({ repo }) => repo.write(".codex/hooks.json", "{"),
      args: ["hooks", "install", "codex"],
      prints: { error: "agent_file_invalid" },
    },
    { title: "no such agent", args: ["hooks", "install", "vim"], prints: { error: "usage" } },
  ],
  "hooks uninstall": [
    {
      title: "nothing is installed",
      args: ["hooks", "uninstall"],
      prints: { kind: "hooks_uninstall" },
    },
    {
      title: "what is installed",
      prepare: async (project) => void (await project.ok("hooks", "install", "claude", "opencode")),
      args: ["hooks", "uninstall", "claude", "opencode", "gemini"],
      prints: { kind: "hooks_uninstall" },
    },
    {
      title: "two scopes",
      args: ["hooks", "uninstall", "--all", "--scope", "user"],
      prints: { error: "usage" },
    },
  ],
  "hooks status": [
    {
      title: "with much to see",
      prepare: async (project) => {
        await project.ok("hooks", "install", "claude", "codex", "copilot", "cline", "--force");
        await project.repo.write(".qwen/settings.json", "{");
      },
      args: ["hooks", "status"],
      prints: { kind: "hooks_status" },
    },
    {
      title: "outside of a project",
      args: ["-C", tmpdir(), "hooks", "status", "codex"],
      prints: { kind: "hooks_status" },
    },
  ],
  config: [
    { title: "all defaults", args: ["config"], prints: { kind: "config" } },
    {
      title: "one section, set in a file",
      prepare: ({ repo }) => repo.write("waymark.yml", "phases:\n  never: [plan]\n"),
      args: ["config", "phases"],
      prints: { kind: "config" },
    },
    {
      title: "wrong settings, and names that nobody knows",
      prepare: wrongSettings,
      args: ["config"],
      prints: { kind: "config", exit: 2 },
    },
    {
      title: "a file that is no YAML",
      prepare: ({ repo }) => repo.write("waymark.yml", "a: [\n"),
      args: ["config", "strategy"],
      prints: { kind: "config", exit: 2 },
    },
    { title: "no such setting", args: ["config", "maxage"], prints: { error: "usage" } },
    {
      title: "with a setting that needs consent",
      prepare: ({ repo }) => repo.write("waymark.yml", "strategy: manual\n"),
      args: ["config", "strategy"],
      prints: { kind: "config" },
    },
  ],
  "config set": [
    {
      title: "a value",
      args: ["config", "set", "retention.max_age", "30d"],
      prints: { kind: "config_set" },
    },
    {
      title: "a list, in the user's own file",
      args: ["config", "set", "--user", "capture.exclude", "*.bin", "data/"],
      prints: { kind: "config_set" },
    },
    {
      title: "a wrong value",
      args: ["config", "set", "strategy", "sometimes"],
      prints: { error: "usage" },
    },
  ],
  "config unset": [
    {
      title: "one that is not set",
      args: ["config", "unset", "strategy"],
      prints: { kind: "config_set" },
    },
  ],
  "config trust": [
    { title: "nothing to agree to", args: ["config", "trust"], prints: { kind: "config_trust" } },
    {
      title: "without a terminal",
      prepare: ({ repo }) => repo.write("waymark.yml", "strategy: manual\n"),
      args: ["config", "trust"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "in a script",
      prepare: ({ repo }) => repo.write("waymark.yml", "capture: {exclude: ['*']}\n"),
      args: ["config", "trust", "--yes"],
      prints: { kind: "config_trust" },
    },
    {
      title: "revoked",
      prepare: async (project) => {
        await project.repo.write("waymark.yml", "git: {tags: true}\n");
        await project.ok("config", "trust", "--yes");
      },
      args: ["config", "trust", "--revoke"],
      prints: { kind: "config_trust" },
    },
  ],
  doctor: [
    {
      title: "all is well",
      prepare: checkpointAndChange,
      args: ["doctor"],
      prints: { kind: "doctor" },
    },
    {
      title: "a half rollback",
      prepare: halfRolledBack,
      args: ["doctor"],
      prints: { kind: "doctor", exit: 1 },
    },
    {
      title: "a half rollback, put right",
      prepare: halfRolledBack,
      args: ["doctor", "--fix"],
      prints: { kind: "doctor" },
    },
    {
      title: "a damaged checkpoint and wrong settings",
      prepare: async (project) => {
        await unreadable(project);
        await wrongSettings(project);
      },
      args: ["doctor"],
      prints: { kind: "doctor", exit: 1 },
    },
    {
      title: "not in a repository",
      args: ["-C", tmpdir(), "doctor"],
      prints: { kind: "doctor" },
    },
    { title: "an unknown option", args: ["doctor", "--fx"], prints: { error: "usage" } },
  ],
  schema: [
    { title: "the list", args: ["schema"], prints: { kind: "schema_list" } },
    {
      title: "one schema",
      args: ["schema", "rollback"],
      prints: {
        text: (stdout) =>
          expect(JSON.parse(stdout)).toMatchObject({ $id: "urn:waymark:schema:rollback" }),
      },
    },
    {
      title: "the schema of the settings, which is not that of `config --json`",
      args: ["schema", "waymark-yml"],
      prints: {
        text: (stdout) => expect(JSON.parse(stdout)).toMatchObject({ title: "waymark-yml" }),
      },
    },
    {
      title: "the schema of workflow files",
      args: ["schema", "workflow"],
      prints: {
        text: (stdout) => expect(JSON.parse(stdout)).toMatchObject({ title: "workflow" }),
      },
    },
    { title: "no such schema", args: ["schema", "rolback"], prints: { error: "usage" } },
  ],
  hook: [
    {
      title: "prints no document, not even with --json",
      args: ["hook", "claude"],
      prints: { text: (stdout) => expect(stdout).toBe("") },
    },
  ],
  completion: [
    {
      title: "a script",
      args: ["completion", "bash"],
      prints: { text: (stdout) => expect(stdout).toContain("complete -F") },
    },
    { title: "no such shell", args: ["completion", "tcsh"], prints: { error: "usage" } },
  ],
  mcp: [
    {
      title: "a client that says nothing and goes",
      args: ["mcp"],
      prints: { text: (stdout) => expect(stdout).toBe("") },
    },
    { title: "no such folder", args: ["mcp", "--root", "nowhere"], prints: { error: "usage" } },
  ],
  complete: [
    {
      title: "what could come next",
      args: ["complete", "--", "rollback"],
      prints: { text: (stdout) => expect(stdout).toMatch(/^words\n/) },
    },
  ],
};
