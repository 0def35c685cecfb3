/** Whether the disk takes names for the same that differ in case only, as far as git knows. */
import type { Repository } from "./repository.ts";
import { readSettings } from "./settings.ts";

export async function foldsCase(repository: Repository): Promise<boolean> {
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return (await readSettings(repository)).get("core.ignorecase") === "true";
}
