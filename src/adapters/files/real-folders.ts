import type { BytePath } from "../../domain/byte-path.ts";
import { onDisk, type RootFolder } from "./byte-names.ts";
import { lookAt } from "./file-stat.ts";

/** Answers whether a folder and all above it are real folders, not links. One that cannot be looked at counts as real: neither can what is in it. */
export function realFolders(root: RootFolder): (folder: BytePath) => boolean {
  const known = new Map<string, boolean>([["", true]]);
  const isReal = (folder: BytePath): boolean => {
    const answer = known.get(folder);
    if (answer !== undefined) return answer;
    const slash = folder.lastIndexOf("/");
    const parent = (slash < 0 ? "" : folder.slice(0, slash)) as BytePath;
    const kind = isReal(parent) ? lookAt(onDisk(root, folder))?.kind : undefined;
    const real = kind === "folder" || kind === "unreadable";
    known.set(folder, real);
    return real;
  };
  return isReal;
}
