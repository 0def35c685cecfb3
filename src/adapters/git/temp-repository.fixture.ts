/** A real repository in a temporary folder, opened the way the composition root does it, for as long as a test runs. */
import { onTestFinished } from "vitest";
import { withTempRepository, type TempRepository } from "../../../test/support/temp-repository.ts";
import { ObjectReader } from "./object-reader.ts";
import { openRepository, type Repository } from "./repository.ts";

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

/** The same folder as another process would open it. */
export async function openAt(
  directory: string,
): Promise<{ readonly repository: Repository; readonly reader: ObjectReader }> {
  const repository = await openRepository(directory);
  const reader = new ObjectReader(repository);
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
