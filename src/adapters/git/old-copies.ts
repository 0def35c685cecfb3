/**
 * Copied files of checkpoints of earlier versions: plain copies in `.checkpoints/<id>/files/<path>` and `.checkpoints/<id>/outside/<absolute path>`. They
 * become the local half of their checkpoint. Each copy is compared with the manifest of the checkpoint first, and goes only when the ref is
 * there: whoever is killed in between has both, and the next one finishes.
 */
import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asBytePath, showPath, type BytePath } from "../../domain/byte-path.ts";
import { extraPartsOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { readDocument } from "../../domain/document-text.ts";
import { Failure } from "../../domain/failure.ts";
import {
  decodeManifest,
  entryOf,
  isOutside,
  MANIFEST_ENTRY,
  type BackupEntry,
} from "../../domain/file-backup.ts";
import type { FilePart } from "../../domain/parts.ts";
import { AnchoredFolder } from "../files/anchored-folder.ts";
import { digestOf } from "../files/backup/read-manifest.ts";
import { rootFolder } from "../files/byte-names.ts";
import { errorCode, isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { OWN_FOLDER } from "../files/own-folder-name.ts";
import { readStable } from "../files/stable-read.ts";
import { CheckpointEntries } from "./checkpoint-entries.ts";
import { readCheckpointRefs } from "./checkpoint-refs.ts";
import { messageOf } from "./commit-object.ts";
import { foldsCase } from "./folds-case.ts";
import { localCommit, localHalfHere } from "./local-half.ts";
import { objectId } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import { PackSpool } from "./pack-spool.ts";
import { PartShelf } from "./part-shelf.ts";
import { publish } from "./publish.ts";
import { Quarantine } from "./quarantine.ts";
import { localRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "./sha256.ts";
import { TreeBuilder, type Leaf } from "./tree-builder.ts";
import { decodeTree } from "./tree-object.ts";
import { otherWorkTrees, recordedWorkTrees } from "./work-tree-roots.ts";

export interface TakenCopies {
  /** Checkpoints whose copies are in their local half by now. */
  readonly taken: readonly string[];
  /** Copies that stay where they are. */
  readonly left: readonly { readonly id: string; readonly problem: string }[];
}

/** Of this work tree and of those that share its checkpoints. */
export async function takeInCopies(
  repository: Repository,
  reader: ObjectReader,
): Promise<TakenCopies> {
  const taken: string[] = [];
  const left: { id: string; problem: string }[] = [];
  const found = foldersWithCopies(repository);
  if (found.size === 0) return { taken, left };
  const { present, trash } = await readCheckpointRefs(repository);
  for (const [id, roots] of found) {
    try {
      const commit = present.get(id) ?? trash.get(id);
      if (commit === undefined) throw damaged("its checkpoint no longer exists");
      const document = await documentOf(reader, id, commit);
      const { files } = await localHalfHere(repository, reader, id);
      if (files === undefined) await takeIn(repository, reader, document, commit, roots);
      removeCopies(repository, id, roots);
      taken.push(id);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      left.push({ id, problem: error.message });
    }
  }
  return { taken, left };
}

/** Work trees by the id of the checkpoint. A link in the place of our folder leads to nothing of ours. */
function foldersWithCopies(repository: Repository): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const root of [repository.workTree, ...recordedWorkTrees(repository)]) {
    const own = join(root, OWN_FOLDER);
    if (!isFolder(own)) continue;
    for (const id of namesIn(own)) {
      const isOne = isCheckpointId(id) && id.startsWith("cp-") && isFolder(join(own, id));
      if (isOne) found.set(id, [...(found.get(id) ?? []), root]);
    }
  }
  return found;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function documentOf(
  reader: ObjectReader,
  id: string,
  commit: string,
): Promise<CheckpointDocument> {
  const text = messageOf(await reader.readChecked(commit, "commit"));
  const read = readDocument(text, id, sha256);
  if (read.kind === "ok") return read.document;
  throw damaged(read.kind === "damaged" ? read.problem : "a newer Waymark wrote its checkpoint");
}

async function takeIn(
  repository: Repository,
  reader: ObjectReader,
  document: CheckpointDocument,
  commit: string,
  roots: readonly string[],
): Promise<void> {
  const { hash } = repository;
  const quarantine = new Quarantine(repository);
  const spool = new PackSpool(() => quarantine.path("copies.pack"), hash);
  const shelf = await PartShelf.begin(repository, reader);
  try {
    const leaves = new Map<BytePath, Leaf>();
    for (const entry of await entriesOf(repository, reader, document, commit)) {
      if (entry.type === "folder") continue;
      const name = asBytePath(entryOf(entry.path));
      leaves.set(name, await leafOf(shelf, document.id, entry, roots));
    }
    const builder = new TreeBuilder(undefined, hash);
    const tree = builder.treeOf(leaves);
    const [files] = decodeTree(builder.made.get(tree) ?? Buffer.alloc(0), hash);
    const half = { tree, entries: files === undefined ? {} : { files: files.oid } };
    const content = localCommit(document, half);
    if (files === undefined || content === undefined) return;
    spool.absorb(shelf.spool, () => false);
    for (const [oid, bytes] of builder.made) spool.add(oid, "tree", bytes);
    const published = await publish(repository, reader, {
      spool,
      quarantine,
      commit: content,
      ref: localRef(document.id),
      expected: undefined,
      reliesOn: [...shelf.reliesOn],
      durability: "safe",
    });
    if (published === undefined) throw damaged("another process is at it");
  } finally {
    shelf.discard();
    spool.close();
    quarantine.discard();
  }
}

async function entriesOf(
  repository: Repository,
  reader: ObjectReader,
  document: CheckpointDocument,
  commit: string,
): Promise<readonly BackupEntry[]> {
  const part = extraPartsOf(document).find((one): one is FilePart => one.type === "file_backup");
  if (part === undefined) throw damaged("its checkpoint has no copied files");
  const text = await new CheckpointEntries(repository, reader).readFrom(commit, MANIFEST_ENTRY);
  if (digestOf(text) !== part.digest) throw damaged("the manifest does not match the checkpoint");
  const manifest = decodeManifest(text.toString("utf8"), await foldsCase(repository));
  if (typeof manifest === "string") throw damaged(`the manifest cannot be used: ${manifest}`);
  return manifest.entries;
}

/** From the first work tree that has it as it should be. */
async function leafOf(
  shelf: PartShelf,
  id: string,
  entry: Exclude<BackupEntry, { type: "folder" }>,
  roots: readonly string[],
): Promise<Leaf> {
  if (entry.type === "link") {
    const target = Buffer.from(entry.target, "latin1");
    const oid = objectId(shelf.hash, "blob", target);
    if (shelf.wants(oid)) shelf.add(oid, target);
    return { mode: "120000", oid };
  }
  for (const root of roots) {
    const oid = await readCopy(shelf, root, id, entry.path);
    if (oid === undefined || shelf.sha256Of(oid) !== entry.sha256) continue;
    return { mode: (entry.mode & 0o100) === 0 ? "100644" : "100755", oid };
  }
  throw damaged(`the copy of ${showPath(entry.path)} is missing or was changed`);
}

async function readCopy(
  shelf: PartShelf,
  root: string,
  id: string,
  path: BytePath,
): Promise<string | undefined> {
  const anchor = new AnchoredFolder(rootFolder(root), 0o700);
  try {
    const below = isOutside(path) ? `outside${path}` : `files/${path}`;
    const at = anchor.at(asBytePath(`${OWN_FOLDER}/${id}/${below}`));
    const read = at === undefined ? undefined : await readStable(at, shelf.hash, shelf);
    return read === undefined || read.oid === "" ? undefined : read.oid;
  } catch (error) {
    // A link in its place is none.
    if (isMissing(error) || errorCode(error) === "ELOOP") return undefined;
    throw error;
  } finally {
    anchor.forget();
  }
}

/** Only in folders that say themselves that they are of this repository. */
function removeCopies(repository: Repository, id: string, roots: readonly string[]): void {
  const ours = new Set([repository.workTree, ...otherWorkTrees(repository)]);
  for (const root of roots) {
    if (ours.has(root)) rmSync(join(root, OWN_FOLDER, id), { recursive: true, force: true });
  }
}

function damaged(problem: string): Failure {
  return new Failure("checkpoint_damaged", problem, { hint: "The copies stay where they are." });
}
