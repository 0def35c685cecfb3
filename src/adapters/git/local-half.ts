/** Makes and reads the two halves of a checkpoint: what may leave the machine, and what must not. */
import { parsePath, type BytePath } from "../../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument, type GitPart } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import {
  isLocalEntry,
  LOCAL_ENTRIES,
  localMessage,
  withheldExclusions,
  type LocalHalf,
} from "../../domain/local-half.ts";
import { originalName } from "../../domain/stored-name.ts";
import { decodeDetails, type WorkTreeDetails } from "../../domain/work-tree-details.ts";
import type { HeldRef } from "./capture-cache.ts";
import { encodeCommit } from "./commit-object.ts";
import type { HashName } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import { idOfRef, LOCAL_REFS, localRef } from "./ref-names.ts";
import { refsBelow } from "./ref-values.ts";
import type { Repository } from "./repository.ts";
import { TreeBuilder, type Leaf } from "./tree-builder.ts";
import { decodeTree, type TreeEntry } from "./tree-object.ts";
import { TreeSource } from "./tree-source.ts";

export interface Halves {
  /** Of the checkpoint's commit. */
  readonly root: string;
  readonly rootEntries: readonly TreeEntry[];
  /** Undefined: everything may leave the machine. */
  readonly local: MadeHalf | undefined;
  /** Trees that were made for it. */
  readonly made: ReadonlyMap<string, Buffer>;
}

export interface MadeHalf {
  readonly tree: string;
  readonly entries: LocalHalf;
}

export interface Whole {
  readonly source: TreeSource;
  readonly hash: HashName;
  /** With the tree of all files as `worktree`. */
  readonly rootEntries: readonly TreeEntry[];
  readonly details: WorkTreeDetails;
  /** Files of other parts, by their path in one half or the other. */
  readonly added: ReadonlyMap<string, Leaf>;
}

/** The work tree without the withheld files shares every other folder with the one that has them. */
export async function splitHalves(whole: Whole): Promise<Halves> {
  const { source, hash, details } = whole;
  const builder = new TreeBuilder(undefined, hash);
  const local: TreeEntry[] = [];
  const withheld = (details.withheld ?? []).map(({ path }) => parsePath(path));
  const rootEntries: TreeEntry[] = [];
  for (const entry of whole.rootEntries) {
    const isFiles = entry.name === "worktree" && withheld.length > 0;
    const oid = isFiles
      ? builder.folder(await entriesWithout(source, builder, entry.oid, withheld))
      : entry.oid;
    rootEntries.push({ ...entry, oid });
    if (oid !== entry.oid) local.push(entry);
  }
  for (const isLocal of [false, true]) {
    const leaves = [...whole.added].filter(([name]) => isLocalEntry(name) === isLocal);
    if (leaves.length === 0) continue;
    const tree = builder.treeOf(new Map(leaves as [BytePath, Leaf][]));
    const entries = decodeTree(builder.made.get(tree) ?? Buffer.alloc(0), hash);
    builder.made.delete(tree);
    (isLocal ? local : rootEntries).push(...entries);
  }
  return {
    root: builder.folder(rootEntries),
    rootEntries,
    local: local.length === 0 ? undefined : { tree: builder.folder(local), entries: byName(local) },
    made: builder.made,
  };
}

async function entriesWithout(
  source: TreeSource,
  builder: TreeBuilder,
  oid: string,
  paths: readonly BytePath[],
): Promise<TreeEntry[]> {
  const below = new Map<string, BytePath[]>();
  for (const path of paths) {
    const slash = path.indexOf("/");
    const name = slash < 0 ? path : path.slice(0, slash);
    const rest = slash < 0 ? [] : [path.slice(slash + 1) as BytePath];
    below.set(name, [...(below.get(name) ?? []), ...rest]);
  }
  const kept: TreeEntry[] = [];
  for (const entry of await source.entries(oid)) {
    const rest = below.get(originalName(entry.name));
    if (rest === undefined) kept.push(entry);
    else if (entry.mode === "040000") {
      const inside = await entriesWithout(source, builder, entry.oid, rest);
      // Git has no empty folders.
      if (inside.length > 0) kept.push({ ...entry, oid: builder.folder(inside) });
    }
  }
  return kept;
}

