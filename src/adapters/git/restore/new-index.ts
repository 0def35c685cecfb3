/** The index file that a rollback puts into place. */
import { writeFileSync, readFileSync } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { gitPartOf } from "../../../domain/checkpoint.ts";
import type { RestoreOrder } from "../../../ports/restorer.ts";
import { isForeign } from "../foreign-marks.ts";
import { IndexFile } from "../index-file.ts";
import { readIndex, withIndexCopy } from "../index-snapshot.ts";
import { nullId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { portableIndex } from "../portable-index.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { entryMode } from "../tree-builder.ts";
import { mixedIndex } from "./mixed-index.ts";

export type NewIndex =
  | { readonly kind: "keep" }
  | { readonly kind: "remove" }
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
  if (
    order.target.worktree_id !== repository.worktreeId ||
    isForeign(repository, order.target.id)
  ) {
    return { kind: "replace", content: portableIndex(raw, repository.hash), mtimeNs: undefined };
  }
  return { kind: "replace", content: raw, mtimeNs: BigInt(part.index_mtime_ns ?? "0") };
}

/** The index of now, with the entries of some paths as the checkpoint had them. Git itself mixes one with folders in place of files. */
async function replaceSome(
  repository: Repository,
  raw: Buffer | undefined,
  inScope: (path: BytePath) => boolean,
): Promise<NewIndex> {
  const { index: now, mtimeNs } = await readIndex(repository);
  if (now === undefined) return { kind: "keep" };
  const then = raw === undefined ? undefined : new IndexFile(raw, repository.hash);
  if (!now.isSparse && then?.isSparse !== true) {
    const { hash } = repository;
    const mixed = mixedIndex({ now, nowMtimeNs: mtimeNs, earlier: then, inScope, hash });
    // The user chose the short form of names.
    const args = ["update-index", "--index-version", "4"];
    const content = now.version === 4 ? await rewritten(repository, mixed, args) : mixed;
    return { kind: "replace", content, mtimeNs: undefined };
  }
  const lines: string[] = [];
  const present = new Set<BytePath>();
  for (let entry = 0; entry < now.length; entry++) {
    const path = now.path(entry);
    if (inScope(path)) present.add(path);
  }
  for (const path of present) lines.push(`0 ${nullId(repository.hash)}\t${path}`);
  for (let entry = 0; entry < (then?.length ?? 0); entry++) {
    if (then === undefined) break;
    const path = then.path(entry);
    if (!inScope(path) || then.isIntentToAdd(entry)) continue;
    const mode = entryMode(then.mode(entry));
    lines.push(`${mode} ${then.oid(entry)} ${then.stage(entry)}\t${path}`);
  }
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
  const args = ["update-index", "-z", "--index-info"];
  const content = await rewritten(repository, now.bytes, args, input);
  // With the old time git still looks twice at files that are as young as the old index was; new entries have no stat data.
  return { kind: "replace", content, mtimeNs };
}

/** What git makes of an index. */
async function rewritten(
  repository: Repository,
  bytes: Buffer,
  args: readonly string[],
  input?: Buffer,
): Promise<Buffer> {
  return await withIndexCopy(repository, async (copy) => {
    writeFileSync(copy, bytes);
    await runGit(repository, args, {
      env: { GIT_INDEX_FILE: copy },
      ...(input === undefined ? {} : { input }),
    });
    return readFileSync(copy);
  });
}
