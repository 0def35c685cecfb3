/** A seeded repository with the real Backlog.md in it. */
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { backlogProgram, problemWithBacklog } from "../../scripts/test-backlog.mjs";
import { RuleProject, withSeed } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { cliEnvironment } from "../support/cli.ts";
import { withTempRepository } from "../support/temp-repository.ts";
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

/** By path from the root; empty folders count, `task complete` needs them. */
type Made = ReadonlyMap<string, Buffer | "folder">;

/** What `init` and the first task make, by the options of `init`: the program takes its time, so each is made once. */
const made = new Map<string, Promise<Made>>();

function madeBy(init: readonly string[]): Promise<Made> {
  const key = init.join(" ");
  const found = made.get(key) ?? makeTask(init);
  made.set(key, found);
  return found;
}

async function makeTask(init: readonly string[]): Promise<Made> {
  const files = new Map<string, Buffer | "folder">();
  await withTempRepository(async (repo) => {
    const scene = new BacklogProject(new RuleProject(repo));
    await scene.backlog("init", "Demo", "--defaults", "--integration-mode", "none", ...init);
    await scene.backlog("task", "create", TITLE, "-d", "what it is", "-l", "api,workflow:Planned");
    const names = await readdir(repo.root, { recursive: true, withFileTypes: true });
    for (const entry of names) {
      const path = relative(repo.root, join(entry.parentPath, entry.name));
      if (path === ".git" || path.startsWith(".git/")) continue;
      files.set(path, entry.isFile() ? await repo.read(path) : "folder");
    }
  });
  return files;
}

/** With one task, `TASK-1`. */
export async function withBacklog(
  options: BacklogOptions,
  body: (scene: BacklogProject) => Promise<void>,
): Promise<void> {
  const files = await madeBy(options.init ?? []);
  await withSeed(async (project) => {
    const { repo } = project;
    await repo.git("config", "user.name", "Test");
    await repo.git("config", "user.email", "test@example.invalid");
    const ignored = (options.ignored ?? []).map((line) => `${line}\n`).join("");
    await repo.write(".git/info/exclude", ignored);
    for (const [path, content] of files) {
      if (content !== "folder") await repo.write(path, content);
      else await mkdir(join(repo.root, path), { recursive: true });
    }
    if (options.isCommitted !== false) {
      await repo.git("add", "-A");
      await repo.git("commit", "-q", "--allow-empty", "-m", "tasks");
    }
    await body(new BacklogProject(project));
  });
}

/** What `rollback --json` says about the task. */
export const taskIn = (json: unknown): unknown => field(json, "task");
