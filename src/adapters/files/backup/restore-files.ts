/**
 * Brings the files of a backup back: everything is staged and checked first, then exchanged as a rollback exchanges files of the work
 * tree. A record in the staging folder says what was under way, so that what a killed process moved away is found.
 */
import { chmodSync, statfsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parentOf, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { entryOf, type BackupEntry } from "../../../domain/file-backup.ts";
import type { FilePart } from "../../../domain/parts.ts";
import type { FilePlan } from "../../../domain/rollback-plan.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { HeldPart, PartKept, PreparedPart } from "../../../ports/part-keeper.ts";
import { forEachWith, SILENT } from "../../../ports/progress.ts";
import { onDisk, rootFolder } from "../byte-names.ts";
import { syncFiles, syncFolder, uniqueName } from "../durable-write.ts";
import { applyFiles, isState, returnLateSaves } from "../exchange/apply-files.ts";
import type { FileMover } from "../exchange/file-mover.ts";
import { splitModes } from "../exchange/mode-changes.ts";
import { disks } from "../disks.ts";
import {
  checkFilesInTheWay,
  checkFoldersInTheWay,
  checkMountPoints,
  checkMovable,
  checkWritable,
  nearestFolders,
} from "../exchange/obstacles.ts";
import { makeStaging, newFile } from "../exchange/staging.ts";
import {
  type Area,
  type FileStep,
  type FolderSteps,
  type RestoreSteps,
} from "../exchange/steps.ts";
import { permissions, statOf } from "../file-stat.ts";
import { makeFolders } from "../make-folders.ts";
import { localRef } from "../../git/ref-names.ts";
import { sha256Ids } from "../sha256-ids.ts";
import {
  activeStagings,
  putAway,
  returnFromDead,
  nameBeside,
  writeGroups,
  type Group,
} from "./left-by-the-dead.ts";
import { areaOf, CHANGED_SINCE, wholePath, type Decision } from "./plan-restore.ts";

/** Room that must stay free on a disk beside the new files. */
const RESERVED_BYTES = 4 * 1024 * 1024;

export interface RestoreWork {
  readonly root: string;
  /** Beside git's files. */
  readonly stagings: string;
  readonly mover: FileMover;
  readonly decision: Decision;
  readonly entries: ReadonlyMap<BytePath, BackupEntry>;
  /** What comes. */
  readonly held: HeldPart<FilePart>;
  /** Whether those that belong to git are files of the checkpoint's work tree. */
  readonly isInWorkTree: boolean;
  /** Of these files, those that the checkpoint's work tree holds; without one, those that belong to git by now. */
  readonly belongToGit: (paths: readonly BytePath[]) => Promise<ReadonlySet<BytePath>>;
}

export class RestoreFiles implements PreparedPart {
  readonly #work: RestoreWork;
  readonly #name = `part-${uniqueName()}`;
  readonly #kept: PartKept[];
  #groups: Group[] = [];

  constructor(work: RestoreWork) {
    this.#work = work;
    this.#kept = [...work.decision.kept];
    activeStagings.add(this.#name);
  }

  async prepare(): Promise<void> {
    try {
      const steps = stepsOf(this.#work);
      await this.#checkObstacles(steps);
      this.#groups = this.#grouped(steps);
      for (const group of this.#groups) {
        makeStaging(group.staging);
        const forEach = forEachWith(SILENT);
        await checkMovable(this.#work.mover, group, forEach, (step) => showPath(wholePath(step)));
        await this.#stage(group);
      }
    } catch (error) {
      this.close();
      throw asFailure(error, "preparing the file backup");
    }
  }

  async apply(): Promise<readonly PartKept[]> {
    try {
      const { mover, root, stagings } = this.#work;
      // The work tree was rolled back since: folders that were looked into may have gone, or been made again.
      mover.close();
      for (const path of returnFromDead(root, stagings, mover)) this.#keep(path, CHANGED_SINCE);
      await this.#leaveToGit();
      this.#dropDone();
      writeGroups(root, this.#groups);
      for (const group of this.#groups) {
        const work = { mover, ...group };
        const foreign = [...(await applyFiles(work)), ...(await returnLateSaves(work))];
        for (const save of foreign) {
          const step = placesOf(group.steps).find(({ path }) => path === save.path);
          const path = step === undefined ? save.path : wholePath(step);
          const where = save.keptAt === "its path" ? "" : `: ${save.keptAt}`;
          this.#keep(path, `${CHANGED_SINCE}${where}`);
        }
        syncParents(this.#work.root, group.steps);
      }
      return this.#kept;
    } catch (error) {
      throw asFailure(error, "restoring the file backup");
    }
  }

  mismatches(): Promise<readonly string[]> {
    const { mover } = this.#work;
    const theirs = new Set(this.#kept.map(({ what }) => what));
    const wrong = this.#groups.flatMap(({ steps }) => [
      ...steps.files.filter(({ area, path, target }) => {
        const presence = mover.look(area, path);
        const isThere = target === null ? presence.kind !== "present" : isState(presence, target);
        const hasMode = target?.type !== "file" || mover.modeOf(area, path) === target.mode;
        return !isThere || !hasMode;
      }),
      ...steps.modes.filter(({ area, path, target }) => mover.modeOf(area, path) !== target),
    ]);
    const shown = wrong.map((step) => showPath(wholePath(step)));
    return Promise.resolve(shown.filter((path) => !theirs.has(path)));
  }

  close(): void {
    const { mover } = this.#work;
    mover.close();
    for (const [at, group] of this.#groups.entries()) {
      try {
        putAway(group, mover, at === 0);
      } catch {
        // On a full disk, for example. What was done is done; the next restore puts it away.
      }
    }
    this.#groups = [];
    activeStagings.delete(this.#name);
  }

  #keep(path: BytePath, reason: string): void {
    const what = showPath(path);
    if (!this.#kept.some((kept) => kept.what === what)) this.#kept.push({ what, reason });
  }

  /** A file that the git part of the checkpoint holds, or that is no longer ignored, is not ours to remove. */
  async #leaveToGit(): Promise<void> {
    const leaving = this.#groups.flatMap(({ steps }) =>
      steps.files.flatMap((step) =>
        step.target === null && step.area === "project" ? [step.path] : [],
      ),
    );
    if (leaving.length === 0) return;
    const theirs = await this.#work.belongToGit(leaving);
    if (theirs.size === 0) return;
    // What the checkpoint's work tree holds is not kept from it: that brings it back.
    if (!this.#work.isInWorkTree) {
      for (const path of theirs) this.#keep(path, "it is no longer an ignored file; it was kept");
    }
    this.#onlyFiles((step) => step.target !== null || !theirs.has(wholePath(step)));
  }

  /** What is as it should be by now stays as it is. */
  #dropDone(): void {
    const { mover } = this.#work;
    this.#onlyFiles((step) => {
      if (step.target === null) return true;
      if (!isState(mover.look(step.area, step.path), step.target)) return true;
      return step.target.type === "file" && mover.modeOf(step.area, step.path) !== step.target.mode;
    });
  }

  #onlyFiles(wanted: (step: FileStep) => boolean): void {
    this.#groups = this.#groups.map(({ staging, steps }) => ({
      staging,
      steps: { ...steps, files: steps.files.filter(wanted) },
    }));
  }

  async #checkObstacles(steps: RestoreSteps): Promise<void> {
    const broughtByGit = await this.#broughtByGit(steps);
    for (const area of ["project", "outside"] as const) {
      const root = rootFolder(folderOf(this.#work.root, area));
      const show = (path: BytePath): string => showPath(wholePath({ area, path }));
      const files = steps.files.filter(
        (step) => step.area === area && !(step.target !== null && broughtByGit.has(step)),
      );
      const made = steps.folders
        .filter((folders) => folders.area === area)
        .flatMap(({ make }) => make.map(([path]) => ({ path })));
      checkFoldersInTheWay(root, files, show);
      const coming = files.filter((step) => step.target !== null);
      const folders = [...coming, ...made].map(({ path }) => parentOf(path));
      checkFilesInTheWay(root, files, folders, show);
      checkWritable(root, [...files, ...made], show);
      checkMountPoints(root, files, show);
    }
  }

  /** What the checkpoint's work tree holds too is brought back by then, with all the room that it takes. */
  async #broughtByGit(steps: RestoreSteps): Promise<ReadonlySet<FileStep>> {
    if (!this.#work.isInWorkTree) return new Set();
    const inProject = steps.files.filter(({ area }) => area === "project");
    const theirs = await this.#work.belongToGit(inProject.map(({ path }) => path));
    return new Set(inProject.filter(({ path }) => theirs.has(path)));
  }

  /** Renames work within one file system, so each one has a staging folder of its own; the first is beside git's files. */
  #grouped(steps: RestoreSteps): Group[] {
    makeFolders(this.#work.stagings, 0o700);
    const main = join(this.#work.stagings, this.#name);
    const { of } = disks();
    const places = new Map([[of(join(main, "..")), main]]);
    const placeOf = ({ area, path }: { area: Area; path: BytePath }): string => {
      const root = rootFolder(folderOf(this.#work.root, area));
      const near = nearestFolders(root)(parentOf(path));
      const disk = of(onDisk(root, near));
      const known = places.get(disk);
      if (known !== undefined) return known;
      const beside = join(this.#stayingFolder(area, near), nameBeside(this.#name));
      places.set(disk, beside);
      return beside;
    };
    const at = <Step extends { area: Area; path: BytePath }>(
      staging: string,
      list: readonly Step[],
    ): Step[] => list.filter((step) => placeOf(step) === staging);
    // All places are known once each step was looked at.
    for (const step of steps.files) placeOf(step);
    return [...places.values()].map((staging) => ({
      staging,
      steps: {
        files: at(staging, steps.files),
        modes: at(staging, steps.modes),
        folders: steps.folders.map(({ area, remove, make, parents }) => {
          const isHere = ([path]: readonly [BytePath, number]): boolean =>
            placeOf({ area, path }) === staging;
          return { area, remove: remove.filter(isHere), make: make.filter(isHere), parents };
        }),
      },
    }));
  }

  /** A folder that is about to go is no place for what is moved away. */
  #stayingFolder(area: Area, near: BytePath): string {
    const root = rootFolder(folderOf(this.#work.root, area));
    const leaving = new Set(this.#work.decision.plan.removeFolders);
    let folder = near;
    while (folder !== "" && leaving.has(wholePath({ area, path: folder }))) {
      folder = parentOf(folder);
    }
    return onDisk(root, folder).toString("utf8");
  }

  async #stage({ staging, steps }: Group): Promise<void> {
    const disk = statfsSync(staging);
    let free = disk.bavail * disk.bsize - RESERVED_BYTES;
    const staged: { to: string; mode: number }[] = [];
    for (const step of steps.files) {
      if (step.target === null) continue;
      const path = wholePath(step);
      const entry = this.#work.entries.get(path);
      const to = newFile(staging, step.number);
      if (entry?.type === "link") {
        symlinkSync(Buffer.from(entry.target, "latin1"), to);
      } else if (entry?.type === "file") {
        free -= entry.size;
        if (free < 0) throw noRoom(staging);
        await this.#stageFile(entry, to);
        staged.push({ to, mode: entry.mode });
      }
    }
    await syncFiles(staged.map(({ to }) => to));
    // Not before: a file may be one that its owner cannot read.
    for (const { to, mode } of staged) chmodSync(to, mode);
    syncFolder(join(staging, "new"));
  }

  async #stageFile(entry: Extract<BackupEntry, { type: "file" }>, to: string): Promise<void> {
    const { held } = this.#work;
    try {
      await held.extract(entryOf(entry.path), to);
    } catch (error) {
      throw (await held.isHere()) ? error : noCopies(held.checkpointId);
    }
    if (sha256Ids.ofFile(Buffer.from(to)) === entry.sha256) return;
    throw new Failure(
      "checkpoint_damaged",
      `the copy of ${showPath(entry.path)} in ${held.checkpointId} was changed`,
      {
        hint: "Use another checkpoint, or --paths for the other files. Nothing was changed.",
        details: { path: showPath(entry.path) },
      },
    );
  }
}

/** One that was taken here, or copied here without its local half. */
function noCopies(checkpointId: string): Failure {
  return new Failure(
    "checkpoint_damaged",
    `the copied files of ${checkpointId} are not here: ${localRef(checkpointId)} has none`,
    {
      hint: "Fetch that ref from the clone that has it, or name what else to restore with --paths. Nothing was changed.",
    },
  );
}

function noRoom(place: string): Failure {
  return new Failure(
    "disk_full",
    `the disk of ${place} does not have enough space for this file backup`,
    {
      hint: "Free some disk space there and run the command again; nothing was changed.",
      details: { path: place },
    },
  );
}

function folderOf(root: string, area: Area): string {
  return area === "outside" ? "/" : root;
}

function stepsOf({ decision, mover }: RestoreWork): RestoreSteps {
  const { plan } = decision;
  const { exchanged, modes } = splitModes(
    mover,
    plan.mode.map(({ path, before, target }) => ({ ...areaOf(path), before, target })),
  );
  const files: FileStep[] = [
    ...plan.remove.map(({ path, before }) => ({ ...areaOf(path), before, target: null })),
    ...plan.write.map(({ path, before, target }) => ({ ...areaOf(path), before, target })),
    ...exchanged,
  ].map((step, number) => ({ ...step, number }));
  return {
    files,
    modes,
    folders: (["project", "outside"] as const).map((area) => folderSteps(plan, area, mover)),
  };
}

function placesOf({ files, folders }: RestoreSteps): { area: Area; path: BytePath }[] {
  const made = folders.flatMap(({ area, make }) => make.map(([path]) => ({ area, path })));
  return [...files, ...made];
}

function folderSteps(plan: FilePlan, area: Area, mover: FileMover): FolderSteps {
  const own = (paths: Iterable<BytePath>): BytePath[] =>
    [...paths].map(areaOf).flatMap((place) => (place.area === area ? [place.path] : []));
  const made = [...plan.makeFolders].map(([path, mode]) => ({ ...areaOf(path), mode }));
  return {
    area,
    remove: own(plan.removeFolders).flatMap((folder) => {
      const at = mover.at(area, folder);
      const stat = at === undefined ? undefined : statOf(at);
      return stat?.isDirectory() === true ? [[folder, permissions(stat)] as const] : [];
    }),
    make: made.flatMap((place) => (place.area === area ? [[place.path, place.mode] as const] : [])),
    // The way back is a restore of its own.
    parents: [],
  };
}

/** The renames and links of files are on the disk only when their folders are. */
function syncParents(root: string, steps: RestoreSteps): void {
  const folders = new Set(
    steps.files.map(({ area, path }) =>
      onDisk(rootFolder(folderOf(root, area)), parentOf(path)).toString("latin1"),
    ),
  );
  for (const folder of folders) {
    const path = Buffer.from(folder, "latin1");
    if (statOf(path)?.isDirectory() === true) syncFolder(path);
  }
}
