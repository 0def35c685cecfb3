/** Sessions and checkpoints that did not come from this machine: nothing of them is believed, and none of their commands runs unseen. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionDocument } from "../../src/domain/session.ts";
import { errorMessage, expectExit, waymark, type CliResult } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

const digestOf = (source: string): string =>
  `sha256:${createHash("sha256").update(source).digest("hex")}`;

const WORKFLOW = {
  name: "build",
  phases: [
    { name: "plan", run: "echo plan >> ran.txt", breakpoint: true },
    { name: "implement", run: "echo implement >> ran.txt" },
  ],
};

/** A session that waits after its first phase, and its workflow file in the project. */
async function paused(project: RuleProject): Promise<string> {
  await project.repo.write("waymark-flow.yml", JSON.stringify(WORKFLOW));
  const result = await project.run("run", "waymark-flow.yml");
  expectExit(result, 5);
  const [first = ""] = result.stdout.toString().split("\n");
  return text(JSON.parse(first), "session_id");
}

async function sessionDocument({ repo }: RuleProject, id: string): Promise<SessionDocument> {
  const message = await repo.store("log", "-1", "--format=%B", `refs/waymark/session/${id}`);
  return JSON.parse(message.slice(message.indexOf("\n\n{") + 2)) as SessionDocument;
}

async function plant({ repo }: RuleProject, ref: string, document: object): Promise<void> {
  const message = `planted\n\n${JSON.stringify(document)}\n`;
  const commit = await repo.store("commit-tree", "-m", message, await repo.head("^{tree}"));
  await repo.store("update-ref", `refs/waymark/session/${ref}`, commit.trim());
}

/** The same session with a command more; `digest` as given, or one that belongs to the text. */
function withCommand(document: SessionDocument, line: string, digest?: string): SessionDocument {
  const { definition } = document;
  if (definition === undefined) throw new Error("it has no workflow file");
  const changed = JSON.stringify({
    ...WORKFLOW,
    phases: WORKFLOW.phases.map((phase) =>
      phase.name === "implement" ? { ...phase, run: line } : phase,
    ),
  });
  return {
    ...document,
    definition: { ...definition, text: changed, digest: digest ?? digestOf(changed) },
  };
}

/** A clone of it with a copy of its store. */
async function fetched(project: RuleProject): Promise<RuleProject> {
  const clone = project.at("clone");
  await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
  await clone.repo.takeStoreOf(project.repo);
  await clone.repo.write("waymark-flow.yml", JSON.stringify(WORKFLOW));
  return clone;
}

const evil = ({ repo }: RuleProject): string => join(repo.base, "evil");

const hintOf = (result: CliResult): string => text(result.json, "error", "hint");

