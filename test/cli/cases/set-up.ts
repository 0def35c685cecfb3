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
  complete: [
    {
      title: "what could come next",
      args: ["complete", "--", "rollback"],
      prints: { text: (stdout) => expect(stdout).toMatch(/^words\n/) },
    },
  ],
};
