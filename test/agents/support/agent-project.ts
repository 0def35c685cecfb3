/**
 * A repository that an agent works in, and the world around it: a home of its own, `waymark` on its PATH as npm would put it there, an environment with
 * nothing of this machine in it, and no way to the network.
 */
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentCommand, type RealAgent } from "../../../scripts/agent-packages.mjs";
import { bin, type CliResult, expectExit, shellQuote, waymark } from "../../support/cli.ts";
import { items, text } from "../../support/json.ts";
import { type TempRepository, withTempRepository } from "../../support/temp-repository.ts";

/** Nobody listens on the discard port: what tries to leave the machine fails at once. */
const NOWHERE = "http://127.0.0.1:9";

export class AgentProject {
  readonly repo: TempRepository;

  constructor(repo: TempRepository) {
    this.repo = repo;
  }

  /** Only what is here and in the system's own folders can be started. */
  get programs(): string {
    return join(this.repo.base, "programs");
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ...this.repo.env,
      PATH: `${this.programs}:/usr/local/bin:/usr/bin:/bin`,
      TERM: "dumb",
      SHELL: "/bin/sh",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
    };
  }

  run(...args: readonly string[]): Promise<CliResult> {
    return waymark(this.repo.root, args, { env: this.env });
  }

  async ok(...args: readonly string[]): Promise<CliResult> {
    const result = await this.run(...args);
    expectExit(result, 0);
    return result;
  }

  /** What `waymark hooks status` says of the agent. */
  async hookStatus(name: RealAgent): Promise<unknown> {
    return items((await this.ok("hooks", "status", name)).json, "agents").at(0);
  }

  /** As if it was uninstalled while its hooks stayed. */
  async removeWaymark(): Promise<void> {
    await rm(join(this.programs, "waymark"));
  }

  /** A program of that name that is not ours, or that is broken. */
  async replaceWaymark(script: string): Promise<void> {
    await rm(join(this.programs, "waymark"), { force: true });
    await writeFile(join(this.programs, "waymark"), script, { mode: 0o755 });
  }

  /** The agent's own command, as a user has it on the PATH. */
  async addCommand(name: RealAgent): Promise<void> {
    const words = agentCommand(name).map(shellQuote).join(" ");
    const path = join(this.programs, name);
    await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(path, 0o755);
  }

  /** A file in the agent's home. */
  async writeHome(name: string, content: string): Promise<void> {
    const path = join(this.repo.home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  async readHome(name: string): Promise<string> {
    return await readFile(join(this.repo.home, name), "utf8");
  }

  /** Oldest first, also those of rollbacks. */
  async checkpoints(): Promise<readonly TakenCheckpoint[]> {
    const documents = items((await this.ok("list", "--all")).json, "checkpoints");
    const taken = documents.map((document) => new TakenCheckpoint(this.repo, document));
    return taken.toSorted((left, right) => left.createdAt.localeCompare(right.createdAt));
  }

  /**
   * From here on no checkpoint can be written, not even by root: a ref lies where git needs a folder for theirs.
   * Those there were are gone.
   */
  async breakCheckpoints(): Promise<void> {
    const refs = await this.repo.storeRefs("--format=delete %(refname)", "refs/waymark/cp/");
    await this.repo.storeWithInput(refs, "update-ref", "--stdin");
    await this.repo.store("update-ref", "refs/waymark/cp", await this.repo.head());
  }

  async mendCheckpoints(): Promise<void> {
    await this.repo.store("update-ref", "-d", "refs/waymark/cp");
  }
}

export class TakenCheckpoint {
  readonly #repo: TempRepository;
  readonly document: unknown;

  constructor(repo: TempRepository, document: unknown) {
    this.#repo = repo;
    this.document = document;
  }

  get id(): string {
    return text(this.document, "id");
  }

  get trigger(): string {
    return text(this.document, "trigger");
  }

  get createdAt(): string {
    return text(this.document, "created_at");
  }

  /** Names all files that it holds, and what is in them. */
  async tree(): Promise<string> {
    return await this.#repo.store("rev-parse", `refs/waymark/cp/${this.id}:worktree`);
  }

  /** The file as the checkpoint holds it, by plain git; undefined when it was not there. */
  async file(name: string): Promise<string | undefined> {
    const object = `refs/waymark/cp/${this.id}:worktree/${name}`;
    const result = await this.#repo.tryStore(["cat-file", "blob", object]);
    return result.code === 0 ? result.stdout.toString("utf8") : undefined;
  }
}

/** With one commit that has a.txt and keep.txt, and a change that is not committed. */
export async function withAgentProject(
  body: (project: AgentProject) => Promise<void>,
): Promise<void> {
  await withTempRepository(async (repo) => {
    const project = new AgentProject(repo);
    await mkdir(project.programs);
    await symlink(bin, join(project.programs, "waymark"));
    await symlink(process.execPath, join(project.programs, "node"));
    await repo.write("a.txt", "first line\nsecond line\n");
    await repo.write("keep.txt", "kept\n");
    await repo.git("add", "-A");
    await repo.commit("start");
    await repo.write("keep.txt", "kept, and changed by the user\n");
    await body(project);
  });
}
