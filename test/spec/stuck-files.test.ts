/** Files that no rename can move: mount points and what is below them, immutable and append-only ones, those of others in a sticky folder. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, cliEnvironment, shellQuote } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "./project.ts";

const isRoot = process.getuid?.() === 0;
const OWN_MOUNTS = [...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount"];

/** Containers and other systems may not allow it. */
const canMount = works("unshare", [...OWN_MOUNTS, "mount", "--bind", tmpdir(), tmpdir()]);
const canChangeFlags = inFolder((folder) => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  return works("chattr", ["+i", file]) && works("chattr", ["-i", file]);
});

function works(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function inFolder(use: (folder: string) => boolean): boolean {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A checkpoint, then a change of every file. */
async function withChanges(
  body: (project: RuleProject, id: string) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    for (const name of ["folder/one.txt", "plain.txt"]) await repo.write(name, "before\n");
    const id = await project.create();
    for (const name of ["folder/one.txt", "plain.txt"]) await repo.write(name, "after\n");
    await body(project, id);
  });
}

/** In a mount namespace of its own, after these commands in the project. */
function mounted(
  { repo }: RuleProject,
  mounts: string,
  ...args: readonly string[]
): Promise<CommandResult> {
  const words = [process.execPath, bin, "-C", repo.root, ...args, "--json"];
  const script = `set -e; cd ${shellQuote(repo.root)}; ${mounts}; exec ${words.map(shellQuote).join(" ")}`;
  return runCommand("unshare", [...OWN_MOUNTS, "sh", "-c", script], {
    env: cliEnvironment(repo.env),
  });
}

/** Refused before anything is begun: no safety checkpoint, no file changed. */
async function expectRefused(
  project: RuleProject,
  result: CommandResult,
  code: string,
  path: string,
): Promise<void> {
  const document: unknown = JSON.parse(result.stdout.toString("utf8"));
  expect(text(document, "error", "code")).toBe(code);
  expect(text(document, "error", "message")).toContain(path);
  expect(text(document, "error", "message")).not.toMatch(/\bE[A-Z]{3,}\b/);
  const { json } = await project.ok("list", "--all");
  const triggers = items(json, "checkpoints").map((one) => text(one, "trigger"));
  expect(triggers).toEqual(["manual"]);
  for (const name of ["folder/one.txt", "plain.txt"]) {
    expect((await project.repo.read(name)).toString()).toBe("after\n");
  }
}

describe.skipIf(!canMount)("mounts of the same file system (needs unshare and mount)", () => {
  it("[R187] a rollback below a bind mount is refused before anything is begun, and other paths are not", async () => {
    await withChanges(async (project, id) => {
      const mounts = "mount --bind folder folder";
      const refused = await mounted(project, mounts, "rollback", id, "--yes");
      await expectRefused(project, refused, "obstructed", "folder/one.txt");
      const others = ["rollback", id, "--paths", "plain.txt", "--yes"];
      expect((await mounted(project, mounts, ...others)).code).toBe(0);
      expect((await project.repo.read("plain.txt")).toString()).toBe("before\n");
    });
  });

  it("[R187] so is one of a file that is a mount point", async () => {
    await withChanges(async (project, id) => {
      const mounts = "echo after > ../env; mount --bind ../env plain.txt";
      const refused = await mounted(project, mounts, "rollback", id, "--yes");
      await expectRefused(project, refused, "obstructed", "plain.txt");
    });
  });

  it("[R187] and of an ignored file that is one, which a copy holds", async () => {
    await withChanges(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", "capture:\n  include_ignored: [local.cfg]\n");
      await repo.write(".git/info/exclude", "local.cfg\n");
      await repo.write("local.cfg", "before\n");
      const id = await project.create("-m", "with a copy");
      await repo.write("local.cfg", "after\n");
      const mounts = "echo after > ../env; mount --bind ../env local.cfg";
      const refused = await mounted(project, mounts, "rollback", id, "--yes");
      const document: unknown = JSON.parse(refused.stdout.toString("utf8"));
      expect(text(document, "error", "code")).toBe("obstructed");
      expect(text(document, "error", "message")).toContain("local.cfg is a mount point");
    });
  });

  it("[R187] a git folder that is a bind mount is no obstacle", async () => {
    await withChanges(async (project, id) => {
      const mounts = "mount --bind .git .git";
      for (const [words, content] of [
        [["rollback", id], "before\n"],
        [["undo"], "after\n"],
      ] as const) {
        const done = await mounted(project, mounts, ...words, "--yes");
        expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
        expect((await project.repo.read("folder/one.txt")).toString()).toBe(content);
      }
    });
  });
});

