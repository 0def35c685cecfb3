/** A real project in a temporary folder, with a home of its own: nothing of the machine's git config is seen. */
import {
  chmod,
  cp,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BytePath, joinBytes, toBytes } from "./byte-path.ts";
import { gitPlaces } from "./git-places.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";

export class TempRepository {
  /** The temporary folder that holds project, home and whatever a test puts beside them. */
  readonly base: string;
  /** The project. */
  readonly root: string;

  constructor(base: string, root: string) {
    this.base = base;
    this.root = root;
  }

  get home(): string {
    return join(this.base, "home");
  }

  /** What a user's shell would have, without an identity, without anything of this machine's git. */
  get env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      HOME: this.home,
      // One for all: compiled code is kept there, and a process that was killed may still be writing it.
      XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"],
      LANG: "C.UTF-8",
      TZ: "UTC",
      TMPDIR: tmpdir(),
      GIT_CONFIG_NOSYSTEM: "1",
      // A process in the background would get in the way of what a test looks at.
      WAYMARK_NO_AUTO_CLEANUP: "1",
    };
  }

  /** The same surroundings with another project: a linked work tree, a clone. */
  at(folder: string): TempRepository {
    return new TempRepository(this.base, join(this.base, folder));
  }

  /** Any git command by the "user" of the test, who does have an identity. */
  async tryGit(
    args: readonly string[],
    { env, ...options }: Partial<Pick<CommandOptions, "input" | "env" | "timeoutMs">> = {},
  ): Promise<CommandResult> {
    return await runCommand("git", args, {
      ...options,
      cwd: this.root,
      env: { ...this.env, ...userIdentity, ...env },
    });
  }

  async git(...args: readonly string[]): Promise<string> {
    return checked(args, await this.tryGit(args));
  }

  async gitWithInput(input: Buffer | string, ...args: readonly string[]): Promise<string> {
    return checked(args, await this.tryGit(args, { input }));
  }

  /** Waymark's own repository: in the project's git directory, or in the folder itself where there is none. */
  get storeDir(): string {
    // HEAD may be a link to a branch that is packed or has no commits.
    const common = gitPlaces(this.root)?.common ?? join(this.root, ".git");
    return existsSync(join(common, "objects"))
      ? join(common, "waymark/store")
      : join(this.root, ".checkpoints/repo.git");
  }

  /** A path inside the store. */
  storePath(name: string): string {
    return join(this.storeDir, name);
  }

  /** The same as `tryGit` on the store. It sees the project's objects, but neither HEAD nor branches, tags or the index. */
  async tryStore(
    args: readonly string[],
    options: Parameters<TempRepository["tryGit"]>[1] = {},
  ): Promise<CommandResult> {
    return await this.tryGit([`--git-dir=${this.storeDir}`, ...args], options);
  }

  async store(...args: readonly string[]): Promise<string> {
    return checked(args, await this.tryStore(args));
  }

  async storeWithInput(input: Buffer | string, ...args: readonly string[]): Promise<string> {
    return checked(args, await this.tryStore(args, { input }));
  }

  /** `git for-each-ref` in the store, which a project without checkpoints does not have. */
  async storeRefs(...args: readonly string[]): Promise<string> {
    return existsSync(this.storeDir) ? await this.store("for-each-ref", ...args) : "";
  }

  /** The checkpoints and sessions of another project as a copied folder or plain git brings them, without `waymark import`. */
  async takeStoreOf(source: TempRepository): Promise<void> {
    if (existsSync(this.storeDir)) {
      await this.store("fetch", "-q", source.storeDir, "+refs/waymark/*:refs/waymark/*");
    } else {
      await cp(source.storeDir, this.storeDir, { recursive: true, verbatimSymlinks: true });
    }
  }

  /** The content of all objects of the project and of the store, which borrows the project's. */
  async everyObject(): Promise<Buffer> {
    const args = ["cat-file", "--batch-all-objects", "--batch"];
    const here = existsSync(this.storeDir) ? await this.tryStore(args) : await this.tryGit(args);
    checked(args, here);
    return here.stdout;
  }

  /** Every ref of the project and of the store. */
  async allRefs(): Promise<string> {
    const ofProject = gitPlaces(this.root) === undefined ? "" : await this.git("for-each-ref");
    return `${ofProject}${await this.storeRefs()}`;
  }

  /** The id of the commit that HEAD names, or of what it has: the store does not know HEAD. */
  async head(path = ""): Promise<string> {
    return (await this.git("rev-parse", `HEAD${path}`)).trim();
  }

  /** A git command that must stop half way: a merge with conflicts, a rebase that waits. */
  async gitStops(...args: readonly string[]): Promise<void> {
    const result = await this.tryGit(args);
    if (result.code === 0) {
      throw new Error(`git ${args.join(" ")} was expected to stop, but it went through`);
    }
  }

  /** Stages paths of any bytes: arguments of a process cannot carry them, standard input can. */
  async stage(paths: readonly BytePath[], ...flags: readonly string[]): Promise<void> {
    const input = Buffer.concat(paths.flatMap((path) => [toBytes(path), Buffer.from([0])]));
    const args = ["add", ...flags, "--pathspec-from-file=-", "--pathspec-file-nul"];
    checked(args, await this.tryGit(args, { input, env: { GIT_LITERAL_PATHSPECS: "1" } }));
  }

  async commit(message: string): Promise<string> {
    await this.git("commit", "-q", "--allow-empty", "-m", message);
    return await this.head();
  }

  path(name: BytePath): Buffer {
    return joinBytes(this.root, name);
  }

  async write(name: BytePath, content: Buffer | string, mode?: number): Promise<void> {
    const path = this.path(name);
    await mkdir(parentOf(path), { recursive: true });
    await writeFile(path, content);
    if (mode !== undefined) {
      await chmod(path, mode);
    }
  }

  /** Makes a file older than the next `git add`: as long as both are of one second, git looks at its content every time. */
  async settle(...settled: readonly BytePath[]): Promise<void> {
    const earlier = Date.now() / 1000 - 60;
    await Promise.all(settled.map((name) => lutimes(this.path(name), earlier, earlier)));
  }

  async read(name: BytePath): Promise<Buffer> {
    return await readFile(this.path(name));
  }

  async exists(name: BytePath): Promise<boolean> {
    return await lstat(this.path(name)).then(
      () => true,
      () => false,
    );
  }

  async link(name: BytePath, target: BytePath): Promise<void> {
    const path = this.path(name);
    await mkdir(parentOf(path), { recursive: true });
    await rm(path, { recursive: true, force: true });
    await symlink(toBytes(target), path);
  }

  async folder(name: BytePath): Promise<void> {
    await mkdir(this.path(name), { recursive: true });
  }

  async fifo(name: BytePath): Promise<void> {
    // Arguments of a process cannot carry any byte, so the shell makes the name from octal numbers.
    const octal = [...this.path(name)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`);
    const script = 'mkfifo "$(printf %b "$1")"';
    const result = await runCommand("sh", ["-c", script, "sh", octal.join("")], { env: this.env });
    if (result.code !== 0) {
      throw new Error(`mkfifo failed: ${result.stderr}`);
    }
  }

  async remove(name: BytePath): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true });
  }

  async move(from: BytePath, to: BytePath): Promise<void> {
    await mkdir(parentOf(this.path(to)), { recursive: true });
    await rename(this.path(from), this.path(to));
  }

  async chmod(name: BytePath, mode: number): Promise<void> {
    await chmod(this.path(name), mode);
  }

  /** A path inside the git directory, as git itself resolves it (linked work trees, separate git dirs). */
  async gitPath(name: string): Promise<string> {
    const found = (await this.git("rev-parse", "--git-path", name)).trimEnd();
    return found.startsWith("/") ? found : join(this.root, found);
  }
}

const userIdentity = {
  GIT_AUTHOR_NAME: "Test User",
  GIT_AUTHOR_EMAIL: "test@example.invalid",
  GIT_COMMITTER_NAME: "Test User",
  GIT_COMMITTER_EMAIL: "test@example.invalid",
  GIT_EDITOR: "true",
  // Every commit would start two more processes that find nothing to tidy up.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
} as const;

/** The same for tests that begin and end it themselves. */
export async function makeTempRepository(): Promise<{
  readonly repo: TempRepository;
  readonly remove: () => Promise<void>;
}> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "waymark-test-")));
  const repo = new TempRepository(base, join(base, "project"));
  await mkdir(repo.root);
  await mkdir(repo.home);
  await repo.git("init", "-q", "-b", "main");
  return { repo, remove: () => rm(base, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Makes a folder with a home, a project that is not yet a repository, and removes it all when the body ends. */
export async function withTempProject<T>(
  body: (project: TempRepository) => Promise<T>,
): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "waymark-test-")));
  const project = new TempRepository(base, join(base, "project"));
  await mkdir(project.root);
  await mkdir(project.home);
  try {
    return await body(project);
  } finally {
    // WAYMARK_TEST_KEEP=1 leaves the folder for a look at what went wrong.
    if (process.env["WAYMARK_TEST_KEEP"] === undefined) {
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** The same with `git init` already done, on the branch main. */
export async function withTempRepository<T>(
  body: (repo: TempRepository) => Promise<T>,
  initArgs: readonly string[] = [],
): Promise<T> {
  return await withTempProject(async (project) => {
    await project.git("init", "-q", "-b", "main", ...initArgs);
    return await body(project);
  });
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, path.lastIndexOf("/"));
}

function checked(args: readonly string[], result: CommandResult): string {
  if (result.code !== 0) {
    throw new Error(
      `git ${args.join(" ")} ended with ${String(result.code ?? result.signal)}\n${result.stderr}${result.stdout.toString("latin1")}`,
    );
  }
  return result.stdout.toString("latin1");
}
