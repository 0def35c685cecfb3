/** A seeded repository with the commands that rules are about. */
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openGitProject } from "../../src/app.ts";
import { createCheckpoint, type CreateRequest } from "../../src/operations/create-checkpoint.ts";
import { type CliResult, expectExit, waymark } from "../support/cli.ts";
import { text } from "../support/json.ts";
import { copySeed, makeDirty } from "../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";

export class RuleProject {
  readonly repo: TempRepository;

  constructor(repo: TempRepository) {
    this.repo = repo;
  }

  run(...args: readonly string[]): Promise<CliResult> {
    return waymark(this.repo.root, args, { env: this.repo.env });
  }

  async ok(...args: readonly string[]): Promise<CliResult> {
    const result = await this.run(...args);
    expectExit(result, 0);
    return result;
  }

  /**
   * A checkpoint of now, also when nothing changed: what a test starts from. With words, and where the user's home has settings,
   * the command takes it; without, this process, which costs a fifth of that.
   */
  async create(...args: readonly string[]): Promise<string> {
    if (args.length === 0 && readdirSync(this.repo.home).length === 0) return await this.take({});
    return text((await this.ok("create", "--force", ...args)).json, "checkpoint", "id");
  }

  /** The same with a request in place of words, always in this process. */
  async take(request: CreateRequest): Promise<string> {
    const opened = await openGitProject({ directory: this.repo.root, makeProject: true });
    try {
      return (await createCheckpoint(opened, { force: true, ...request })).checkpoint.id;
    } finally {
      opened.close();
    }
  }

  /** A checkpoint that was taken two hours ago and has expired since. */
  async createExpired(): Promise<string> {
    const opened = await openGitProject({ directory: this.repo.root });
    const now = Date.now();
    const at = (hours: number): Date => new Date(now - hours * 3_600_000);
    try {
      const clock = { ...opened.clock, now: () => at(2) };
      const request = { expiresAt: at(1).toISOString(), force: true };
      return (await createCheckpoint({ ...opened, clock }, request)).checkpoint.id;
    } finally {
      opened.close();
    }
  }

  /** Writes the user's own settings, which need no consent. */
  async writeOwnSettings(settings: string): Promise<void> {
    const folder = join(this.repo.home, ".config/waymark");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yml"), settings);
  }

  /** Writes settings that need the user's consent, and gives it. */
  async agreeTo(settings: string): Promise<void> {
    await this.repo.write("waymark.yml", settings);
    await this.ok("config", "trust", "--yes");
  }

  rollBack(id: string): Promise<CliResult> {
    return this.ok("rollback", id, "--yes", "--discard-commits");
  }

  at(folder: string): RuleProject {
    return new RuleProject(this.repo.at(folder));
  }
}

export async function withSeed(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withTempProject(async (repo) => {
    await copySeed(repo);
    await body(new RuleProject(repo));
  });
}

export async function withDirty(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    await makeDirty(project.repo);
    await body(project);
  });
}
