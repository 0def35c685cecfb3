/** One rollback under way on a git work tree: the order of its steps, and the way back from each of them. */
import { renameSync, rmSync } from "node:fs";
import {
  asBytePath,
  joinPath,
  parentOf,
  showPath,
  type BytePath,
} from "../../../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { forEachWith, SILENT, type ForEach, type Progress } from "../../../ports/progress.ts";
import type { Applied, ForeignSave, Restore, RestoreOrder } from "../../../ports/restorer.ts";
import { onDisk, rootFolder } from "../../files/byte-names.ts";
import { syncFile, syncFolder } from "../../files/durable-write.ts";
import {
  applyFiles,
  isState,
  needsStaging,
  returnLateSaves,
  takeBackFiles,
  type FileWork,
} from "../../files/exchange/apply-files.ts";
import type { FileMover } from "../../files/exchange/file-mover.ts";
import { splitModes } from "../../files/exchange/mode-changes.ts";
import { checkMovable, missingParents } from "../../files/exchange/obstacles.ts";
import { removeStaged } from "../../files/exchange/kept-aside.ts";
import {
  decodeSteps,
  encodeSteps,
  type FileStep,
  type FolderSteps,
  type RestoreSteps,
} from "../../files/exchange/steps.ts";
import { statOf } from "../../files/file-stat.ts";
import { realFolders } from "../../files/real-folders.ts";
import type { OwnedLock } from "../../files/owned-lock.ts";
import { ownIdentity } from "../../files/process-identity.ts";
import { GitCapture } from "../git-capture.ts";
import { indexPath, readIndex } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { refuseHostile, refuseHostileIndex } from "./refuse-hostile.ts";
import { readSettings } from "../settings.ts";
import { diffTrees, TreeSource } from "../tree-source.ts";
import { keepAside } from "./aside.ts";
import { gitMover } from "./git-ids.ts";
import { activeRollbacks, intentPath, removeIntent, writeIntent, type Intent } from "./intent.ts";
import { IndexLock, releaseLock } from "./index-lock.ts";
import { moveRefs, moveRefsBack, removeDeadRefLocks } from "./move-refs.ts";
import { digestOf, IndexAside } from "./index-aside.ts";
import { bringNeeded, neededObjects, type NeededObjects } from "./project-objects.ts";
import { Quarantine } from "../quarantine.ts";
import { newIndex, refuseLostEntries, type NewIndex } from "./new-index.ts";
import { projectFolders } from "./project-folders.ts";
import { refreshIndex } from "./refresh-index.ts";
import { giveUpReserve, holdReserve } from "./reserve.ts";
import { makeStagingFolder, stagingOf } from "./staging-place.ts";
import { stageBlob } from "./stage-blob.ts";
import { checkObstacles, stageFiles } from "./stage-files.ts";

/** How long to wait for git commands that hold the index, on the way there and on the way back. */
export const INDEX_WAIT_MS = 3000;
export const BACK_WAIT_MS = 15_000;

/** As the time of an index: git compares the content of every file with it. */
const OLDER_THAN_ANY_NS = 2_000_000_000n;

export class GitRestore implements Restore {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #lock: OwnedLock;
  readonly #staging: string;
  #intent: Intent;
  #indexLock: IndexLock;
  #index: NewIndex = { kind: "keep" };
  #mover: FileMover;
  #needed: NeededObjects = { blobs: [], revisions: [], announces: false };
  /** Keeps what was brought from a `git gc` until the project needs it. */
  readonly #brought: Quarantine;
  /** Empty folders that the target has and the project had not, or not so. */
  #emptyFolders: readonly BytePath[] = [];
  #done = 0;
  #total = 0;
  readonly #progress: Progress;
  /** On the way there; the way back is not stopped. */
  readonly #forEach: ForEach;

