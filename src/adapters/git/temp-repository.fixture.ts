/** A real repository in a temporary folder, opened the way the composition root does it, for as long as a test runs. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { TempRepository, withTempRepository } from "../../../test/support/temp-repository.ts";
import { ObjectReader } from "./object-reader.ts";
import { makePlain } from "./plain/make-plain.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeStore } from "./store/make-store.ts";

/** The folder goes when the test ends. */
export function tempRepository(...initArgs: string[]): Promise<TempRepository> {
  return new Promise((resolve, reject) => {
    let end: () => void = () => undefined;
    const over = withTempRepository(async (repo) => {
      const untilTheEnd = new Promise<void>((done) => (end = done));
      resolve(repo);
      await untilTheEnd;
    }, initArgs);
    over.catch(reject);
    onTestFinished(async () => {
      end();
      await over;
    });
  });
}

export interface OpenedRepository {
  readonly repo: TempRepository;
  readonly repository: Repository;
  readonly reader: ObjectReader;
}

export async function openedRepository(...initArgs: string[]): Promise<OpenedRepository> {
  const repo = await tempRepository(...initArgs);
  return { repo, ...(await openAt(repo.root)) };
}

/** A plain folder with its private repository; the git commands of the test are run on that one. */
export async function openedPlainFolder(): Promise<OpenedRepository> {
  const { base, root } = await tempRepository();
  rmSync(join(root, ".git"), { recursive: true });
  const { gitDir } = await makePlain(root, "usual");
  return { repo: new PlainTempRepository(base, root, gitDir), ...(await openAt(root)) };
}

class PlainTempRepository extends TempRepository {
  readonly #gitDir: string;

  constructor(base: string, root: string, gitDir: string) {
    super(base, root);
    this.#gitDir = gitDir;
  }

  override get env(): NodeJS.ProcessEnv {
    return { ...super.env, GIT_DIR: this.#gitDir, GIT_WORK_TREE: this.root };
  }
}

/** The same folder as another process would open it. */
export async function openAt(
  directory: string,
): Promise<{ readonly repository: Repository; readonly reader: ObjectReader }> {
  const repository = await openRepository(directory);
  if (!repository.isPlain) await makeStore(repository);
  const reader = new ObjectReader(repository.store);
  onTestFinished(() => reader.close());
  return { repository, reader };
}

/**
 * Git gives up on a locked ref after a tenth of a second, which a busy machine can take over a rival's update. With
 * this a test about rivals is about who wins, not about how busy the machine is.
 */
export async function waitForRefLocks(repo: TempRepository): Promise<void> {
  await repo.git("config", "core.filesRefLockTimeout", "30000");
}
