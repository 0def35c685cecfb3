/** Changed paths by the folder that they are in. */
import { createHash } from "node:crypto";
import { ROOT, type BytePath } from "../../domain/byte-path.ts";
import type { Changes, Leaf } from "./tree-builder.ts";

export interface FolderChanges {
  readonly leaves: Map<BytePath, Leaf | null>;
  /** Folders directly inside that have changes in them. */
  readonly folders: Set<BytePath>;
}

/** Every folder with a change in it or below it; the root is always there. */
export type ChangedFolders = ReadonlyMap<BytePath, FolderChanges>;

export function groupByFolder(changes: Changes): ChangedFolders {
  const groups = new Map<BytePath, FolderChanges>();
  const groupOf = (folder: BytePath): FolderChanges => {
    const known = groups.get(folder);
    if (known !== undefined) return known;
    const group: FolderChanges = { leaves: new Map(), folders: new Set() };
    groups.set(folder, group);
    if (folder !== ROOT) {
      const slash = folder.lastIndexOf("/");
      groupOf((slash < 0 ? "" : folder.slice(0, slash)) as BytePath).folders.add(folder);
    }
    return group;
  };
  groupOf(ROOT);
  for (const [path, leaf] of changes) {
    const slash = path.lastIndexOf("/");
    groupOf((slash < 0 ? "" : path.slice(0, slash)) as BytePath).leaves.set(path, leaf);
  }
  return groups;
}

/** By folder: a digest of all changes in it and below it. */
export function digestFolders(changed: ChangedFolders): Map<BytePath, string> {
  const digests = new Map<BytePath, string>();
  const digest = (folder: BytePath): string => {
    const { leaves, folders } = changed.get(folder) ?? { leaves: [], folders: [] };
    const below = [...folders].map((child) => [child, digest(child)]);
    const text = JSON.stringify([[...leaves], below]);
    const made = createHash("sha1").update(text, "latin1").digest("hex");
    digests.set(folder, made);
    return made;
  };
  digest(ROOT);
  return digests;
}
