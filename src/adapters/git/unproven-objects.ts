/**
 * Reads what a capture takes on trust about some paths: their content, the folders on the way, the index and the operation. A rollback
 * is about to overwrite or remove those paths, and the checkpoint must bring them back.
 */
import { ancestorsOf, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { originalName } from "../../domain/stored-name.ts";
import type { ForEach } from "../../ports/progress.ts";
import { presentReader, stateOf } from "./capture/trusted-objects.ts";
import type { GitCapture } from "./git-capture.ts";
import type { ObjectType } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { decodeTree, type TreeEntry } from "./tree-object.ts";

interface DamageRequest {
  readonly capture: GitCapture;
  readonly paths: readonly BytePath[];
  readonly forEach: ForEach;
}

/** Ids of those that are missing or damaged. What is in the new pack is read by git when it is indexed. */
export async function damagedObjects(
  repository: Repository,
  given: ObjectReader,
  request: DamageRequest,
): Promise<ReadonlySet<string>> {
  const reader = presentReader(repository, given);
  try {
    return await findDamaged(repository, reader, request);
  } finally {
    if (reader !== given) reader.close();
  }
}

async function findDamaged(
  repository: Repository,
  reader: ObjectReader,
  { capture: { raw, part }, paths, forEach }: DamageRequest,
): Promise<ReadonlySet<string>> {
  const bad = new Set<string>();
  const seen = new Set<string>();
  const check = async (oid: string, type: ObjectType): Promise<void> => {
    if (seen.has(oid) || raw.spool.has(oid)) return;
    seen.add(oid);
    if ((await stateOf(reader, oid, type)) !== "whole") bad.add(oid);
  };
  const entriesOf = async (oid: string): Promise<readonly TreeEntry[]> => {
    await check(oid, "tree");
    const made = raw.made.get(oid);
    if (made === undefined && bad.has(oid)) return [];
    return decodeTree(made ?? (await reader.readChecked(oid, "tree")), repository.hash);
  };
  const blobs = new Set<string>();
  const walk = async (oid: string, isWanted: (path: BytePath) => boolean): Promise<void> => {
    const folders: [folder: BytePath, oid: string][] = [[ROOT, oid]];
    for (const [folder, tree] of folders) {
      for (const entry of await entriesOf(tree)) {
        const name = originalName(entry.name);
        const path = (folder === ROOT ? name : `${folder}/${name}`) as BytePath;
        if (entry.mode === "160000" || !isWanted(path)) continue;
        if (entry.mode === "040000") folders.push([path, entry.oid]);
        else blobs.add(entry.oid);
      }
    }
  };
  const wanted = new Set(paths.flatMap((path) => [path, ...ancestorsOf(path)]));
  await walk(part.worktree, (path) => wanted.has(path));
  if (part.operation !== null) await walk(part.operation, () => true);
  await forEach("checking what the project has", [...blobs], (oid) => check(oid, "blob"));
  for (const oid of [part.details, part.index_raw]) if (oid !== null) await check(oid, "blob");
  for (const oid of [part.digest, part.index, part.conflicts]) {
    if (oid !== null) await check(oid, "tree");
  }
  return bad;
}
