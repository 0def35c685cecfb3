/** Writes the files that a rollback will put into place, and finds out whether it can: before anything changes. */
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { parentOf, ROOT, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { onDisk, rootFolder, type RootFolder } from "../../files/byte-names.ts";
import { disks } from "../../files/disks.ts";
import { SYNCED_AT_ONCE, syncFiles, syncFolder } from "../../files/durable-write.ts";
import {
  checkFilesInTheWay,
  checkFoldersInTheWay,
  checkMountPoints,
  checkUnheld,
  checkWritable,
  mounted,
  nearestFolders,
} from "../../files/exchange/obstacles.ts";
import { newFile } from "../../files/exchange/staging.ts";
import type { FileStep, RestoreSteps } from "../../files/exchange/steps.ts";
import type { ForEach } from "../../../ports/progress.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { stageBlob } from "./stage-blob.ts";

/** Room that must stay free on the disk beside the new files. */
const RESERVED_BYTES = 4 * 1024 * 1024;

/** Writes each file that comes if there is room for all of them; synced, because they will be the only copies in place. */
export async function stageFiles(
  reader: ObjectReader,
  staging: string,
  steps: readonly FileStep[],
  forEach: ForEach,
): Promise<void> {
  const disk = statfsSync(staging);
  let free = disk.bavail * disk.bsize - RESERVED_BYTES;
  const reserve = (bytes: number): void => {
    free -= bytes;
    if (free >= 0) return;
    throw new Failure(
      "disk_full",
      `the disk of ${staging} does not have enough space for this rollback`,
      {
        hint: "Free some disk space there and run the command again; nothing was changed.",
        details: { path: staging },
      },
    );
  };
  let files: string[] = [];
  await forEach("staging files", steps, async ({ target, number }) => {
    if (target === null) return;
    const path = newFile(staging, number);
    await stageBlob(reader, path, target, reserve);
    if (target.type === "file") files.push(path);
    if (files.length < SYNCED_AT_ONCE) return;
    await syncFiles(files);
    files = [];
  });
  await syncFiles(files);
  syncFolder(join(staging, "new"));
}

/** Obstacles that would show up half-way otherwise. */
export function checkObstacles(
  repository: Repository,
  steps: RestoreSteps,
  ignoresCase: boolean,
): void {
  const root = rootFolder(repository.workTree);
  const files = steps.files.filter((step) => step.area === "project");
  const folders = steps.folders.filter((folder) => folder.area === "project");
  const made = folders.flatMap(({ make }) => make.map(([path]) => path));
  const removed = folders.flatMap(({ remove }) => remove.map(([path]) => path));
  const coming = files.filter((step) => step.target !== null);
  checkFoldersInTheWay(root, files);
  checkFilesInTheWay(root, files, new Set([...coming.map(({ path }) => parentOf(path)), ...made]));
  checkUnheld(root, files);
  checkWritable(root, [...files, ...[...made, ...removed].map((path) => ({ path }))]);
  checkMountPoints(root, files);
  checkMounts(root, files);
  if (ignoresCase) checkCase(files);
}

/** Files are moved by renaming, which does not work across mount points. */
function checkMounts(root: RootFolder, files: readonly FileStep[]): void {
  const { of } = disks();
  const own = of(onDisk(root, ROOT));
  const nearest = nearestFolders(root);
  const isOwn = new Map<BytePath, boolean>();
  for (const { path } of files) {
    const folder = nearest(parentOf(path));
    if (!isOwn.has(folder)) isOwn.set(folder, of(onDisk(root, folder)) === own);
    if (isOwn.get(folder) !== true) throw mounted(showPath(path), "is below a mount point");
  }
}

function checkCase(files: readonly FileStep[]): void {
  const seen = new Map<string, BytePath>();
  for (const { path, target } of files) {
    if (target === null) continue;
    const folded = path.toLowerCase();
    const other = seen.get(folded);
    seen.set(folded, path);
    if (other === undefined) continue;
    throw new Failure(
      "case_collision",
      `${showPath(other)} and ${showPath(path)} are one file on this disk, which ignores case`,
      { hint: "Roll back one of them with --paths; nothing was changed." },
    );
  }
}
