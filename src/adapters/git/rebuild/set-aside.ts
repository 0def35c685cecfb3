/** Damaged files of the repository, moved out of git's way. */
import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMissing } from "../../files/errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import type { Repository } from "../repository.ts";

/** After what replaces it is in place. It is not deleted. */
export function setAside(repository: Repository, path: string): void {
  const aside = join(repository.sharedDir, "damaged", path.replaceAll("/", "-"));
  makeFolders(dirname(aside), 0o700);
  try {
    renameSync(join(repository.commonDir, path), aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
