/** The folder structure of an index. */
import { ROOT, type BytePath } from "../../domain/byte-path.ts";
import type { TrackedNames } from "../files/untracked-walk.ts";
import type { IndexFile } from "./index-file.ts";

const GITLINK = 0o160000;
const SPARSE_FOLDER = 0o040000;

export function trackedNames(
  index: IndexFile | undefined,
  folders: readonly BytePath[],
): TrackedNames {
  if (index === undefined) return { folders: [ROOT], children: () => new Map() };
  return { folders, children: (folder) => childrenOf(index, folder) };
}

/** Paths are sorted, so a folder's files follow each other, but its parents may come only with a child. */
export function foldersOf(paths: readonly BytePath[]): BytePath[] {
  const folders = new Set<BytePath>([ROOT]);
  let previous = "";
  for (const path of paths) {
    const slash = path.lastIndexOf("/", path.length - 2);
    if (slash < 0) continue;
    if (slash === previous.length && path.startsWith(previous)) continue;
    previous = path.slice(0, slash);
    for (let at = path.indexOf("/"); at >= 0 && at <= slash; at = path.indexOf("/", at + 1)) {
      folders.add(path.slice(0, at) as BytePath);
    }
  }
  return [...folders];
}

function childrenOf(
  index: IndexFile,
  folder: BytePath,
): Map<string, "file" | "folder" | "submodule"> {
  const children = new Map<string, "file" | "folder" | "submodule">();
  const prefix = folder === ROOT ? "" : `${folder}/`;
  const end = folder === ROOT ? index.length : index.lowerBound(`${folder}0`);
  for (let entry = index.lowerBound(prefix); entry < end;) {
    const path = index.path(entry);
    const slash = path.indexOf("/", prefix.length);
    if (slash < 0) {
      children.set(path.slice(prefix.length), index.mode(entry) === GITLINK ? "submodule" : "file");
      entry += 1;
    } else {
      const name = path.slice(prefix.length, slash);
      if (index.mode(entry) !== SPARSE_FOLDER || slash < path.length - 1)
        children.set(name, "folder");
      entry = index.lowerBound(`${path.slice(0, slash)}0`);
    }
  }
  return children;
}