/** The commit of a local half; undefined: there is none. */
export function localCommit(
  document: Pick<CheckpointDocument, "id" | "created_at">,
  half: MadeHalf | undefined,
): Buffer | undefined {
  if (half === undefined) return undefined;
  const at = new Date(document.created_at);
  return encodeCommit({ tree: half.tree, parents: [], at, message: localMessage(document) });
}

function byName(entries: readonly TreeEntry[]): LocalHalf {
  const oids = new Map(entries.map(({ name, oid }) => [name, oid]));
  return Object.fromEntries(
    LOCAL_ENTRIES.flatMap((name) => (oids.has(name) ? [[name, oids.get(name)]] : [])),
  );
}

/** What of a checkpoint's local half is here. */
export async function localHalfHere(
  { hash }: Pick<Repository, "hash">,
  reader: ObjectReader,
  id: string,
): Promise<LocalHalf> {
  const tree = await reader.read(`${localRef(id)}^{tree}`);
  return tree?.type === "tree" ? byName(decodeTree(tree.content, hash)) : {};
}

/** More of them rarely have something that these have not. */
const MOST_HALVES = 50;

/** Content of copied files that recent checkpoints hold, and where. */
export async function blobsInHalves(
  repository: Repository,
  reader: ObjectReader,
): Promise<Map<string, HeldRef>> {
  const held = new Map<string, HeldRef>();
  const seen = new Set<string>();
  const source = new TreeSource(repository, reader);
  const refs = [...(await refsBelow(repository.store, [LOCAL_REFS]))].map(([name, oid]) => ({
    name,
    oid,
  }));
  const recent = refs.toSorted((left, right) => (timeIn(left) < timeIn(right) ? 1 : -1));
  for (const ref of recent.slice(0, MOST_HALVES)) {
    try {
      const { files } = await localHalfHere(repository, reader, idOfRef(ref.name));
      // Most folders are the same in all of them.
      for (const folders = files === undefined ? [] : [files]; folders.length > 0;) {
        const folder = folders.pop() ?? "";
        if (seen.has(folder)) continue;
        seen.add(folder);
        for (const { mode, oid } of await source.entries(folder)) {
          if (mode === "040000") folders.push(oid);
          else if (!held.has(oid)) held.set(oid, ref);
        }
      }
    } catch (error) {
      // What is damaged holds nothing.
      if (!(error instanceof Failure) || error.code !== "checkpoint_damaged") throw error;
    }
  }
  return held;
}

/** Of the date and time in a checkpoint's id. */
function timeIn({ name }: HeldRef): string {
  return /-(\d{8}-\d{6})-[0-9a-f]{4}$/.exec(name)?.[1] ?? "";
}

/** The work tree of a checkpoint, as far as it is here. */
export interface HeldFiles {
  /** `worktree`: with the withheld files, where they are here. */
  readonly part: GitPart;
  readonly details: WorkTreeDetails;
}

/** Undefined: it contains no work tree. */
export async function heldPart(
  repository: Pick<Repository, "hash">,
  reader: ObjectReader,
  document: CheckpointDocument,
): Promise<GitPart | undefined> {
  const part = gitPartOf(document);
  const worktree = document.local?.worktree;
  if (part === undefined || worktree === undefined) return part;
  const here = await localHalfHere(repository, reader, document.id);
  return here.worktree === worktree ? { ...part, worktree } : part;
}

/** The same with what the tree does not tell. Without the local half the withheld files are unknown, as excluded ones are. */
export async function heldFiles(
  repository: Pick<Repository, "hash">,
  reader: ObjectReader,
  document: CheckpointDocument,
): Promise<HeldFiles | undefined> {
  const part = await heldPart(repository, reader, document);
  return part === undefined
    ? undefined
    : { part, details: await heldDetails(reader, document, part) };
}

export async function heldDetails(
  reader: ObjectReader,
  document: CheckpointDocument,
  part: GitPart,
): Promise<WorkTreeDetails> {
  const text = await reader.readChecked(part.details, "blob");
  const details = decodeDetails(text.toString("utf8"));
  const worktree = document.local?.worktree;
  if (worktree === undefined || part.worktree === worktree) return details;
  const unknown = withheldExclusions(details.withheld ?? []);
  return { ...details, excluded: [...details.excluded, ...unknown] };
}
