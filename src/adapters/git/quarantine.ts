/**
 * Private folders in which objects are prepared. What a killed process left behind is found by its owner's identity
 * and swept by the next command.
 */
import { rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isCount, isText, listOf, recordWith } from "../../domain/json-shape.ts";
import { makeFolders } from "../files/make-folders.ts";
import { uniqueName, writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { statOf } from "../files/file-stat.ts";
import { isAbandoned, isLeftBehind } from "../files/left-behind.ts";
import { namesIn } from "../files/names-in.ts";
import { isAlive, isSame, ownIdentity, type ProcessIdentity } from "../files/process-identity.ts";
import { scratchFolder } from "../files/scratch-folder.ts";
import { readRegular } from "../files/regular-file.ts";
import { removeDeadPackedLock } from "./dead-packed-lock.ts";
import type { RefChange } from "./ref-transaction.ts";
import type { Repository } from "./repository.ts";
import { projectObjects } from "./store/store-place.ts";
import { takeBackRefs } from "./take-back-refs.ts";

interface Owner extends ProcessIdentity {
  /** Packs that this process published under the protection of a `.keep` file. */
  readonly keeps: readonly string[];
  /** Locks that its git may have left on the refs that it was about to write, and what it would have written. */
  readonly refLocks: readonly { readonly path: string; readonly oid: string }[];
  /** Several refs that are all changed or none; undefined values are left out, as JSON does. */
  readonly refChanges?: readonly RefChange[];
}

const OWNER_FILE = "owner.json";

const ownerProblem = recordWith({
  host: isText,
  boot: isText,
  pid: isCount,
  started: isText,
  keeps: listOf(isText),
  refLocks: listOf(recordWith({ path: isText, oid: isText })),
});

export class Quarantine {
  readonly #repository: Repository;
  readonly #isForLooking: boolean;
  #folder: string | undefined;
  #keeps: string[] = [];
  #refLocks: { path: string; oid: string }[] = [];
  #refChanges: readonly RefChange[] = [];

  /** `isForLooking`: nothing of it is published, so it may be somewhere else where the repository cannot be written. */
  constructor(repository: Repository, isForLooking = false) {
    // Its refs are those of the store.
    this.#repository = repository.store;
    this.#isForLooking = isForLooking;
  }

  get folder(): string | undefined {
    return this.#folder;
  }

  /** Made with the first use. */
  path(name: string): string {
    if (this.#folder === undefined) {
      const own = quarantineFolder(this.#repository);
      this.#folder = join(this.#isForLooking ? scratchFolder(own) : own, uniqueName());
      makeFolders(this.#folder, 0o700);
      this.#writeOwner();
    }
    return join(this.#folder, name);
  }

  /** Notes a `.keep` file before it is made, so that a sweep can remove it. */
  announceKeep(path: string): void {
    this.#keeps.push(path);
    this.#writeOwner();
  }

  /** Notes refs before git locks them. */
  announceRefs(changes: readonly RefChange[], { commonDir } = this.#repository): void {
    for (const { name, new: oid } of changes) {
      this.#refLocks.push({ path: join(commonDir, `${name}.lock`), oid: oid ?? "" });
    }
    this.#writeOwner();
  }

  /** Notes refs that are changed together, before they are: until `settle`, a sweep takes back what was done of it. */
  announceTransaction(changes: readonly RefChange[]): void {
    this.#refChanges = changes;
    this.announceRefs(changes);
  }

  /** The transaction is done, or did nothing. */
  settle(): void {
    this.#refChanges = [];
    this.#writeOwner();
  }

  /** After a failure: the git that held them is gone. */
  removeRefLocks(): void {
    removeLocksOf(this.#repository, this.path(OWNER_FILE), {
      refLocks: this.#refLocks,
      refChanges: this.#refChanges,
    });
  }

  /** After a failure: takes back what was done of the transaction. If that fails as well, a later command does it. */
  takeBack(): void {
    try {
      this.removeRefLocks();
      takeBackRefs(this.#repository, this.#refChanges);
      this.#refChanges = [];
    } catch {
      // The failure that led here is the one to tell. The record stays.
    }
  }

  /** Whatever cannot be removed now is swept by a later command, and so is a transaction that is still to be taken back. */
  discard(): void {
    if (this.#refChanges.length > 0) return;
    try {
      for (const keep of this.#keeps) rmSync(keep, { force: true });
      if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // The owner's record stays with it.
    }
    this.#folder = undefined;
    this.#keeps = [];
  }

  #writeOwner(): void {
    const owner: Owner = {
      ...ownIdentity(),
      keeps: this.#keeps,
      refLocks: this.#refLocks,
      refChanges: this.#refChanges,
    };
    writeDurably(this.path(OWNER_FILE), JSON.stringify(owner), false);
  }
}

/** Of processes that may be storing something, but for one's own. */
export function liveQuarantines(repository: Repository, own?: Quarantine): string[] {
  const dead = new Set(deadQuarantines(repository).map(({ path }) => path));
  const folder = quarantineFolder(repository);
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== own?.folder && !dead.has(path));
}

function quarantineFolder(repository: Repository): string {
  return join(repository.sharedDir, "quarantine");
}

/** Removes what processes that are no longer alive left behind. */
export function sweepQuarantine(
  { store: repository }: Repository,
  gone: readonly ProcessIdentity[] = [],
): void {
  for (const { path, owner } of deadQuarantines(repository, gone)) {
    if (owner !== "none") {
      removeLocksOf(repository, join(path, OWNER_FILE), owner);
      if (owner.refChanges !== undefined && owner.refChanges.length > 0) {
        takeBackRefs(repository, owner.refChanges);
      }
      for (const keep of owner.keeps) removeKeep(repository, keep);
    }
    rmSync(path, { recursive: true, force: true });
  }
  removeStrayKeeps(repository);
}

/** Whatever folder the record names: it may have come with a copied `.git`, or the repository was moved since. */
function removeKeep(repository: Repository, path: string): void {
  const name = basename(path);
  if (/^pack-\w+\.keep$/.test(name)) {
    rmSync(join(projectObjects(repository), "pack", name), { force: true });
  }
}

/** What our `.keep` files say. */
export const KEEP_MARK = "waymark\n";

/** A power cut may take the record and leave the `.keep` file, which came after it. */
function removeStrayKeeps(repository: Repository): void {
  const folder = join(projectObjects(repository), "pack");
  const names = namesIn(folder).filter((name) => name.endsWith(".keep"));
  if (names.length === 0) return;
  const announced = new Set(
    namesIn(quarantineFolder(repository))
      .map((name) => readOwner(join(quarantineFolder(repository), name, OWNER_FILE)))
      .flatMap((owner) => (owner === "none" ? [] : owner.keeps.map((path) => basename(path)))),
  );
  for (const name of names) {
    const path = join(folder, name);
    if (!announced.has(name) && contentOf(path) === KEEP_MARK) rmSync(path, { force: true });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readRegular(path, "latin1");
  } catch {
    return undefined;
  }
}

/** `gone`: processes that somebody knows to be gone. */
export function deadQuarantines(
  repository: Repository,
  gone: readonly ProcessIdentity[] = [],
): { readonly path: string; readonly owner: Owner | "none" }[] {
  const folder = quarantineFolder(repository);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const owner = readOwner(join(path, OWNER_FILE));
    const isGone = owner !== "none" && gone.some((one) => isSame(owner, one));
    return isGone || isDead(path, owner) ? [{ path, owner }] : [];
  });
}

function isDead(path: string, owner: Owner | "none"): boolean {
  if (owner !== "none") {
    const life = isAlive(owner);
    return life === "dead" || (life === "unknown" && isAbandoned(path));
  }
  // Killed while it made or removed the folder: then its name tells whose it was.
  const [, pid, tag] = /^(\d+)-([0-9a-f]{6})/.exec(basename(path)) ?? [];
  return tag === undefined ? isAbandoned(path) : isLeftBehind(path, Number(pid), tag);
}

/** Locks that came after the owner's record, which was written before git was started. */
function removeLocksOf(
  repository: Repository,
  record: string,
  { refLocks, refChanges = [] }: Pick<Owner, "refLocks" | "refChanges">,
): void {
  for (const lock of refLocks) if (isRefLock(repository, lock)) removeDeadLock(lock);
  // Deleting a ref locks the packed ones too, and so does taking back one that was made.
  const deletes =
    refLocks.some(({ oid }) => oid === "") || refChanges.some(({ old }) => old === undefined);
  const since = deletes ? statOf(record)?.mtime : undefined;
  if (since === undefined) return;
  for (const one of new Set([repository, repository.project])) removeDeadPackedLock(one, since);
}

/** The record may have come with a copied `.git`, and name any file. */
function isRefLock(
  { commonDir, project }: Repository,
  { path, oid }: Owner["refLocks"][number],
): boolean {
  const folders = [join(commonDir, "refs/"), join(project.commonDir, "refs/")];
  const isInRefs = path === resolve(path) && folders.some((folder) => path.startsWith(folder));
  return isInRefs && path.endsWith(".lock") && /^[0-9a-f]*$/.test(oid);
}

/** Only a lock that says what the dead process was writing, or nothing yet. */
function removeDeadLock(lock: { readonly path: string; readonly oid: string }): void {
  let content: string;
  try {
    content = readRegular(lock.path, "latin1").trim();
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if (content === "") removeOldEmpty(lock.path);
  // A part of it is what a write that was cut short left.
  else if (lock.oid.startsWith(content)) rmSync(lock.path, { force: true });
}

/** Git writes into a lock as soon as it has made it; one that stays empty belongs to nobody. */
const EMPTY_MS = 1000;

function removeOldEmpty(path: string): void {
  const stat = statOf(path);
  if (stat === undefined) return;
  const wait = EMPTY_MS - (Date.now() - stat.mtime.getTime());
  if (wait > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  const now = statOf(path);
  if (now?.ino === stat.ino && now.size === 0n) rmSync(path, { force: true });
}

function readOwner(path: string): Owner | "none" {
  try {
    const owner: unknown = JSON.parse(readRegular(path, "utf8"));
    return ownerProblem(owner) === undefined ? (owner as Owner) : "none";
  } catch {
    return "none";
  }
}