  constructor(
    repository: Repository,
    reader: ObjectReader,
    lock: OwnedLock,
    indexLock: IndexLock,
    intent: Intent,
    { progress, stopIfAsked }: { readonly progress: Progress; readonly stopIfAsked: () => void },
  ) {
    this.#progress = progress;
    this.#forEach = forEachWith(progress, stopIfAsked);
    this.#repository = repository;
    this.#reader = reader;
    this.#lock = lock;
    this.#indexLock = indexLock;
    this.#intent = intent;
    this.#staging = stagingOf(repository, intent);
    this.#mover = gitMover(repository);
    this.#brought = new Quarantine(repository);
    activeRollbacks.add(intent.rollback_id);
  }

  get changedFiles(): { readonly done: number; readonly total: number } {
    return { done: this.#done, total: this.#total };
  }

  async prepare(order: RestoreOrder): Promise<void> {
    const repository = this.#repository;
    try {
      const steps = await this.#planSteps(order);
      this.#emptyFolders = [...order.files.makeFolders.keys()];
      const { before } = order;
      const settings =
        before instanceof GitCapture ? before.raw.settings : await readSettings(repository);
      const foldsCase = settings.get("core.ignorecase") === "true";
      refuseHostile(order, steps, foldsCase);
      checkObstacles(repository, steps, foldsCase);
      makeStagingFolder(repository, this.#staging);
      await checkMovable(this.#mover, { staging: this.#staging, steps }, this.#forEach);
      await stageFiles(this.#reader, this.#staging, steps.files, this.#forEach);
      holdReserve(this.#staging);
      this.#index = await newIndex(repository, this.#reader, order);
      if (this.#index.kind === "replace") {
        refuseHostileIndex(this.#index.content, repository.hash);
        const read = new Set(steps.files.flatMap(({ target }) => target?.oid ?? []));
        await refuseLostEntries(repository, this.#reader, order, this.#index.content, read);
      }
      const content = this.#index.kind === "replace" ? this.#index.content : undefined;
      this.#needed = await neededObjects(repository, this.#reader, order, content);
      await bringNeeded(repository, this.#brought, this.#needed);
      this.#intent = {
        ...this.#intent,
        owner: ownIdentity(),
        target_id: order.target.id,
        steps: encodeSteps(steps),
        head: order.head,
        refs: order.refs,
        new_index: this.#index.kind === "replace" ? digestOf(this.#index.content) : null,
        changes_index: this.#index.kind !== "keep",
        safety_index: order.before.part.index_raw,
        parts: order.parts,
        part_paths: order.partPaths === null ? null : order.partPaths.map(showPath),
      };
    } catch (error) {
      throw asFailure(error, "preparing the rollback");
    }
  }

  async apply(safety: CheckpointDocument): Promise<Applied> {
    try {
      this.#intent = { ...this.#intent, phase: "applying", safety_id: safety.id };
      writeIntent(this.#repository, this.#intent);
      const work = this.#work();
      const git = onlyArea(work.steps, "git");
      const project = onlyArea(work.steps, "project");
      this.#total = project.files.length;
      const foreign = await applyFiles({ ...work, steps: project }, this.#counting);
      await this.#syncFolders(project.files);
      await moveRefs(this.#repository, this.#refPlan());
      await this.#placeIndex();
      await applyFiles({ ...work, steps: git });
      await bringNeeded(this.#repository, this.#brought, this.#needed);
      return { foreign };
    } catch (error) {
      throw asFailure(error, "rolling back");
    }
  }

  async mismatches(): Promise<BytePath[]> {
    const { mover, steps } = this.#work();
    const wrong: FileStep[] = [];
    await this.#forEach("verifying files", steps.files, (step) => {
      const { area, path, target } = step;
      const presence = mover.look(area, path);
      // A file that went may have become a folder.
      const isWhole = target === null ? presence.kind !== "present" : isState(presence, target);
      const hasMode =
        area === "git" || target?.type !== "file" || mover.modeOf(area, path) === target.mode;
      if (!isWhole || !hasMode) wrong.push(step);
    });
    const modes = steps.modes.filter(
      ({ area, path, target }) => mover.modeOf(area, path) !== target,
    );
    const isReal = realFolders(rootFolder(this.#repository.workTree));
    const folders = this.#emptyFolders.filter((folder) => !isReal(folder));
    return [...wrong, ...modes].map((step) => step.path).concat(folders);
  }

  lateSaves(): Promise<ForeignSave[]> {
    return returnLateSaves(this.#work(), this.#forEach);
  }

  finish(): void {
    this.#tidy();
  }

  makeRoom(): void {
    giveUpReserve(this.#staging);
  }

  async takeBack(): Promise<readonly ForeignSave[]> {
    if (this.#intent.phase === "locking") {
      await removeStaged(this.#staging, forEachWith(this.#progress));
      this.#tidy();
      return [];
    }
    try {
      const foreign = await takeBackIntent(
        this.#repository,
        this.#reader,
        this.#intent,
        this.#indexLock,
        this.#progress,
      );
      this.#tidy();
      return foreign;
    } finally {
      // When it failed, the record stays for `recover`.
      this.#brought.discard();
      activeRollbacks.delete(this.#intent.rollback_id);
      this.#lock.release();
    }
  }

  leave(): void {
    this.#brought.discard();
    this.#indexLock.release();
    activeRollbacks.delete(this.#intent.rollback_id);
    this.#mover.close();
    this.#lock.release();
  }

  #tidy(): void {
    this.#brought.discard();
    activeRollbacks.delete(this.#intent.rollback_id);
    this.#mover.close();
    try {
      tidyUp(this.#repository, this.#intent);
    } finally {
      this.#lock.release();
    }
  }

  readonly #counting: ForEach = (label, items, work) =>
    this.#forEach(label, items, async (item) => {
      await work(item);
      this.#done++;
    });

  #work(): FileWork {
    return {
      mover: this.#mover,
      staging: this.#staging,
      steps: decodeSteps(this.#intent.steps),
    };
  }

  #refPlan() {
    return refPlanOf(this.#intent);
  }

  async #placeIndex(): Promise<void> {
    const aside = new IndexAside(this.#repository, this.#intent);
    if (this.#index.kind === "remove") {
      aside.moveAway();
      this.#indexLock.release();
      return;
    }
    const index = await this.#refreshed();
    if (index === undefined) {
      this.#indexLock.release();
      return;
    }
    aside.keep();
    this.#indexLock.replaceIndex(index.content, index.mtimeNs, aside.placed);
  }

  /** The new index, with the stat data of the files as they are now. Undefined: that of before stays. */
  async #refreshed(): Promise<{ content: Buffer; mtimeNs: bigint } | undefined> {
    const { hash, workTree } = this.#repository;
    const kept = this.#index.kind === "keep" ? await readIndex(this.#repository) : undefined;
    const given = this.#index.kind === "replace" ? this.#index.content : kept?.index?.bytes;
    if (given === undefined) return undefined;
    const ownTime = this.#index.kind === "replace" ? this.#index.mtimeNs : kept?.mtimeNs;
    const mtimeNs = ownTime ?? this.#indexLock.madeNs;
    const content = refreshIndex(given, hash, mtimeNs, rootFolder(workTree));
    if (content === undefined) return kept === undefined ? { content: given, mtimeNs } : undefined;
    // On record before it is there.
    this.#intent = { ...this.#intent, new_index: digestOf(content), changes_index: true };
    writeIntent(this.#repository, this.#intent);
    return { content, mtimeNs };
  }

  async #planSteps(order: RestoreOrder): Promise<RestoreSteps> {
    const root = rootFolder(this.#repository.workTree);
    const files: FileStep[] = [];
    const add = (step: Omit<FileStep, "number">): void => {
      files.push({ ...step, number: files.length });
    };
    for (const { path, before } of order.files.remove) {
      add({ area: "project", path, before, target: null });
    }
    for (const { path, before, target } of order.files.write) {
      add({ area: "project", path, before, target });
    }
    const { exchanged, modes } = splitModes(
      this.#mover,
      order.files.mode.map((change) => ({ area: "project", ...change })),
    );
    for (const step of exchanged) add(step);
    const state = order.operation ? await this.#stateChanges(order) : [];
    for (const step of state) add(step);
    return {
      files,
      modes,
      folders: [projectFolders(root, order.files), this.#stateFolders(state)],
    };
  }

  /** State files of merges, rebases … are exchanged like files of the project, inside the git folder. */
  async #stateChanges(order: RestoreOrder): Promise<Omit<FileStep, "number">[]> {
    const made = order.before instanceof GitCapture ? order.before.raw.made : undefined;
    const source = new TreeSource(this.#repository, this.#reader, made);
    const changes = await diffTrees(
      { source, oid: order.before.part.operation ?? undefined },
      { source, oid: gitPartOf(order.target)?.operation ?? undefined },
    );
    return changes.flatMap(({ path, before, after }) => {
      const state = (entry: typeof before): FileState | null =>
        entry === undefined
          ? null
          : { type: "file", oid: entry.oid, mode: entry.mode === "100755" ? 0o755 : 0o644 };
      return [{ area: "git" as const, path, before: state(before), target: state(after) }];
    });
  }

  #stateFolders(steps: readonly Omit<FileStep, "number">[]): FolderSteps {
    const root = rootFolder(this.#repository.gitDir);
    const staying = new Set(
      steps.filter((step) => step.target !== null).map((step) => parentOf(step.path)),
    );
    const emptied = new Set<BytePath>();
    for (const { path, target } of steps) {
      if (target !== null) continue;
      for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
        if (!staying.has(folder)) emptied.add(folder);
      }
    }
    return {
      area: "git",
      remove: [...emptied]
        .toSorted((left, right) => right.length - left.length)
        .map((folder) => [folder, 0o755] as const),
      make: [],
      parents: missingParents(
        root,
        steps.flatMap((step) => (step.target === null ? [] : [step.path])),
      ),
    };
  }

  /** The renames and links of files are on the disk only when their folders are. */
  async #syncFolders(files: readonly FileStep[]): Promise<void> {
    const root = rootFolder(this.#repository.workTree);
    const folders = [...new Set(files.map((step) => parentOf(step.path)))];
    await this.#forEach("syncing folders", folders, (folder) => {
      const path = onDisk(root, folder);
      if (statOf(path)?.isDirectory() === true) syncFolder(path);
    });
  }
}

function onlyArea(steps: RestoreSteps, area: "project" | "git"): RestoreSteps {
  return {
    files: steps.files.filter((step) => step.area === area),
    modes: steps.modes.filter((step) => step.area === area),
    folders: steps.folders.filter((folder) => folder.area === area),
  };
}

export function refPlanOf(intent: Intent) {
  return {
    head: intent.head,
    refs: intent.refs,
    message: `waymark: roll back to ${intent.target_id}`,
  };
}

/** Undoes what an intent record says was begun. Every step looks first, so it can be run again after a kill. */
export async function takeBackIntent(
  repository: Repository,
  reader: ObjectReader,
  intent: Intent,
  held: IndexLock | undefined,
  progress: Progress = SILENT,
): Promise<readonly ForeignSave[]> {
  const mover = gitMover(repository);
  let indexLock = held;
  try {
    if (indexLock?.isHeld() !== true) indexLock = await newIndexLock(repository, intent);
    const steps = decodeSteps(intent.steps);
    const staging = stagingOf(repository, intent);
    const work = { mover, staging };
    if (statOf(staging) === undefined && needsStaging(mover, steps)) {
      throw stagingGone(repository, intent, staging);
    }
    const refill = async (state: FileState, to: string): Promise<void> => {
      await stageBlob(reader, to, state);
      if (state.type === "file") syncFile(to);
    };
    const ofGit = await takeBackFiles({ ...work, steps: onlyArea(steps, "git") }, refill);
    const index = await takeBackIndex(repository, reader, intent, indexLock);
    removeDeadRefLocks(repository, refPlanOf(intent), new Date(intent.since));
    await moveRefsBack(repository, reader, refPlanOf(intent));
    const project = onlyArea(steps, "project");
    const files = await takeBackFiles({ ...work, steps: project }, refill, forEachWith(progress));
    await removeStaged(staging, forEachWith(progress));
    await refreshPresentIndex(repository, indexLock);
    return [...ofGit.map(inGitFolder), ...index, ...files];
  } catch (error) {
    // Nothing was begun here, and whoever holds git's index is done with it soon.
    if (held === undefined && error instanceof Failure && error.code === "locked") throw error;
    if (error instanceof Failure && error.code === "recovery_failed") throw error;
    throw new Failure(
      "recovery_failed",
      `the rollback could not be reverted: ${(error as Error).message}`,
      {
        hint: `${remedyOf(error)} \`waymark recover\`. Everything is in checkpoint ${intent.safety_id ?? ""}.`,
        cause: error,
      },
    );
  } finally {
    mover.close();
    indexLock?.release();
  }
}

/** To make it anew would hide that nobody knows where the files are that were moved away. */
function stagingGone(repository: Repository, intent: Intent, staging: string): Failure {
  return new Failure(
    "recovery_failed",
    `the rollback could not be reverted: the folder with the files that it moved away is missing: ${staging}`,
    {
      hint:
        `Put the folder back and run \`waymark recover\`. If it is lost: move ${intentPath(repository)} away, then roll back ` +
        `to ${intent.safety_id ?? "the latest pre_rollback checkpoint"}, which contains everything. The work tree was not changed.`,
    },
  );
}

/** Files of git are named from its folder. */
function inGitFolder(save: ForeignSave): ForeignSave {
  return { ...save, path: joinPath(asBytePath(".git"), save.path) };
}

function remedyOf(error: unknown): string {
  const failure = asFailure(error);
  const isFull = failure instanceof Failure && failure.code === "disk_full";
  return isFull ? "Free some disk space, then run" : "Run";
}

async function newIndexLock(repository: Repository, intent: Intent): Promise<IndexLock> {
  releaseLock(repository, intent.lock);
  const lock = new IndexLock(repository);
  // On record before it can stop anybody, as the first one was.
  writeIntent(repository, { ...intent, lock: lock.identity });
  await lock.take(BACK_WAIT_MS);
  return lock;
}

/** Only an index that is the one we put there is exchanged; another one is somebody's work, and named. */
async function takeBackIndex(
  repository: Repository,
  reader: ObjectReader,
  intent: Intent,
  lock: IndexLock,
): Promise<readonly ForeignSave[]> {
  if (!intent.changes_index) return [];
  const path = indexPath(repository);
  const aside = new IndexAside(repository, intent);
  if (!(await aside.isStillOurs(intent.new_index))) {
    return aside.isElsewhere() ? [{ path: asBytePath(".git/index"), keptAt: "its path" }] : [];
  }
  if (statOf(aside.before) !== undefined) {
    renameSync(aside.before, path);
    syncFolder(repository.gitDir);
  } else if (intent.safety_index !== null) {
    const content = await reader.readChecked(intent.safety_index, "blob");
    lock.replaceIndex(content, OLDER_THAN_ANY_NS);
  } else if (statOf(path) !== undefined) {
    rmSync(path);
  }
  return [];
}

/** Files that were moved away and back have another change time. */
async function refreshPresentIndex(repository: Repository, lock: IndexLock): Promise<void> {
  try {
    const { index, mtimeNs } = await readIndex(repository);
    if (index === undefined || !lock.isHeld()) return;
    const root = rootFolder(repository.workTree);
    const content = refreshIndex(index.bytes, repository.hash, mtimeNs, root);
    if (content !== undefined) lock.replaceIndex(content, mtimeNs);
  } catch {
    // Everything is back; without this only `git status` has more to read.
  }
}

/** After the end of a rollback, good or bad: the lock goes, what was moved away stays for a while. */
export function tidyUp(repository: Repository, intent: Intent): void {
  releaseLock(repository, intent.lock);
  keepAside(repository, intent);
  removeIntent(repository);
}
