import { describe, expect, it } from "vitest";
import {
  type CliResult,
  errorMessage,
  expectExit,
  said,
  waymarkArguments,
} from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { KEY_FILE, OTHER_TOKEN, SECRET_FILE } from "../secrets/fake-secrets.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

interface Excluded {
  readonly path: string;
  readonly reason: string;
  readonly detail?: string;
}

function secrets(result: CliResult): string[] {
  return (items(result.json, "checkpoint", "coverage", "excluded") as Excluded[])
    .filter(({ reason }) => reason.startsWith("sensitive"))
    .map(({ path, reason, detail }) => [path, reason, detail ?? ""].join(" ").trim());
}

function partTypes(result: CliResult): string[] {
  return (items(result.json, "checkpoint", "parts") as { type: string }[]).map(({ type }) => type);
}

/** What people see. */
function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(repo.root, ...args), { env: repo.env });
}

async function scene({ repo }: RuleProject): Promise<void> {
  await repo.write(".gitignore", "/build/\n.env\n/keys/\n");
  await repo.git("add", ".gitignore");
  await repo.git("commit", "-qm", "rules");
  await repo.write("build/out.js", "1\n");
  await repo.write("build/deploy.js", SECRET_FILE);
  await repo.write("build/deploy_key", KEY_FILE);
  await repo.write(".env", "A=1\n");
  await repo.write("keys/one.p12", "1\n");
}

