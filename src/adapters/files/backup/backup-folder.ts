/**
 * Where the copies are: `.checkpoints/<id>/files/<path>` and `.checkpoints/<id>/outside/<absolute path>`, for the user alone. They
 * come there by one rename and go by one, so that a folder with a checkpoint's id is whole.
 */
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { isCheckpointId } from "../../../domain/checkpoint-id.ts";
import { Failure } from "../../../domain/failure.ts";
import { isOutside } from "../../../domain/file-backup.ts";
import { AnchoredFolder } from "../anchored-folder.ts";
import { rootFolder } from "../byte-names.ts";
import { syncFolder, uniqueName } from "../durable-write.ts";
import { statOf } from "../file-stat.ts";
import { namesIn } from "../names-in.ts";
import { OWN_FOLDER } from "../own-folder-name.ts";

const PRIVATE = 0o700;
const MANIFEST = "manifest.json";

/** Work trees that share the checkpoints. */
export interface OtherRoots {
  /** Also those that may be somebody else's by now. */
  readonly toRead: () => readonly string[];
  readonly toDelete: () => readonly string[];
}

export class BackupFolder {
  readonly #root: string;
  readonly #exclude: () => void;
  readonly #otherRoots: OtherRoots;

  /** `exclude` keeps Waymark's own folder out of git. */
  constructor(root: string, exclude: () => void, otherRoots: OtherRoots) {
    this.#root = root;
    this.#exclude = exclude;
    this.#otherRoots = otherRoots;
  }

