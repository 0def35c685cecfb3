/** The index file that a rollback puts into place. */
import { writeFileSync, readFileSync } from "node:fs";
import { ROOT, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { gitPartOf } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import type { RestoreOrder } from "../../../ports/restorer.ts";
import { badAmong, isPartialClone } from "../capture/trusted-objects.ts";
import { findEntry } from "../find-entry.ts";
import { isForeign } from "../foreign-marks.ts";
import { isMadeHere } from "../made-here.ts";
import { IndexFile } from "../index-file.ts";
import { FLAGS_AS_THEY_ARE, readIndex, withIndexCopy } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import { portableIndex } from "../portable-index.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { TreeSource } from "../tree-source.ts";
import { mixedIndex } from "./mixed-index.ts";

export type NewIndex =
  | { readonly kind: "keep" }
  | { readonly kind: "remove" }
  /** Without a time of its own it gets that of the beginning of the rollback. */
  | { readonly kind: "replace"; readonly content: Buffer; readonly mtimeNs: bigint | undefined };

export async function newIndex(
  repository: Repository,
  reader: ObjectReader,
  order: RestoreOrder,
): Promise<NewIndex> {
  const part = gitPartOf(order.target);
  if (part === undefined || order.index.kind === "none") return { kind: "keep" };
  const raw =
    part.index_raw === null ? undefined : await reader.readChecked(part.index_raw, "blob");
  if (order.index.kind === "some") {
    return replaceSome(repository, raw, order.index.covers);
  }
  if (raw === undefined) return { kind: "remove" };
  // Without its mark it is made portable too: that only costs git a look at every file.
  const isFromHere =
    order.target.worktree_id === repository.worktreeId &&
    !isForeign(repository, order.target.id) &&
    isMadeHere(repository, order.target);
  if (!isFromHere) {
    return { kind: "replace", content: portableIndex(raw, repository.hash), mtimeNs: undefined };
  }
  const { index_mtime_ns: written } = part;
  return { kind: "replace", content: raw, mtimeNs: written === null ? undefined : BigInt(written) };
}

/**
 * Without the content of what is staged no checkpoint could be made any more, and so the rollback could not be undone. What the present index
 * has was looked at by the checkpoint before the rollback, and `read` were read for it. What is committed need not be there.
 */
export async function refuseLostEntries(
  repository: Repository,
  reader: ObjectReader,
  order: RestoreOrder,
  content: Buffer,
  read: ReadonlySet<string>,
): Promise<void> {
  if (isPartialClone(repository.store)) return;
  const { index: present } = await readIndex(repository);
  const known = new Set(read);
  for (let entry = 0; entry < (present?.length ?? 0); entry++) {
    known.add(present?.oid(entry) ?? "");
  }
  const index = new IndexFile(content, repository.hash);
  const pathOf = new Map<string, BytePath>();
  for (let entry = 0; entry < index.length; entry++) {
    const isFile = FILE_MODES.has(index.mode(entry));
    const isStaged = isFile && !index.isIntentToAdd(entry) && !known.has(index.oid(entry));
    if (isStaged) pathOf.set(index.oid(entry), index.path(entry));
  }
  if (pathOf.size === 0) return;
  const { commit } = order.head === null ? order.before.git : order.target.git;
  for (const lost of await badAmong(repository.store, reader, [...pathOf.keys()])) {
    const path = pathOf.get(lost) ?? ROOT;
    const head = commit === null ? undefined : await reader.read(`${commit}^{tree}`);
    const source = new TreeSource(repository, reader);
    if (head !== undefined && (await findEntry(source, head.oid, path))?.oid === lost) continue;
    throw new Failure(
      "checkpoint_damaged",
      `the blob ${lost}, which it has staged for ${showPath(path)}, is missing or damaged`,
      {
        hint: "`waymark rebuild` may repair the checkpoint. Nothing was changed.",
        details: { object: lost },
      },
    );
  }
}

const FILE_MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000]);

/** The index of now, with the entries of some paths as the checkpoint had them. */
async function replaceSome(
  repository: Repository,
  raw: Buffer | undefined,
  inScope: (path: BytePath) => boolean,
): Promise<NewIndex> {
  const { index: now, mtimeNs } = await readIndex(repository);
  if (now === undefined) return { kind: "keep" };
  const { hash } = repository;
  const then = raw === undefined ? undefined : new IndexFile(raw, hash);
  const mixed = mixedIndex({
    now: { index: now, withFilesOnly: await withFilesOnly(repository, now) },
    nowMtimeNs: mtimeNs,
    earlier: then && { index: then, withFilesOnly: await withFilesOnly(repository, then) },
    inScope,
    hash,
  });
  return { kind: "replace", content: await inFormOf(repository, now, mixed), mtimeNs: undefined };
}

/** Git puts files in the place of the folders that a sparse index has: some of them may be in scope, and others not. */
export async function withFilesOnly(repository: Repository, index: IndexFile): Promise<IndexFile> {
  if (!index.isSparse) return index;
  const args = ["-c", "index.sparse=false", "update-index", "--force-write-index"];
  return new IndexFile(await rewritten(repository, index.bytes, args), repository.hash);
}

/** The user chose the short form of names. */
async function inFormOf(repository: Repository, now: IndexFile, mixed: Buffer): Promise<Buffer> {
  if (now.version !== 4) return mixed;
  return await rewritten(repository, mixed, ["update-index", "--index-version", "4"]);
}

/** What git makes of an index. */
async function rewritten(
  repository: Repository,
  bytes: Buffer,
  args: readonly string[],
): Promise<Buffer> {
  return await withIndexCopy(repository, async (copy) => {
    writeFileSync(copy, bytes);
    await runGit(repository, [...FLAGS_AS_THEY_ARE, ...args], { env: { GIT_INDEX_FILE: copy } });
    return readFileSync(copy);
  });
}
