/** What an interrupted write leaves beside packs: in the store, and in the project's objects, where nothing of Waymark's belongs. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type TempRepository } from "./temp-repository.ts";

export async function strayPackFiles(repo: TempRepository): Promise<string[]> {
  return [repo.storePath("objects/pack"), await repo.gitPath("objects/pack")]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => /\/tmp_[^/]*$|\.(?:keep|lock)$/.test(path));
}