  /** A new folder for copies, with a name that a sweep knows as one of this process. */
  begin(): Draft {
    const name = asBytePath(`${OWN_FOLDER}/tmp/tmp-${uniqueName()}`);
    this.#make(`${name}/files`);
    this.#make(`${name}/outside`);
    return new Draft(this.#root, name);
  }

  /** A folder for the files of a restore. */
  staging(name: string): string {
    this.#make(`${OWN_FOLDER}/restore`);
    return join(this.#root, OWN_FOLDER, "restore", name);
  }

  stagings(): string[] {
    const folder = join(this.#root, OWN_FOLDER, "restore");
    return namesIn(folder).map((name) => join(folder, name));
  }

  /** The copies of one checkpoint; they are in the work tree where it was taken. */
  open(checkpointId: string): Copies {
    const name = nameFor(checkpointId);
    const isHere = (root: string): boolean => statOf(join(root, name)) !== undefined;
    const root = isHere(this.#root) ? this.#root : this.#otherRoots.toRead().find(isHere);
    return new Copies(root ?? this.#root, name);
  }

  keep(draft: Draft, checkpointId: string): void {
    const name = nameFor(checkpointId);
    if (statOf(join(this.#root, name)) !== undefined) {
      throw new Failure("already_exists", `${name} already exists`, {
        hint: "Move it away and run the command again. No checkpoint was created.",
      });
    }
    draft.moveTo(name);
  }

  discard(checkpointId: string): void {
    // Such a checkpoint has no copies.
    if (!isBackupName(checkpointId)) return;
    for (const root of [this.#root, ...this.#otherRoots.toDelete()]) {
      const place = join(root, nameFor(checkpointId));
      // A link in its place goes, and not what it leads to.
      if (isOwn(root) && statOf(place) !== undefined) removeCopies(root, place);
    }
  }

  /** Ids of folders with copies whose checkpoints are not among these and that were there before that time. */
  orphans(
    existing: ReadonlySet<string>,
    before: Date,
    isOtherStore: (name: string) => boolean,
  ): string[] {
    const roots = [this.#root, ...this.#otherRoots.toDelete()].filter(isOwn);
    const found = roots.flatMap((root) => {
      const own = join(root, OWN_FOLDER);
      const names = namesIn(own);
      // They may belong to a checkpoint in there.
      if (names.some(isOtherStore)) return [];
      return names.filter(
        (name) =>
          isBackupName(name) &&
          !existing.has(name) &&
          statOf(join(own, name, MANIFEST))?.isFile() === true &&
          isOlder(join(own, name), before),
      );
    });
    return [...new Set(found)];
  }

  #make(path: string): void {
    this.#exclude();
    makePrivate(this.#root, path);
  }
}

function makePrivate(root: string, path: string): void {
  if (statOf(join(root, OWN_FOLDER))?.isSymbolicLink() === true) throw isLink();
  const folder = new AnchoredFolder(rootFolder(root), PRIVATE);
  try {
    folder.makeParents(asBytePath(`${path}/x`));
  } finally {
    folder.forget();
  }
}

function isLink(): Failure {
  return new Failure("obstructed", `${OWN_FOLDER} is a symbolic link: files are not copied there`, {
    hint: `If it came with the repository: \`git rm --cached ${OWN_FOLDER} && rm ${OWN_FOLDER}\`, then run the command again.`,
  });
}

/** False when somebody put a link in the place of our folder: then nothing in there is ours. */
function isOwn(root: string): boolean {
  return statOf(join(root, OWN_FOLDER))?.isDirectory() === true;
}

/** Both times count: copies that somebody brought from elsewhere may be old, and have just come. */
function isOlder(folder: string, before: Date): boolean {
  const stat = statOf(folder);
  if (stat?.isDirectory() !== true) return false;
  const newest = stat.mtimeNs > stat.ctimeNs ? stat.mtimeNs : stat.ctimeNs;
  return newest < BigInt(before.getTime()) * 1_000_000n;
}

/** By renaming first: what is half removed has no checkpoint's id any more. */
function removeCopies(root: string, place: string): void {
  makePrivate(root, `${OWN_FOLDER}/tmp`);
  const gone = join(root, OWN_FOLDER, "tmp", `tmp-${uniqueName()}`);
  renameSync(place, gone);
  rmSync(gone, { recursive: true, force: true });
}

/** The copies of a checkpoint, or those on the way to become one. */
export class Copies {
  /** The work tree that they are in. */
  readonly root: string;
  protected name: string;
  readonly #anchor: AnchoredFolder;

  constructor(root: string, name: string) {
    this.root = root;
    this.name = name;
    this.#anchor = new AnchoredFolder(rootFolder(root), PRIVATE);
  }

  /** Where the copy of a path is; undefined when its folder is not there. */
  at(path: BytePath): Buffer | undefined {
    return this.#anchor.at(this.#pathOf(path));
  }

  /** From the root of the project. */
  pathOf(path: BytePath): BytePath {
    return this.#pathOf(path);
  }

  manifest(): Buffer | undefined {
    return this.#anchor.at(asBytePath(`${this.name}/${MANIFEST}`));
  }

  makeParents(path: BytePath): void {
    this.#anchor.makeParents(this.#pathOf(path));
  }

  close(): void {
    this.#anchor.forget();
  }

  #pathOf(path: BytePath): BytePath {
    return asBytePath(`${this.name}/${isOutside(path) ? "outside" : "files/"}${path}`);
  }
}

export class Draft extends Copies {
  #isKept = false;

  get folder(): string {
    return join(this.root, this.name);
  }

  moveTo(name: string): void {
    this.close();
    syncFolders(Buffer.from(this.folder));
    const place = join(this.root, name);
    renameSync(this.folder, place);
    this.#isKept = true;
    syncFolder(join(this.root, OWN_FOLDER));
  }

  discard(): void {
    this.close();
    if (!this.#isKept) rmSync(this.folder, { recursive: true, force: true });
  }
}

function nameFor(checkpointId: string): string {
  if (isBackupName(checkpointId)) return `${OWN_FOLDER}/${checkpointId}`;
  throw new Failure("checkpoint_damaged", `${checkpointId} is not a checkpoint id`, {
    hint: "It was not created by Waymark. Nothing was changed.",
  });
}

/** Other folders in there, such as `exports`, would pass for ids as well. */
function isBackupName(name: string): boolean {
  return isCheckpointId(name) && name.startsWith("cp-");
}

function syncFolders(folder: Buffer): void {
  const slash = Buffer.from("/");
  for (const entry of readdirSync(folder, { encoding: "buffer", withFileTypes: true })) {
    if (entry.isDirectory()) syncFolders(Buffer.concat([folder, slash, entry.name]));
  }
  syncFolder(folder);
}
