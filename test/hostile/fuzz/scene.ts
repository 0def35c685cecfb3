/** A project with two checkpoints and a session, and everything around it: what a refused command must leave as it is. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDirty, seedRepository } from "../../support/seed-repository.ts";
import { TempRepository } from "../../support/temp-repository.ts";
import { walkTree } from "../../support/work-tree-walk.ts";
import { call, callPlain, type Called } from "./in-process.ts";

export class FuzzScene {
  readonly repo: TempRepository;
  /** Ids of the older and the newer checkpoint. */
  ids: readonly [string, string] = ["", ""];

  /** Files and links at the moment of each. */
  filesAt: readonly [string, string] = ["", ""];

  private constructor(repo: TempRepository) {
    this.repo = repo;
  }

  static async make(): Promise<FuzzScene> {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-hostile-")));
    const repo = new TempRepository(base, join(base, "project"));
    for (const folder of [repo.root, repo.home, join(base, "outside")]) mkdirSync(folder);
    const scene = new FuzzScene(repo);
    try {
      await scene.#fill();
    } catch (error) {
      scene.end();
      throw error;
    }
    return scene;
  }

  async #fill(): Promise<void> {
    const { repo } = this;
    await repo.git("init", "-q", "-b", "main");
    await seedRepository(repo);
    await makeDirty(repo);
    process.env["WAYMARK_NO_AUTO_CLEANUP"] = "1";
    const first = idOf(await this.run("create", "-m", "first"));
    const atFirst = this.files();
    await repo.write("a.txt", "second\n");
    this.ids = [first, idOf(await this.run("create", "-m", "second"))];
    this.filesAt = [atFirst, this.files()];
  }

  run(...args: readonly string[]): Promise<Called> {
    return call(this.repo.root, ...args);
  }

  runPlain(...args: readonly string[]): Promise<Called> {
    return callPlain(this.repo.root, ...args);
  }

  /** Files and links of the project, without git's and Waymark's own. */
  files(): string {
    return listed(this.repo.root, (key) => key === ".git" || key === ".checkpoints");
  }

  /** For a copy of the project, which no command is told about. */
  get saved(): string {
    return join(this.repo.base, "saved");
  }

  /** Everything beside the project: nothing may come, go or change there. */
  around(): string {
    return listed(this.repo.base, (key) => key === "project" || key === "saved");
  }

  end(): void {
    rmSync(this.repo.base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function listed(root: string, skip: (key: string) => boolean): string {
  return [...walkTree(root, skip)]
    .map(([key, { type, mode, content }]) => `${key} ${type} ${mode.toString(8)} ${content}`)
    .join("\n");
}

function idOf({ json, stdout, stderr }: Called): string {
  const id = (json as { checkpoint?: { id?: string } } | undefined)?.checkpoint?.id;
  if (id === undefined) throw new Error(`no checkpoint was created: ${stdout}${stderr}`);
  return id;
}
