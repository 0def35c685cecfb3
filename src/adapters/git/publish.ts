/**
 * Makes new objects part of the store and points refs at them: all of it, or nothing.
 *
 * The pack is indexed and read again by git in the quarantine and moved in, the refs are created in one transaction, and what they point at
 * is read back. In the project's own repository the pack has a `.keep` file until then: a `git gc --prune=now` of the user at any moment finds
 * it either kept or reachable.
 */
import { chmodSync, existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { asFailure } from "../../domain/system-error.ts";
import type { Progress } from "../../ports/progress.ts";
import { syncFile, syncFolder } from "../files/durable-write.ts";
import { giveBelow, readOnlyMode } from "../files/owner-and-mode.ts";
import { IN_PIECES, type Durability } from "./git-environment.ts";
import type { HeldRef } from "./capture-cache.ts";
import { objectId } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { PackSpool } from "./pack-spool.ts";
import { KEEP_MARK, type Quarantine } from "./quarantine.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { packFolder } from "./store/packs.ts";
import { isStore, storeFolder } from "./store/store-place.ts";
import type { RefChange } from "./ref-transaction.ts";
import { updateRefs } from "./update-refs.ts";
import { keepWorkTreeId } from "./work-tree-id.ts";

export interface Publication {
  readonly spool: PackSpool;
  readonly quarantine: Quarantine;
  /** The commit to write; its objects are in the spool, in HEAD, or held by `reliesOn`. */
  readonly commit: Buffer;
  readonly ref: string;
  /** Undefined: the ref must not exist yet. */
  readonly expected: string | undefined;
  /** A second commit with a new ref of its own: both refs are created, or none. */
  readonly beside?: { readonly ref: string; readonly commit: Buffer } | undefined;
  /** Others move the ref on: by the time that it is read back it may be theirs. */
  readonly movesOn?: boolean;
  /** Refs that hold further objects: they must still be there after the new one was created. */
  readonly reliesOn: readonly HeldRef[];
  /**
   * Whether commits of the user that it relies on are safe from being pruned. Asked before the ref is there, so that nobody's git meets one
   * that is broken, and after that.
   */
  readonly isSafe?: () => Promise<boolean>;
  /** Objects that git reads with other content than they should have. */
  readonly misread?: ReadonlySet<string>;
  readonly durability: Durability;
  readonly progress?: Progress | undefined;
}

/** The commit's id. Undefined when the ref was not as expected; nothing is visible then. */
export async function publish(
  { store: repository }: Repository,
  reader: ObjectReader,
  publication: Publication,
): Promise<string | undefined> {
  const { spool, quarantine, durability, beside } = publication;
  const isSafe = publication.isSafe ?? (() => Promise.resolve(true));
  if (!isStore(repository)) throw noStore(repository);
  let made: readonly RefChange[] = [];
  const sync = durability === "safe";
  const oid = objectId(repository.hash, "commit", publication.commit);
  try {
    refuseMisread(publication);
    // Before anything is stored, too: what is stored for nothing stays until git collects garbage.
    if (!(await isSafe())) return undefined;
    spool.add(oid, "commit", publication.commit);
    const changes: RefChange[] = [{ name: publication.ref, old: publication.expected, new: oid }];
    if (beside !== undefined) {
      const other = objectId(repository.hash, "commit", beside.commit);
      spool.add(other, "commit", beside.commit);
      changes.push({ name: beside.ref, old: undefined, new: other });
    }
    await storePack(repository, spool, quarantine, durability, publication.progress);
    if (!(await isSafe())) return undefined;
    // Until `settle` the two are on record: of a process that is killed half way, both go.
    if (beside === undefined) quarantine.announceRefs(changes);
    else quarantine.announceTransaction(changes);
    if (!(await updateRefs(repository, changes, { durability }))) {
      if (beside !== undefined) quarantine.settle();
      return undefined;
    }
    made = changes;
    if (sync) for (const { name } of changes) syncRef(repository, name);
    await readBack(reader, publication, oid);
    if (beside !== undefined) await readSame(reader, beside.ref, beside.commit);
    const isWhole = (await areStillThere(reader, publication.reliesOn)) && (await isSafe());
    if (!isWhole) await withdraw(repository, changes);
    if (beside !== undefined) quarantine.settle();
    return isWhole ? oid : undefined;
  } catch (error) {
    // What is reported as a failure must not be there. A second failure would hide the first.
    quarantine.takeBack();
    await withdraw(repository, made).catch(() => undefined);
    throw asFailure(error, "storing the checkpoint");
  } finally {
    spool.close();
    quarantine.discard();
  }
}

/** Moves what is in the spool into the repository. Until the quarantine is discarded no `git gc` takes it. Answers with the pack's hash. */
export async function storePack(
  repository: Repository,
  spool: PackSpool,
  quarantine: Quarantine,
  durability: Durability,
  progress?: Progress,
): Promise<string> {
  const sync = durability === "safe";
  const pack = spool.finish(sync);
  const { stdout } = await runGit(
    repository,
    [
      ...IN_PIECES,
      "-c",
      "pack.writeReverseIndex=false",
      "index-pack",
      ...(progress === undefined ? [] : ["-v"]),
      pack,
    ],
    // On its own: git would compare each object with the one that is here, which may be damaged, and give up.
    { durability, env: { GIT_OBJECT_DIRECTORY: dirname(pack) }, progress },
  );
  const hash = stdout.toString("latin1").trim();
  moveIn(repository, quarantine, pack, hash, sync);
  return hash;
}

/** Moves a pack that git has indexed into the repository, under a `.keep` file until the quarantine is discarded. */
export function moveIn(
  repository: Repository,
  quarantine: Quarantine,
  pack: string,
  hash: string,
  sync: boolean,
): void {
  if (!/^[0-9a-f]{40,64}$/.test(hash)) throw new Error(`git index-pack said "${hash}"`);
  // Whatever is in the pack may have it.
  keepWorkTreeId(repository, sync);
  const folder = packFolder(repository);
  const name = join(folder, `pack-${hash}`);
  if (!isStore(repository)) {
    quarantine.announceKeep(`${name}.keep`);
    writeFileSync(`${name}.keep`, KEEP_MARK, { mode: 0o444 });
    // After a power cut nobody could tell whose an empty one is.
    if (sync) syncFile(`${name}.keep`);
  }
  const index = pack.replace(/\.pack$/, ".idx");
  // In the project, whoever may read it meets objects that are only in here; the store has secrets.
  const mode = isStore(repository) ? readOnlyMode(folder) : statSync(index).mode & 0o777;
  for (const path of [pack, index]) {
    chmodSync(path, mode);
    giveBelow(path, folder);
  }
  renameSync(pack, `${name}.pack`);
  // Git takes a pack for complete when its index is there, so that goes last.
  renameSync(index, `${name}.idx`);
  if (sync) syncFolder(folder);
}

/** The repository of the user never gets checkpoints. */
function noStore({ sharedDir }: Repository): Failure {
  return new Failure("no_permission", `${storeFolder({ sharedDir })} could not be created`, {
    hint: "Make the git folder writable for your user and run the command again; nothing was changed.",
  });
}

/** Git syncs the ref's file, not the folder that it was renamed into. */
export function syncRef(repository: Repository, ref: string): void {
  const reftable = join(repository.commonDir, "reftable");
  if (existsSync(reftable)) {
    syncFolder(reftable);
    return;
  }
  let folder = dirname(join(repository.commonDir, ref));
  while (folder.length >= join(repository.commonDir, "refs").length) {
    if (existsSync(folder)) syncFolder(folder);
    folder = dirname(folder);
  }
}

/**
 * Looked at after the new ref exists: a ref that is there now was there all the time, so what it holds was never free
 * to be pruned. (Git could check it within the transaction, but would lock it, and a killed git leaves locks behind.)
 */
async function areStillThere(
  reader: ObjectReader,
  refs: Publication["reliesOn"],
): Promise<boolean> {
  for (const { name, oid } of refs) if ((await reader.read(name))?.oid !== oid) return false;
  return true;
}

async function readBack(
  reader: ObjectReader,
  publication: Publication,
  oid: string,
): Promise<void> {
  const name = publication.movesOn === true ? oid : publication.ref;
  await readSame(reader, name, publication.commit, publication.ref);
}

async function readSame(
  reader: ObjectReader,
  name: string,
  written: Buffer,
  ref = name,
): Promise<void> {
  const commit = await reader.read(name);
  if (commit?.type === "commit" && commit.content.equals(written)) return;
  throw new Failure("git_failed", `${ref} differs from what was written`, {
    hint: "Run `git fsck`: the disk or another program changed what was written. Then run the command again.",
  });
}

/** What git cannot read it looks for in other packs. What it reads wrong hides a new copy, sooner or later. */
function refuseMisread({ misread, spool }: Publication): void {
  const object = [...(misread ?? [])].find((oid) => spool.has(oid));
  if (object === undefined) return;
  throw new Failure(
    "git_failed",
    `the object ${object} is damaged in a way that git does not notice, so a new copy would not help`,
    {
      hint: "`git fsck` and `git verify-pack` name the damaged pack. Move it out of .git/objects/pack, run `git unpack-objects -r` on it, then run the command again. No checkpoint was created; nothing was changed.",
      details: { object },
    },
  );
}

/** Takes refs back that turned out to point at something incomplete. */
async function withdraw(repository: Repository, changes: readonly RefChange[]): Promise<void> {
  const back = changes.map((change) => ({ ...change, old: change.new, new: change.old }));
  if (back.length > 0) await updateRefs(repository, back, {});
}
