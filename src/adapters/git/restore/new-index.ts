/** The index file that a rollback puts into place. */
import { writeFileSync, readFileSync } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { gitPartOf } from "../../../domain/checkpoint.ts";
import type { RestoreOrder } from "../../../ports/restorer.ts";
import { isForeign } from "../foreign-marks.ts";
import { isMadeHere } from "../made-here.ts";
import { IndexFile } from "../index-file.ts";
import { FLAGS_AS_THEY_ARE, readIndex, withIndexCopy } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import { portableIndex } from "../portable-index.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
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