describe("files that are left out of the copies", () => {
  it("[R17] are listed with their reasons, shown, warned about, and make a checkpoint less sure", () =>
    withSeed(async (project) => {
      await scene(project);
      const result = await project.ok("create", "--scope", "build", ".env");
      expect(secrets(result)).toEqual([
        ".env sensitive",
        "build/deploy_key sensitive_content private-key-file",
      ]);
      expect(field(result.json, "confidence")).toBe(0.95);
      expect(field(result.json, "warnings")).toEqual([
        "not captured: .env (looks like a secret by its name, 4 B)",
        "not captured: build/deploy_key (looks like a secret: private key, 119 B)",
      ]);
      const id = text(result.json, "checkpoint", "id");
      const page = (await talk(project, "show", id)).stdout.toString();
      expect(page).toContain(".env (looks like a secret by its name, 4 B)");
      const { stderr } = await talk(project, "create", "--force", "--scope", "build", ".env");
      expect(stderr).toContain("not captured: .env (looks like a secret by its name, 4 B)");
      expect(stderr).toContain("--include-secrets PATH");
    }));

  it("[R17] count where create says that nothing changed", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", ".env*\n");
      await project.agreeTo('capture: { include_ignored: [".env*"] }\n');
      const create = async (): Promise<string> => String((await talk(project, "create")).stdout);
      await repo.write(".env.local", "A=1\n");
      await create();
      await repo.write(".env.local", "A=2\n");
      expect(await create()).toMatch(/^Nothing that is captured changed since cp-/);
    }));

  it("[R17] are listed when a setting asks for them, too", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.write("waymark.yml", "capture:\n  include_ignored: ['.env']\n");
      const result = await project.ok("create");
      expect(secrets(result)).toEqual([".env sensitive"]);
      expect(partTypes(result)).toEqual(["git_stash", "file_backup"]);
    }));

  it("a scope of nothing but secrets is refused with their names and the way in", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.write("notes/deploy_key", KEY_FILE);
      for (const [scope, path] of [
        [".env", ".env"],
        ["keys", "keys/one.p12"],
        ["notes", "notes/deploy_key"],
      ] as const) {
        const refused = await project.run("create", "--scope", scope);
        expectExit(refused, 5);
        expect(text(refused.json, "error", "code")).toBe("secrets_held");
        expect(errorMessage(refused)).toContain(`${path} (`);
        expect(text(refused.json, "error", "hint")).toContain(`--include-secrets ${path}`);
      }
      expect(field((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
      const held = await project.ok("create", "--scope", ".env", "--include-secrets", ".env");
      expect(partTypes(held)).toEqual(["git_stash", "file_backup"]);
    }));

  it("a scope without ignored files has no part for copies", () =>
    withSeed(async (project) => {
      await scene(project);
      await project.repo.write("in/a.txt", "1");
      expect(partTypes(await project.ok("create", "--scope", "in"))).toEqual(["git_stash"]);
      const with_ = await project.ok("create", "--scope", "in", "build");
      expect(partTypes(with_)).toEqual(["git_stash", "file_backup"]);
    }));

  it("what git ignores is counted after the result, and again when it is something else", () =>
    withSeed(async (project) => {
      const { repo } = project;
      // One more than the seed has.
      await repo.write(".gitignore", "node_modules/\n*.log\n");
      await repo.write("node_modules/a/index.js", "1\n");
      const said = async (): Promise<string> => {
        await repo.write("a.txt", `${Math.random()}\n`);
        return (await talk(project, "create")).stderr;
      };
      expect(await said()).toMatch(/^not captured: 2 ignored/m);
      expect(await said()).not.toContain("not captured");
      expect((await talk(project, "create")).stderr).not.toContain("not captured");
      await repo.write("new.log", "1\n");
      expect(await said()).toMatch(/^not captured: 3 ignored/m);
    }));

  it("every secret is named, and the others are counted by their reasons", () =>
    withSeed(async (project) => {
      await scene(project);
      for (let at = 0; at < 20; at++) await project.repo.write(`z/${at}.p12`, "1\n");
      await project.repo.write("waymark.yml", "capture:\n  exclude: ['*.bin']\n");
      await project.repo.write("a.bin", "1\n");
      const { stderr } = await talk(project, "create");
      expect(stderr).toMatch(/not captured: 2\d files that look like secrets: /);
      for (let at = 0; at < 20; at++) expect(stderr).toContain(`z/${at}.p12`);
      expect(stderr).toMatch(
        /also not captured: (?:3 ignored paths, 1 path excluded by the settings|1 path excluded by the settings, 3 ignored paths) \(see `waymark show/,
      );
    }));
});

describe("what a checkpoint says about going back", () => {
  it("names what a rollback needs, and what has to be so by hand in show only", () =>
    withSeed(async (project) => {
      await scene(project);
      const outside = `${project.repo.root}-settings.json`;
      await runCommand("sh", ["-c", `printf 1 > '${outside}'`], { env: project.repo.env });
      const result = await project.ok("create", "--scope", outside);
      expect(field(result.json, "restore", "prerequisites")).toEqual([]);
      const id = text(result.json, "checkpoint", "id");
      const shown = await project.ok("show", id);
      const [part] = items(shown.json, "by_hand") as Record<string, unknown>[];
      expect(part?.["prerequisites"]).toEqual(["GNU `mv` and `ln`", "newer files are not removed"]);
      expect(Object.keys(part ?? {})).toEqual(["type", "summary", "commands", "prerequisites"]);
    }));

  it("says in plain words that a state file is missing or too large", () =>
    withSeed(async (project) => {
      const missing = await project.run("create", "--state", "no/such.json");
      expectExit(missing, 2);
      expect(errorMessage(missing)).toContain("no/such.json cannot be read: there is no such file");
      await project.repo.write("waymark.yml", "capture:\n  max_state_mb: 1\n");
      await project.repo.write("big.json", JSON.stringify("x".repeat(1_200_000)));
      const large = await project.run("create", "--state", "big.json");
      expect(errorMessage(large)).toContain("1.2 MiB, and the limit is 1 MiB");
    }));
});

describe("a guard", () => {
  it("[R54] shows no secret of its command line", () =>
    withSeed(async (project) => {
      const args = [
        "guard",
        "--verify",
        `true --token ${OTHER_TOKEN}`,
        "--verify",
        "false # DB_PASSWORD=hunter2pass",
        "--",
        "true",
        "--password",
        "hunter2pass",
        OTHER_TOKEN,
      ];
      const asJson = await project.run(...args);
      expectExit(asJson, 7);
      const people = await talk(project, ...args);
      const all = said(asJson) + people.stderr + people.stdout.toString();
      expect(all).toContain("[redacted: ");
      expect(all).not.toContain(OTHER_TOKEN);
      expect(all).not.toContain("hunter2pass");
    }));
});

describe("what create says of a change of no file's content", () => {
  it("counts no files", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "*.local\n");
      await project.agreeTo('capture: { include_ignored: ["*.local"] }\n');
      const create = async (): Promise<string> => String((await talk(project, "create")).stdout);
      await repo.write("x.local", "1\n");
      await create();
      await repo.write("x.local", "2\n");
      expect(await create()).toMatch(/^Created cp-\S+ \(commit [0-9a-f]{8}\)$/m);
    }));
});