describe.skipIf(!canChangeFlags)("immutable and append-only files (needs root and chattr)", () => {
  it.each([
    ["an append-only file", "+a", "plain.txt", "plain.txt"],
    ["an immutable file", "+i", "plain.txt", "plain.txt"],
    ["a file in an append-only folder", "+a", "folder", "folder/one.txt"],
    ["a file in an immutable folder", "+i", "folder", "folder"],
  ])(
    "[R187] a rollback of %s is refused before anything is begun",
    async (_title, flag, at, path) => {
      await withChanges(async (project, id) => {
        const { repo } = project;
        const place = join(repo.root, at);
        expect(works("chattr", [flag, place])).toBe(true);
        try {
          const refused = await project.run("rollback", id, "--yes");
          await expectRefused(project, refused, "no_permission", path);
        } finally {
          works("chattr", ["-i", "-a", place]);
        }
        await project.ok("rollback", id, "--yes");
        expect((await repo.read(path === "folder" ? "folder/one.txt" : path)).toString()).toBe(
          "before\n",
        );
      });
    },
  );

  it("[R187] so is one that removes a folder from an append-only one, or changes a mode alone", async () => {
    await withChanges(async (project) => {
      const { repo } = project;
      for (const name of ["folder/one.txt", "plain.txt"]) await repo.write(name, "after\n");
      const id = await project.create();
      const refuse = async (at: string, path: string): Promise<void> => {
        expect(works("chattr", ["+a", join(repo.root, at)])).toBe(true);
        const refused = await project.run("rollback", id, "--yes");
        works("chattr", ["-a", join(repo.root, at)]);
        expect(text(refused.json, "error", "code")).toBe("no_permission");
        expect(text(refused.json, "error", "message")).toContain(path);
      };
      await repo.folder("folder/empty");
      await refuse("folder", "folder/empty");
      expect(await repo.exists("folder/empty")).toBe(true);
      await repo.remove("folder/empty");
      await repo.chmod("plain.txt", 0o600);
      await refuse("plain.txt", "plain.txt");
    });
  });
});

describe.skipIf(!isRoot)("a sticky folder (as another user, which needs root)", () => {
  const USER = 65_534;

  it("[R187] a rollback of another user's file in it is refused before anything is begun", async () => {
    await withChanges(async (project, id) => {
      const { repo } = project;
      const env = { ...cliEnvironment(repo.env), HOME: "/nonexistent" };
      await runCommand("chown", ["-R", `${USER}:${USER}`, repo.base], { env });
      const folder = join(repo.root, "folder");
      for (const path of [folder, join(folder, "one.txt")]) chownSync(path, 0, 0);
      chmodSync(folder, 0o1777);
      const asUser = ["--reuid", `${USER}`, "--regid", `${USER}`, "--clear-groups"];
      const words = [bin, "-C", repo.root, "rollback", id, "--yes", "--json"];
      const refused = await runCommand("setpriv", [...asUser, process.execPath, ...words], { env });
      const document: unknown = JSON.parse(refused.stdout.toString("utf8"));
      expect(text(document, "error", "code")).toBe("no_permission");
      expect(text(document, "error", "message")).toContain("folder/one.txt");
      expect((await repo.read("plain.txt")).toString()).toBe("after\n");
      chmodSync(folder, 0o777);
      const done = await runCommand("setpriv", [...asUser, process.execPath, ...words], { env });
      expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    });
  });
});
