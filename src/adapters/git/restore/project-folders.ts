/** Which folders of the project a rollback removes and makes. */
import type { FilePlan } from "../../../domain/rollback-plan.ts";
import { onDisk, type RootFolder } from "../../files/byte-names.ts";
import { missingParents } from "../../files/exchange/obstacles.ts";
import type { FolderSteps } from "../../files/exchange/steps.ts";
import { permissions, statOf } from "../../files/file-stat.ts";
import { realFolders } from "../../files/real-folders.ts";

export function projectFolders(root: RootFolder, files: FilePlan): FolderSteps {
  const leaving = new Set(files.removeFolders);
  // One that is there already, seen by no capture because it is ignored, is none of ours: taking the rollback back leaves it. One
  // behind a link is not there: the link is in the way, and goes.
  const isReal = realFolders(root);
  const coming = files.write.map((step) => step.path);
  return {
    area: "project",
    remove: files.removeFolders.flatMap((folder) => {
      const stat = statOf(onDisk(root, folder));
      return stat?.isDirectory() === true ? [[folder, permissions(stat)] as const] : [];
    }),
    make: [...files.makeFolders].filter(([folder]) => leaving.has(folder) || !isReal(folder)),
    parents: missingParents(root, [...coming, ...files.makeFolders.keys()]),
  };
}
