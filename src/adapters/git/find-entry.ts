/** Looks up one path in a tree. */
import type { BytePath } from "../../domain/byte-path.ts";
import { originalName } from "../../domain/stored-name.ts";
import type { TreeEntry } from "./tree-object.ts";
import type { TreeSource } from "./tree-source.ts";

export async function findEntry(
  source: TreeSource,
  root: string,
  path: BytePath,
): Promise<TreeEntry | undefined> {
  let oid = root;
  let found: TreeEntry | undefined;
  const names = path.split("/");
  for (const [position, name] of names.entries()) {
    const entries = await source.entries(oid);
    found = entries.find((entry) => originalName(entry.name) === name);
    if (found === undefined) return undefined;
    if (position < names.length - 1 && found.mode !== "040000") return undefined;
    oid = found.oid;
  }
  return found;
}
