/** The NamedFiles port on the disk. */
import { lstat, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { NamedFiles } from "../../ports/named-files.ts";
import { errorCode, isMissing } from "./errors.ts";

/** Names that no file can have. */
const NO_NAME = new Set(["ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]);

const MAX_TEXT_BYTES = 1024 * 1024;

export class DiskNamedFiles implements NamedFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async missing(paths: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const path of paths) {
      try {
        await stat(resolve(this.#root, path));
      } catch (error) {
        if (isMissing(error) || NO_NAME.has(errorCode(error) ?? "")) found.push(path);
      }
    }
    return found;
  }

  async isFolder(path: string): Promise<boolean> {
    try {
      return (await lstat(resolve(this.#root, path))).isDirectory();
    } catch {
      return false;
    }
  }

  async text(path: string): Promise<string | undefined> {
    const full = resolve(this.#root, path);
    try {
      const { size } = await lstat(full);
      if (size > MAX_TEXT_BYTES) return undefined;
      return await readFile(full, "utf8");
    } catch {
      return undefined;
    }
  }
}
