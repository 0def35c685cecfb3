import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { said, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { field, text } from "../support/json.ts";
import { withHooks } from "../hooks/hooked-project.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { TOKEN } from "./fake-secrets.ts";

/** Everything that git has, as one text. */
async function everything({ repo }: RuleProject): Promise<string> {
  const format = "--format=%(refname) %(contents)";
  const refs = (await repo.git("for-each-ref", format)) + (await repo.storeRefs(format));
  const sessions = await repo.store("log", "--format=%B", "--all");
  return refs + sessions;
}

describe("secrets in texts", () => {
  it("[R54] are taken out of what create writes down, with a warning", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const metrics = { note: `ran with ${TOKEN}`, password: "hunter2", tests: 12 };
      await repo.write("../metrics.json", JSON.stringify(metrics));
      const result = await project.ok(
        "create",
        "--reason",
        `before ${TOKEN}`,
        "--name",
        TOKEN,
        "--description=--password hunter2",
        "--phase",
        TOKEN,
        "--task",
        TOKEN,
        "--workflow-state",
        `token=${TOKEN}`,
        "--metrics",
        `${repo.base}/metrics.json`,
      );
      expect(field(result.json, "checkpoint", "reason")).toBe("before [redacted: github-token]");
      expect(field(result.json, "checkpoint", "description")).toBe(
        "--password [redacted: command-line-secret]",
      );
      expect(field(result.json, "checkpoint", "metrics")).toEqual({
        note: "ran with [redacted: github-token]",
        password: "[redacted: assigned-secret]",
        tests: 12,
      });
      expect(field(result.json, "warnings")).toEqual([
        "text that looks like a secret was removed from: name, reason, description, phase, task, workflow state, metrics",
      ]);
      const id = text(result.json, "checkpoint", "id");
      expect(id.toLowerCase()).not.toContain(TOKEN.slice(4, 14).toLowerCase());
      const all = said(result) + said(await project.ok("list")) + said(await project.ok("log"));
      for (const place of [all, await everything(project)]) {
        expect(place).not.toContain(TOKEN);
        expect(place).not.toContain("hunter2");
      }
    });
  });

  it("[R54] are taken out of prompts and of the names of files that an agent's tool changes", async () => {
    await withHooks(async (hooked) => {
      await hooked.prompt(`use \u001b[31m${TOKEN}\u001b[0m`);
      await hooked.project.repo.write("new.txt", "x\n");
      await hooked.write(`notes-${TOKEN}.txt`);
      const [taken] = await hooked.checkpoints();
      expect(JSON.stringify(taken)).toContain("[redacted: github-token]");
      expect(JSON.stringify(taken)).not.toContain(TOKEN);
      const agents = join(hooked.root, ".git/waymark/agents");
      const steps = readFileSync(join(agents, "steps.ndjson"), "utf8");
      expect(steps).toContain('"tool_kind":"write"');
      expect(steps).not.toContain(TOKEN);
      expect(await everything(hooked.project)).not.toContain(TOKEN);
    });
  });

  it("[R54] are taken out of the reasons of rollback, undo, pin, unpin and delete", async () => {
    await withSeed(async (project) => {
      const reason = ["-m", `because of ${TOKEN}`];
      const id = await project.create();
      const steps = [
        ["pin", id],
        ["unpin", id],
        ["rollback", id, "--yes"],
        ["undo", "--yes"],
        ["redo", "--yes"],
      ];
      await project.repo.write("a.txt", "changed\n");
      for (const step of steps) {
        const args = waymarkArguments(project.repo.root, ...step, ...reason);
        const result = await runCommand(process.execPath, args, { env: project.repo.env });
        expect(result.code).toBe(0);
        expect(result.stderr).toContain("text that looks like a secret was removed from: reason");
        expect(result.stderr + result.stdout.toString()).not.toContain(TOKEN);
      }
      const other = await project.create();
      await project.ok("delete", other, "--yes", ...reason);
      await project.ok("delete", "--undo", other, ...reason);
      expect(await everything(project)).not.toContain(TOKEN);
      expect(await everything(project)).toContain("because of [redacted: github-token]");
      const note = await project.repo.read(".git/waymark/last-rollback.json");
      expect(note.toString()).toContain("because of [redacted: github-token]");
    });
  });

  it("leave ordinary texts alone", async () => {
    await withSeed(async (project) => {
      const result = await project.ok("create", "-m", "fix the token refresh, password reset too");
      expect(field(result.json, "checkpoint", "reason")).toBe(
        "fix the token refresh, password reset too",
      );
      expect(field(result.json, "warnings")).toEqual([]);
    });
  });
});
