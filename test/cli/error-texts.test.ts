/** What people read when something goes wrong: what failed, where, and what to do next. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownIdentity } from "../../src/adapters/files/process-identity.ts";
import { withDirty, withSeed, type RuleProject } from "../spec/project.ts";
import { waymark, waymarkArguments, type CliResult } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { hasProgram } from "../support/find-program.ts";
import { field } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

const errorOf = (result: CliResult): unknown => field(result.json, "error");

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

async function withPath(project: RuleProject, path: string): Promise<CliResult> {
  return await waymark(project.repo.root, ["list"], { env: { ...project.repo.env, PATH: path } });
}

describe("error texts", () => {
  it("git is missing, or too old", async () => {
    await withSeed(async (project) => {
      expect(errorOf(await withPath(project, "/nowhere"))).toMatchObject({
        code: "git_missing",
        hint: text(/^Install git 2\.32 or newer/),
      });
      const folder = join(project.repo.base, "old");
      await mkdir(folder);
      // As git 2.30 does: an option that it does not know is printed, and the others are answered.
      const old =
        'case "$*" in *version) echo git version 2.30.2 ;; *) printf "%s\\n" --path-format=absolute false . . . ;; esac';
      await writeFile(join(folder, "git"), `#!/bin/sh\n${old}\n`);
      await chmod(join(folder, "git"), 0o755);
      expect(errorOf(await withPath(project, `${folder}:/bin`))).toMatchObject({
        code: "git_too_old",
        message: "git 2.30.2 is too old",
      });
    });
  });

  it("a name that is nearly right, and one that several have", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const other = await project.create();
      expect(errorOf(await project.run("show", "latset"))).toMatchObject({
        code: "checkpoint_not_found",
        hint: text(/^Did you mean `latest`\?/),
      });
      expect(errorOf(await project.run("show", "manual"))).toMatchObject({
        code: "ambiguous_selector",
        details: { candidates: expect.arrayContaining([id, other]) as unknown },
      });
    });
  });

  it("damage names the checkpoint and the last valid one, for a rollback and for a look at it", async () => {
    await withDirty(async (project) => {
      const sound = await project.create();
      await project.repo.write("big.txt", "only in the damaged one\n");
      const damaged = await project.create();
      const ref = `refs/waymark/cp/${damaged}:worktree/big.txt`;
      await deleteObject(project.repo, (await project.repo.store("rev-parse", ref)).trim());
      await project.repo.remove("big.txt");
      expect(errorOf(await project.run("rollback", damaged, "--yes"))).toMatchObject({
        code: "checkpoint_damaged",
        message: text(new RegExp(`^checkpoint ${damaged} is damaged: the blob .* is missing`)),
        hint: text(new RegExp(`The last valid one is ${sound}`)),
        details: { last_valid: sound },
      });
      const tree = `refs/waymark/cp/${damaged}:worktree`;
      await deleteObject(project.repo, (await project.repo.store("rev-parse", tree)).trim());
      expect(errorOf(await project.run("rollback", damaged, "--dry-run"))).toMatchObject({
        code: "checkpoint_damaged",
        details: { last_valid: sound },
      });
    });
  });

  it("a lock says who holds it, where, what for and since when", async () => {
    await withDirty(async (project) => {
      await project.create();
      const since = new Date().toISOString();
      const owner = { ...ownIdentity(), token: "test", since, doing: "rolling back" };
      const lock = join(await project.repo.gitPath("waymark"), "rollback.lock");
      await writeFile(lock, JSON.stringify(owner));
      expect(errorOf(await project.run("rollback", "latest", "--yes"))).toMatchObject({
        code: "locked",
        message: `locked by process ${process.pid} on ${hostname()} (rolling back, since ${since})`,
        hint: text(/^Wait until it has finished/),
      });
    });
  });

  it("output that cannot be written is an error of its own", async () => {
    await withSeed(async (project) => {
      const { root, env } = project.repo;
      const command = [process.execPath, ...waymarkArguments(root, "list", "--json")];
      const script = '"$@" > /dev/full';
      const full = await runCommand("sh", ["-c", script, "sh", ...command], { env });
      expect(full.code).toBe(1);
      expect(full.stderr).toMatch(/^error: the result could not be written: ENOSPC/);
      const pipe = await runCommand("sh", ["-c", '"$@" | true', "sh", ...command], { env });
      expect(pipe.stderr).toBe("");
    });
  });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(isRoot && !hasProgram("setpriv"))(
  "permissions (root needs setpriv to give them up)",
  () => {
    it("a read-only repository is named", async () => {
      await withDirty(async (project) => {
        const { repo } = project;
        await project.create();
        const asUser = isRoot
          ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
          : [];
        if (isRoot) {
          await chmod(repo.base, 0o755);
          await runCommand("chown", ["-R", "65534:65534", repo.base], { env: repo.env });
        }
        await runCommand("chmod", ["-R", "a-w", repo.root], { env: repo.env });
        const [program = "", ...args] = [
          ...asUser,
          process.execPath,
          ...waymarkArguments(repo.root, "create", "--force", "--json"),
        ];
        const result = await runCommand(program, args, { env: repo.env });
        await runCommand("chmod", ["-R", "u+w", repo.root], { env: repo.env });
        const document: unknown = JSON.parse(result.stdout.toString("utf8"));
        expect(result.code).toBe(1);
        expect(field(document, "error")).toMatchObject({
          code: "no_permission",
          message: text(new RegExp(`permission denied .*${repo.root}`)),
        });
      });
    });
  },
);
