/**
 * Makes new objects part of the repository and points refs at them: all of it, or nothing.
 *
 * The pack is indexed and read again by git in the quarantine, moved in under a `.keep` file, the refs are created
 * in one transaction, what they point at is read back, and only then the `.keep` file goes. A `git gc --prune=now` at
 * any moment finds the pack either kept or reachable.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { syncFolder } from "../files/durable-write.ts";
import { translateErrors } from "../files/errors.ts";
import type { Durability } from "./git-environment.ts";
import { objectId } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { PackSpool } from "./pack-spool.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { updateRefs, type RefChange } from "./update-refs.ts";

export interface Publication {
  readonly spool: PackSpool;
  readonly quarantine: Quarantine;
  /** The commit to write; its tree is in the spool, in HEAD, or in the checkpoint named by `verify`. */
  readonly commit: Buffer;
  readonly ref: string;
  /** Undefined: the ref must not exist yet. */
  readonly expected: string | undefined;
  /** Refs that must still have these values when the new ref is created. */
  readonly verify: readonly { readonly name: string; readonly oid: string }[];
  readonly durability: Durability;
}

/** The id of the new commit, or undefined when the ref was not as expected (nothing is visible then). */
export async function publish(
  repository: Repository,
  reader: ObjectReader,
  publication: Publication,
): Promise<string | undefined> {
  const { spool, quarantine, durability } = publication;
  const sync = durability === "safe";
  const oid = objectId(repository.hash, "commit", publication.commit);
  try {
    spool.add(oid, "commit", publication.commit);
    const pack = spool.finish(sync);
    const { stdout } = await runGit(
      repository,
      ["-c", "pack.writeReverseIndex=false", "index-pack", pack],
      { durability },
    );
    moveIn(repository, quarantine, pack, stdout.toString("latin1").trim(), sync);
    const change: RefChange = { name: publication.ref, old: publication.expected, new: oid };
    const done = await updateRefs(repository, [change], {
      verify: publication.verify,
      durability,
    });
    if (!done) return undefined;
    if (sync) syncRef(repository, publication.ref);
    await readBack(reader, publication, oid);
    return oid;
  } catch (error) {
    throw translateErrors(error, "storing the checkpoint");
  } finally {
    spool.close();
    quarantine.discard();
  }
}

function moveIn(
  repository: Repository,
  quarantine: Quarantine,
  pack: string,
  hash: string,
  sync: boolean,
): void {
  if (!/^[0-9a-f]{40,64}$/.test(hash)) throw new Error(`git index-pack said "${hash}"`);
  const folder = join(repository.commonDir, "objects", "pack");
  const name = join(folder, `pack-${hash}`);
  quarantine.announceKeep(`${name}.keep`);
  writeFileSync(`${name}.keep`, "waymark\n", { mode: 0o444 });
  renameSync(pack, `${name}.pack`);
  // Git takes a pack for complete when its index is there, so that goes last.
  renameSync(pack.replace(/\.pack$/, ".idx"), `${name}.idx`);
  if (sync) syncFolder(folder);
}

/** Git syncs the ref's file, not the folder that it was renamed into. */
function syncRef(repository: Repository, ref: string): void {
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

async function readBack(
  reader: ObjectReader,
  publication: Publication,
  oid: string,
): Promise<void> {
  const commit = await reader.read(publication.ref);
  if (commit?.oid !== oid || !commit.content.equals(publication.commit)) {
    throw new Failure("git_failed", `${publication.ref} does not read back as it was written`);
  }
}

/** Deletes a ref that turned out to point at something incomplete. */
export async function withdraw(repository: Repository, ref: string, oid: string): Promise<void> {
  await updateRefs(repository, [{ name: ref, old: oid, new: undefined }], {});
}