describe("a session from elsewhere", () => {
  it("[R160] whose text is not the one of its digest is refused by resume and its dry run", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const honest = await sessionDocument(project, id);
      const line = `touch ${evil(project)}`;
      await plant(project, id, withCommand(honest, line, honest.definition?.digest ?? ""));
      const clone = await fetched(project);
      for (const args of [
        ["resume", id, "--restore-files", "--yes"],
        ["resume", id, "--accept-changes", "--yes"],
        ["resume", id, "--dry-run"],
        ["resume", id, "--fresh"],
      ]) {
        const refused = await clone.run(...args);
        expect({ args, code: field(refused.json, "error", "code") }).toEqual({
          args,
          code: "session_damaged",
        });
        expect(errorMessage(refused)).toContain("digest");
      }
      expect(existsSync(evil(project))).toBe(false);
    });
  });

  it("[R160] shows its commands and runs them only with their digest, also with --yes", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const line = `touch ${evil(project)}`;
      await plant(project, id, withCommand(await sessionDocument(project, id), line));
      const clone = await fetched(project);
      const choices = ["--accept-changes", "--workflow-file", "recorded"];
      for (const yes of [[], ["--yes"]]) {
        const refused = await clone.run("resume", id, ...choices, ...yes);
        expectExit(refused, 5);
        expect(hintOf(refused)).toContain("--trust-commands");
      }
      const plan = await clone.run("resume", id, ...choices, "--dry-run");
      expectExit(plan, 5);
      expect(field(plan.json, "commands_trusted")).toBe(false);
      const lines = items(plan.json, "commands").map((one) => text(one, "line"));
      expect(lines).toEqual(["echo plan >> ran.txt", line]);
      // The digest of the file that the user knows is no answer.
      const known = digestOf(JSON.stringify(WORKFLOW));
      expectExit(await clone.run("resume", id, ...choices, "--trust-commands", known), 5);
      expect(existsSync(evil(project))).toBe(false);
      const seen = text(plan.json, "commands_digest");
      expectExit(await clone.run("resume", id, ...choices, "--trust-commands", seen), 0);
      expect(existsSync(evil(project))).toBe(true);
    });
  });

  it("[R160] is not confirmed by an agent, with the digest or at a terminal", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const line = `touch ${evil(project)}`;
      await plant(project, id, withCommand(await sessionDocument(project, id), line));
      const { repo } = await fetched(project);
      const env = { ...repo.env, CLAUDECODE: "1" };
      const choices = ["resume", id, "--accept-changes", "--workflow-file", "recorded"];
      const plan = await waymark(repo.root, [...choices, "--dry-run"], { env });
      const digest = text(plan.json, "commands_digest");
      const given = [...choices, "--trust-commands", digest];
      for (const args of [given, ["resume", id, "--fresh", "--trust-commands", digest]]) {
        const refused = await waymark(repo.root, args, { env });
        expectExit(refused, 5);
        expect(errorMessage(refused)).toContain(
          "claude is running this command and cannot consent",
        );
        expect(hintOf(refused)).toContain("in a terminal of your own");
      }
      if (hasTerminal) {
        const { code, screen } = await inTerminal(
          repo.root,
          ["resume", id, "--fresh"],
          [],
          env,
          200,
        );
        expect(screen).toContain("claude is running this command and cannot consent");
        expect(code).toBe(5);
      }
      expect(existsSync(evil(project))).toBe(false);
    });
  });

  it("[R160] is asked about also when only its document came, or it took the place of one that began here", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const honest = await sessionDocument(project, id);
      // As a `git fetch` into the store would leave it.
      await plant(project, id, withCommand(honest, `touch ${evil(project)}`));
      const choices = ["--accept-changes", "--workflow-file", "recorded", "--yes"];
      const refused = await project.run("resume", id, ...choices);
      expectExit(refused, 5);
      expect(hintOf(refused)).toContain("--trust-commands");
      // Its own text is known: nobody is asked.
      await plant(project, id, honest);
      expectExit(await project.run("resume", id, "--accept-changes", "--yes"), 0);
      expect(existsSync(evil(project))).toBe(false);
    });
  });

  it("[R160] does not choose the file that --fresh or --workflow-file current run", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const honest = await sessionDocument(project, id);
      const clone = await fetched(project);
      const line = `touch ${evil(project)}`;
      await clone.repo.write(
        "vendor/flow.yml",
        JSON.stringify({ ...WORKFLOW, phases: [{ name: "plan", run: line }] }),
      );
      const source = { ...honest.definition, path: "vendor/flow.yml" };
      await plant(clone, id, { ...honest, definition: source });
      for (const args of [["--fresh"], ["--accept-changes", "--workflow-file", "current"]]) {
        const refused = await clone.run("resume", id, ...args, "--yes");
        expectExit(refused, 5);
        expect(hintOf(refused)).toContain("--trust-commands");
      }
      expect(existsSync(evil(project))).toBe(false);
    });
  });

  it("[R160] names no file outside of the project, in .git or of secrets: none is read", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const honest = await sessionDocument(project, id);
      const clone = await fetched(project);
      const outside = join(project.repo.base, "shadow");
      await writeFile(outside, "root: [canary\n");
      await symlink(outside, join(clone.repo.root, "link.yml"));
      await clone.repo.write(".git/canary.yml", "root: [canary\n");
      await clone.repo.write(".env", "root: [canary\n");
      for (const path of [outside, "../shadow", "link.yml", ".git/canary.yml", ".env"]) {
        await plant(clone, id, { ...honest, definition: { ...honest.definition, path } });
        for (const args of [
          ["--fresh", "--yes"],
          ["--workflow-file", "current", "--yes"],
          ["--workflow-file", "current", "--dry-run"],
        ]) {
          const refused = await clone.run("resume", id, ...args);
          expectExit(refused, 2);
          expect(errorMessage(refused)).toContain("names a file that it may not read");
          expect(refused.stdout.toString() + refused.stderr).not.toContain("[canary");
        }
        const plan = await clone.run("resume", id, "--dry-run");
        expect(plan.stdout.toString() + plan.stderr).not.toContain("[canary");
        expect(plan.stdout.toString() + plan.stderr).toContain(`${path} was not read`);
        expect(field(plan.json, "commands_trusted")).toBe(false);
      }
    });
  });

  it("[R160] that was imported is asked about once, and not after that", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      const file = join(project.repo.base, "all.bundle");
      await project.ok("export", "-o", file);
      const clone = project.at("clone");
      await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
      await clone.ok("import", file);
      const choices = ["--restore-files", "--workflow-file", "recorded", "--yes"];
      expectExit(await clone.run("resume", id, ...choices), 5);
      const plan = await clone.run("resume", id, ...choices, "--dry-run");
      const digest = text(plan.json, "commands_digest");
      expectExit(await clone.run("resume", id, ...choices, "--trust-commands", digest), 0);
      expect(field((await clone.run("resume", id, "--dry-run")).json, "commands_trusted")).toBe(
        true,
      );
    });
  });

  it("[R160] that began here before there were marks is asked about once", async () => {
    await withSeed(async (project) => {
      const id = await paused(project);
      await rm(join(project.repo.root, ".git", "waymark", "made-here"), { recursive: true });
      const choices = ["--accept-changes", "--yes"];
      const refused = await project.run("resume", id, ...choices);
      expectExit(refused, 5);
      const flag = /--trust-commands ([0-9a-f]{64})/.exec(hintOf(refused))?.[1] ?? "";
      expectExit(await project.run("resume", id, ...choices, "--trust-commands", flag), 0);
    });
  });

  it("[R160] cannot remove a folder of the project by what it is called", async () => {
    await withSeed(async (project) => {
      await project.repo.write("precious/work.txt", "work\n");
      await project.create();
      const id = "../../precious";
      const ref = `precious-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
      const at = "2020-01-01T00:00:00.000Z";
      const status = { status: "completed", ended_at: at, workflow_type: "t", project_name: "p" };
      const rest = { created_at: at, updated_at: at, worktrees: {}, history: [] };
      await plant(project, ref, { schema_version: 1, id, implicit: false, ...status, ...rest });
      const cleaned = await project.ok("cleanup", "--now", "--yes");
      expect(JSON.stringify(cleaned.json)).toContain("precious");
      expect(await project.repo.exists("precious/work.txt")).toBe(true);
    });
  });
});
