/** A seeded repository with the real Backlog.md in it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { backlogProgram, problemWithBacklog } from "../../scripts/test-backlog.mjs";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { cliEnvironment } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";

/** Undefined when it runs here. */
export const backlogProblem: string | undefined = problemWithBacklog();

export const TITLE = "Add auth";

export class BacklogProject {
  readonly project: RuleProject;

  constructor(project: RuleProject) {
    this.project = project;
  }

  async backlog(...args: readonly string[]): Promise<string> {
    const { repo } = this.project;
    const result = await runCommand(process.execPath, [backlogProgram, ...args], {
      cwd: repo.root,
      env: { ...cliEnvironment(repo.env), NO_COLOR: "1" },
    });
    if (result.code !== 0) {
      throw new Error(
        `backlog ${args.join(" ")}: ${result.stderr}${result.stdout.toString("utf8")}`,
      );
    }
    return result.stdout.toString("utf8");
  }

  /** What Backlog.md itself says about a task. */
  async view(id = "1"): Promise<{ status: string; labels: readonly unknown[]; path: string }> {
    const json: unknown = JSON.parse(await this.backlog("task", "view", id, "--json"));
    return {
      status: text(json, "task", "status"),
      labels: items(json, "task", "labels"),
      path: text(json, "task", "path"),
    };
  }

  /** Every file of tasks, by its path in the folder of Backlog.md. */
  async files(folder = "backlog"): Promise<string[]> {
    const found = await readdir(join(this.project.repo.root, folder), { recursive: true });
    return found
      .filter((name) => /(?:task|draft)s?\b.*-\d.*/.test(name) && name.includes(".md"))
      .toSorted();
  }

  async content(path: string): Promise<string> {
    return readFile(join(this.project.repo.root, path), "utf8");
  }
}

export interface BacklogOptions {
  readonly init?: readonly string[];
  /** Lines for `.gitignore`. */
  readonly ignored?: readonly string[];
  /** Keep the tasks out of git's sight, or commit them. */
  readonly isCommitted?: boolean;
}

/** With one task, `TASK-1`. */
export async function withBacklog(
  options: BacklogOptions,
  body: (scene: BacklogProject) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    await repo.git("config", "user.name", "Test");
    await repo.git("config", "user.email", "test@example.invalid");
    if (options.ignored !== undefined) {
      const exclude = options.ignored.map((line) => `${line}\n`).join("");
      await repo.write(".git/info/exclude", exclude);
    }
    const scene = new BacklogProject(project);
    await scene.backlog(
      "init",
      "Demo",
      "--defaults",
      "--integration-mode",
      "none",
      ...(options.init ?? []),
    );
    await scene.backlog("task", "create", TITLE, "-d", "what it is", "-l", "api,workflow:Planned");
    if (options.isCommitted !== false && options.ignored === undefined) {
      await repo.git("add", "-A");
      await repo.git("commit", "-qm", "tasks");
    }
    await body(scene);
  });
}

/** What `rollback --json` says about the task. */
export const taskIn = (json: unknown): unknown => field(json, "task");
