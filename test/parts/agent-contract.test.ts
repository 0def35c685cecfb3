// What agents are promised: fields, hashes that anybody can compute, commands that work as they are printed.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { runCommand } from "../support/run-command.ts";
import type { TempRepository } from "../support/temp-repository.ts";
import { type RuleProject, withDirty } from "../spec/project.ts";

interface Created {
  readonly checkpoint: {
    readonly id: string;
    readonly type: string;
    readonly scope: { readonly files: string[]; readonly state_keys: string[] };
    readonly restore_command: string;
    readonly expiry: string | null;
    readonly created_at: string;
  };
  readonly pre_mutation_state: { readonly hash: string; readonly summary: string };
  readonly restore: {
    readonly command: string;
    readonly order: string[];
    readonly prerequisites: string[];
  };
  readonly next_safe_actions: string[];
  readonly confidence: number;
  readonly evidence_anchors: string[];
  readonly assumptions: string[];
}

async function created(project: RuleProject, ...args: string[]): Promise<Created> {
  return (await project.ok("create", "--force", ...args)).json as Created;
}

/** A shell as a person opens it: nothing but `waymark` on the PATH beside what the system has. */
async function inShell({ repo }: RuleProject, command: string): Promise<string> {
  await provideWaymark(repo);
  const env = { ...repo.env, PATH: `${join(repo.base, "bin")}:${process.env["PATH"] ?? ""}` };
  const result = await runCommand("sh", ["-c", command], { cwd: repo.root, env });
  if (result.code !== 0) throw new Error(`${command}: ${result.stderr}`);
  return result.stdout.toString("utf8");
}

async function provideWaymark(repo: TempRepository): Promise<void> {
  const program = join(repo.base, "bin", "waymark");
  await mkdir(join(repo.base, "bin"), { recursive: true });
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  await chmod(program, 0o755);
}

const WAYS: readonly (readonly [string, (project: RuleProject) => Promise<Created>])[] = [
  ["the work tree", (project) => created(project, "-m", "before")],
  [
    "the work tree and a state",
    async (project) => {
      await project.repo.write("flow.json", '{"step": 1}\n');
      return created(project, "--state", join(project.repo.root, "flow.json"));
    },
  ],
  ["one that expires", (project) => created(project, "--expires", "24h")],
];

describe.each(WAYS)("a checkpoint of %s", (_name, make) => {
  it("[R70] has a hash that git and sha256sum compute", () =>
    withDirty(async (project) => {
      const { checkpoint, pre_mutation_state } = await make(project);
      const names =
        "conflicts database files index outputs.json outputs.source state.json state.source worktree";
      const said = await inShell(
        project,
        `git ls-tree refs/waymark/cp/${checkpoint.id} -- ${names} | sha256sum`,
      );
      expect(`sha256:${said.split(" ", 1)[0]}`).toBe(pre_mutation_state.hash);
    }));

  it("[R71] has a restore command that works as it is printed, in a fresh shell", () =>
    withDirty(async (project) => {
      const { checkpoint, restore } = await make(project);
      const before = await takeFingerprint(project.repo);
      await project.repo.write("new-file", "made later\n");
      await project.repo.write("flow.json", '{"step": 2}\n');
      await project.repo.git("add", "-A");
      expect(differences(await takeFingerprint(project.repo), before)).not.toEqual([]);
      expect(restore.command).toBe(checkpoint.restore_command);
      await inShell(project, checkpoint.restore_command);
      expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
    }));

  it("says what it is, what proves it and what it rests on", () =>
    withDirty(async (project) => {
      const { checkpoint, ...rest } = await make(project);
      expect(checkpoint.type).toBe("git_stash");
      expect(checkpoint.scope).toEqual({ files: ["."], state_keys: [] });
      expect(rest.restore.order[0]).toBe("git_stash");
      expect(rest.pre_mutation_state.summary).toMatch(/\d+ files/);
      expect(rest.next_safe_actions.length).toBeGreaterThan(0);
      expect(rest.assumptions.length).toBeGreaterThan(0);
      expect(rest.confidence).toBeGreaterThan(0.5);
      expect(rest.confidence).toBeLessThanOrEqual(1);
      const anchors = rest.evidence_anchors;
      expect(anchors).toContain(`checkpoint:${checkpoint.id}`);
      for (const anchor of anchors) {
        if (anchor.startsWith("tool:bash:")) await inShell(project, anchor.slice(10));
      }
    }));
});

describe("what agents are told", () => {
  it("is less sure about a checkpoint that leaves something out", () =>
    withDirty(async (project) => {
      const sure = await created(project);
      await project.repo.fifo("pipe");
      const lessSure = await created(project);
      const notSynced = await created(project, "--durability", "fast");
      expect(sure.confidence).toBe(1);
      expect(lessSure.confidence).toBe(0.9);
      expect(notSynced.confidence).toBe(0.85);
    }));

  it("is everything about a rollback", () =>
    withDirty(async (project) => {
      const { checkpoint, pre_mutation_state } = await created(project);
      await project.repo.write("later", "x\n");
      const { json } = await project.ok("rollback", checkpoint.id, "--yes");
      expect(json).toMatchObject({
        rolled_back: true,
        restored_to: checkpoint.id,
        changes_reverted: [{ file: "later", operation: "removed" }],
        verification: {
          match: true,
          checkpoint_hash: pre_mutation_state.hash,
          post_state_hash: pre_mutation_state.hash,
        },
        confidence: 1,
      });
      const document = json as Created & { undo_checkpoint_id: string; next_actions: string[] };
      expect(document.evidence_anchors).toContain(`checkpoint:${checkpoint.id}`);
      expect(document.evidence_anchors).toContain(`checkpoint:${document.undo_checkpoint_id}`);
      expect(document.next_actions.length).toBeGreaterThan(0);
      expect(document.assumptions.length).toBeGreaterThan(0);
    }));
});
