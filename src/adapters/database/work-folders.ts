/** Private folders for the length of one piece of work. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { uniqueName } from "../files/durable-write.ts";
import { makeFolders } from "../files/make-folders.ts";

export class WorkFolders {
  readonly #parent: string;

  /** Below this folder, by names that tell which process they belong to: those of dead ones are swept. */
  constructor(parent: string) {
    this.#parent = parent;
  }

  make(): string {
    const folder = join(this.#parent, `tmp-${uniqueName()}`);
    makeFolders(folder, 0o700);
    return folder;
  }

  remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
  }

  async use<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = this.make();
    try {
      return await work(folder);
    } finally {
      this.remove(folder);
    }
  }
}
