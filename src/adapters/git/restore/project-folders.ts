/** Which folders of the project a rollback removes and makes. */
import type { BytePath } from "../../../domain/byte-path.ts";
import type { FilePlan } from "../../../domain/rollback-plan.ts";
import { onDisk, type RootFolder } from "../../files/byte-names.ts";
import { isDenied } from "../../files/errors.ts";
import { filesBelow, missingParents } from "../../files/exchange/obstacles.ts";
import type { FolderSteps } from "../../files/exchange/steps.ts";
import { permissions, statOf } from "../../files/file-stat.ts";
import { realFolders } from "../../files/real-folders.ts";

export function projectFolders(root: RootFolder, files: FilePlan): FolderSteps {
  const removed = [...files.removeFolders, ...foldersToRemake(root, files)].toSorted(
    (left, right) => right.length - left.length,
  );
  const leaving = new Set(removed);
  // One that is there already, seen by no capture because it is ignored, is none of ours: taking the rollback back leaves it. One
  // behind a link is not there: the link is in the way, and goes.
  const isReal = realFolders(root);
  const coming = files.write.map((step) => step.path);
  return {
    area: "project",
    remove: removed.flatMap((folder) => {
      const stat = statOf(onDisk(root, folder));
      return stat?.isDirectory() === true ? [[folder, permissions(stat)] as const] : [];
    }),
    make: [...files.makeFolders].filter(([folder]) => leaving.has(folder) || !isReal(folder)),
    parents: missingParents(root, [...coming, ...files.makeFolders.keys()]),
  };
}

/**
 * Those that were empty and have another mode and empty folders by now: without these they are as they were only when they are made
 * anew. What the plan knows of modes is about empty folders.
 */
function foldersToRemake(
  root: RootFolder,
  { makeFolders, removeFolders }: FilePlan,
): readonly BytePath[] {
  const leaving = new Set(removeFolders);
  const isReal = realFolders(root);
  return [...makeFolders].flatMap(([folder, mode]) => {
    if (leaving.has(folder) || !isReal(folder)) return [];
    const stat = statOf(onDisk(root, folder));
    const isLike = stat === undefined || permissions(stat) === mode;
    return isLike || !hasOnlyFolders(root, folder) ? [] : [folder];
  });
}

/** One that cannot be looked into may have anything. */
function hasOnlyFolders(root: RootFolder, folder: BytePath): boolean {
  try {
    return filesBelow(root, folder).length === 0;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}
