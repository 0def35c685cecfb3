// What no checkpoint holds is named by every command that somebody relies on.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withHooks } from "../hooks/hooked-project.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { KEY_FILE, OTHER_KEY_BODY, KEY_BODY } from "./fake-secrets.ts";

const LEFT_OUT = [
  { path: ".env", reason: "sensitive" },
  { path: "deploy_key", reason: "sensitive_content", detail: "private-key-file" },
];

async function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<string> {
  const all = waymarkArguments(repo.root, ...args);
  const { stdout, stderr } = await runCommand(process.execPath, all, { env: repo.env });
  return stdout.toString() + stderr;
}

/** Two secrets that a command wrecks together with an ordinary file. */
async function wrecked(project: RuleProject): Promise<string> {
  const { repo } = project;
  await repo.write(".env", "TOKEN=1\n");
  await repo.write("deploy_key", KEY_FILE);
  const id = await project.create();
  await repo.write("a.txt", "wrecked\n");
  await repo.write(".env", "TOKEN=wrecked\n");
  await repo.write("deploy_key", KEY_FILE.replace(KEY_BODY, OTHER_KEY_BODY));
  return id;
}

describe("a rollback", () => {
  it("[R176] names what it did not restore, in its plan, its result, an undo and a redo", async () => {
    await withSeed(async (project) => {
      const id = await wrecked(project);
      const plan = await project.ok("rollback", id, "--dry-run");
      expect(items(plan.json, "plan", "not_restored")).toEqual(LEFT_OUT);
      const back = await project.rollBack(id);
      expect(items(back.json, "not_restored")).toEqual(LEFT_OUT);
      for (const way of ["undo", "redo"]) {
        expect(items((await project.ok(way, "--yes")).json, "not_restored")).toEqual(LEFT_OUT);
      }
      expect((await project.repo.read(".env")).toString()).toBe("TOKEN=wrecked\n");
    });
  });

  it("[R176] says so to people, also where nothing else differs", async () => {
    await withSeed(async (project) => {
      const id = await wrecked(project);
      const words = [
        "not in the checkpoint, not changed:",
        "    .env (looks like a secret by its name)",
        "    deploy_key (looks like a secret: private key)",
      ];
      const plan = await talk(project, "rollback", id, "--dry-run");
      const result = await talk(project, "rollback", id, "--yes");
      const again = await talk(project, "rollback", id, "--dry-run");
      for (const word of words) {
        expect(plan).toContain(word);
        expect(result).toContain(word);
        expect(again).toContain(word);
      }
    });
  });

  it("[R176] tells what is missing from what was not changed", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await wrecked(project);
      await rm(join(repo.root, ".env"));
      const [env, key] = LEFT_OUT;
      const plan = await project.ok("rollback", id, "--dry-run");
      expect(items(plan.json, "plan", "not_restored")).toEqual([{ ...env, missing: true }, key]);
      expect(await talk(project, "rollback", id, "--yes")).toContain(
        [
          "  missing, and not in the checkpoint, so they cannot be restored:",
          "    .env (looks like a secret by its name)",
          "  not in the checkpoint, not changed:",
          "    deploy_key (looks like a secret: private key)",
        ].join("\n"),
      );
    });
  });

  it("[R176] names what is left out on one side only, and nothing out of its scope or that the user left out", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "ignored.txt\n");
      await repo.write("ignored.txt", "1\n");
      const id = await project.create();
      await repo.write("a.txt", "wrecked\n");
      await repo.write("conf/.env", "TOKEN=1\n");
      const plan = (await project.ok("rollback", id, "--dry-run")).json;
      expect(items(plan, "plan", "not_restored")).toEqual([
        { path: "conf/.env", reason: "sensitive" },
      ]);
      const some = await project.ok("rollback", id, "--dry-run", "--paths", "a.txt");
      expect(items(some.json, "plan", "not_restored")).toEqual([]);
    });
  });

  it("[R176] of a guard names it, too", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".env", "TOKEN=1\n");
      const result = await project.run("guard", "--", "sh", "-c", "echo x > .env; exit 1");
      expect(items(field(result.json, "attempts", "0"), "not_restored")).toEqual([
        { path: ".env", reason: "sensitive" },
      ]);
    });
  });
});

describe("a hook", () => {
  it("[R176] says once for each session what it leaves out, and again when there is more", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await repo.write(".env", "TOKEN=1\n");
      const first = JSON.parse(await hooked.write("a.txt")) as unknown;
      expect(text(first, "systemMessage")).toContain(
        "Waymark does not protect these files, and no rollback restores them: .env (looks like a secret by its name)",
      );
      await repo.write("a.txt", "1\n");
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.prompt("go on")).toBe("");
      await repo.write("deploy_key", KEY_FILE);
      const second = text(JSON.parse(await hooked.write("a.txt")), "systemMessage");
      expect(second).toContain("deploy_key (looks like a secret: private key)");
      expect(second).not.toContain(".env");
      expect(await hooked.write("a.txt")).toBe("");
      expect(await hooked.as("session-2").write("a.txt")).toContain(".env");
    });
  });

  it("[R176] of an agent without words for its user waits for a moment at which the model listens", async () => {
    await withHooks(async (hooked) => {
      await hooked.project.repo.write(".env", "TOKEN=1\n");
      const copilot = { agent: "copilot" };
      expect(await hooked.write("a.txt", copilot)).toBe("");
      expect(await hooked.prompt("go on", copilot)).toContain(
        ".env (looks like a secret by its name)",
      );
      expect(await hooked.prompt("go on", copilot)).not.toContain(".env");
    });
  });
});
