/** Computes the tree of a checkpoint and puts what is new of it into the spool. */
import { asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { encodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import type { KnownTrees } from "../capture-cache.ts";
import { groupByFolder } from "../folder-changes.ts";
import type { Head } from "../head.ts";
import type { IndexFile } from "../index-file.ts";
import type { IndexSnapshot } from "../index-snapshot.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { namedObjects, type OperationState } from "../operation-state.ts";
import { sha256 } from "../sha256.ts";
import { entryMode, TreeBuilder, type Changes, type Leaf } from "../tree-builder.ts";
import type { TreeEntry } from "../tree-object.ts";
import type { CaptureContext } from "./context.ts";
import { countConflicts } from "./index-facts.ts";
import { baseKey, knownBase, KnownFolders } from "./known-parts.ts";
import { storeObjects, storeTree } from "./objects-to-store.ts";
import { badAmong } from "./trusted-objects.ts";

export async function buildAndStore(
  context: CaptureContext,
  snapshot: IndexSnapshot,
  head: Head,
  state: OperationState,
  details: WorkTreeDetails,
) {
  const { repository, index, spool, cache, findings, bad } = context;
  const builder = new TreeBuilder(index, repository.hash, bad.size === 0);
  const key = treesKey(snapshot, head, state, findings.changes);
  const trees =
    cache.trees?.key === key
      ? cache.trees
      : await makeTrees(context, snapshot, builder, head, state, key);
  const { worktree, conflicts, operation } = trees;
  const indexRaw = index === undefined ? undefined : addIndex(context, snapshot, index);
  const detailsOid = addBlob(context, Buffer.from(encodeDetails(details)));
  const entries: TreeEntry[] = [
    { mode: "040000", name: "worktree", oid: worktree },
    { mode: "040000", name: "index", oid: trees.index },
    { mode: "100644", name: "worktree.json", oid: detailsOid },
  ];
  if (conflicts !== undefined) entries.push({ mode: "040000", name: "conflicts", oid: conflicts });
  if (operation !== undefined) entries.push({ mode: "040000", name: "operation", oid: operation });
  if (indexRaw !== undefined) entries.push({ mode: "100644", name: "index.raw", oid: indexRaw });
  // Not a part of the operation's state: whether git still has such a tree is no difference between two moments.
  if (trees.keep !== undefined) entries.push({ mode: "040000", name: "keep", oid: trees.keep });
  const root = builder.folder(entries);
  const content = builder.made.get(root) ?? Buffer.alloc(0);
  if (!cache.held.has(root)) spool.addLater(root, "tree", content);
  if (bad.size > 0) {
    for (const [oid, tree] of builder.made) if (bad.has(oid)) spool.add(oid, "tree", tree);
  }
  return {
    trees: { root, worktree, index: trees.index, conflicts, operation },
    known: trees,
    indexRaw,
    detailsOid,
    made: builder.made,
    parents: trees.parents,
    stats: { staged: trees.staged, conflicted: countConflicts(index) },
    own: new Set([...trees.own, ...findings.blobs, root]),
  };
}

/** Everything that the trees are made of. */
function treesKey(
  { identity }: IndexSnapshot,
  { commit, tree }: Head,
  { files, refs }: OperationState,
  changes: Changes,
): string {
  const state = files.map(({ path, mode, content }) => [path, mode, content.toString("latin1")]);
  return sha256(JSON.stringify([identity, commit, tree, state, [...refs], [...changes]]));
}

async function makeTrees(
  context: CaptureContext,
  snapshot: IndexSnapshot,
  builder: TreeBuilder,
  head: Head,
  state: OperationState,
  key: string,
): Promise<KnownTrees> {
  const { repository, reader, index, spool, cache, findings } = context;
  const base = baseKey(snapshot, head);
  const last = knownBase(cache.trees, base, cache.held);
  const indexTree = last?.index ?? builder.indexTree();
  const madeForIndex = builder.made.size;
  const changed = groupByFolder(findings.changes);
  const folders = new KnownFolders(changed, last, cache.held);
  const worktree = builder.treeWith(changed, folders.trees);
  const conflictLeaves = await conflictEntries(index, reader);
  const conflicts = conflictLeaves.size === 0 ? undefined : builder.treeOf(conflictLeaves);
  const operationLeaves = new Map(
    state.files.map((file): [BytePath, Leaf] => [
      asBytePath(Buffer.from(file.path).toString("latin1")),
      {
        mode: (file.mode & 0o100) === 0 ? "100644" : "100755",
        oid: addBlob(context, file.content),
      },
    ]),
  );
  const operation = operationLeaves.size === 0 ? undefined : builder.treeOf(operationLeaves);
  const alive = await keepAlive(reader, head, state);
  const request = {
    repository,
    reader,
    spool,
    held: cache.held,
    made: builder.made,
    headTree: head.tree,
    pathOf: (oid: string) => (index === undefined ? undefined : pathWith(index, oid)),
  };
  const kept = await keepTrees(request, builder, alive.trees);
  const stored = await storeObjects({
    ...request,
    indexTree,
    ownTrees: [
      ...[...builder.made.keys()].slice(madeForIndex),
      ...[...folders.trees.values()].filter((oid) => oid !== ""),
    ],
    known: last === undefined ? undefined : { own: last.base.own, staged: last.staged },
    // The commit of a submodule is in another repository.
    looseBlobs: [...conflictLeaves.values()].flatMap(({ mode, oid }) =>
      mode === "160000" ? [] : [oid],
    ),
  });
  const borrowed = [...builder.made.keys()].filter((oid) => !stored.own.has(oid));
  for (const oid of await badAmong(repository.store, reader, borrowed)) {
    spool.add(oid, "tree", builder.made.get(oid) ?? Buffer.alloc(0));
  }
  return {
    key,
    worktree,
    index: indexTree,
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(operation === undefined ? {} : { operation }),
    ...(kept.folder === undefined ? {} : { keep: kept.folder }),
    parents: alive.parents,
    staged: stored.staged,
    own: [...stored.own, ...kept.own, ...[...operationLeaves.values()].map((leaf) => leaf.oid)],
    base: { key: base, own: stored.ownOfIndex },
    folders: folders.with(builder.changed),
  };
}

function pathWith(index: IndexFile, oid: string): BytePath | undefined {
  for (let entry = 0; entry < index.length; entry++) {
    if (index.oid(entry) === oid) return index.path(entry);
  }
  return undefined;
}

/** Those that git still has all of. */
async function keepTrees(
  request: Parameters<typeof storeTree>[0],
  builder: TreeBuilder,
  trees: readonly string[],
): Promise<{ folder: string | undefined; own: string[] }> {
  const kept: TreeEntry[] = [];
  const own: string[] = [];
  for (const oid of trees) {
    const objects = await storeTree(request, oid);
    if (objects === undefined) continue;
    own.push(...objects);
    kept.push({ mode: "040000", name: oid, oid });
  }
  return { folder: kept.length === 0 ? undefined : builder.folder(kept), own };
}

function addBlob({ repository, findings, cache, spool }: CaptureContext, content: Buffer): string {
  const oid = objectId(repository.hash, "blob", content);
  findings.blobs.add(oid);
  if (!cache.held.has(oid)) spool.add(oid, "blob", content);
  return oid;
}

/** It may be large: it is stored only when the rest is, and its id computed only when it is another one. */
function addIndex(
  { repository, findings, cache, spool }: CaptureContext,
  { identity }: IndexSnapshot,
  { bytes }: IndexFile,
): string {
  const { indexRaw } = cache;
  const oid =
    indexRaw?.identity === identity ? indexRaw.oid : objectId(repository.hash, "blob", bytes);
  findings.blobs.add(oid);
  if (!cache.held.has(oid)) spool.addLater(oid, "blob", bytes);
  return oid;
}

/** Commits and trees that HEAD and the operation in progress name. */
async function keepAlive(
  reader: ObjectReader,
  head: Head,
  state: OperationState,
): Promise<{ parents: string[]; trees: string[] }> {
  const parents = new Set<string>();
  const trees = new Set<string>();
  if (head.commit !== undefined) parents.add(head.commit);
  for (const name of namedObjects(state)) {
    const object = await reader.read(name);
    if (object?.type === "commit") parents.add(object.oid);
    else if (object?.type === "tree") trees.add(object.oid);
  }
  return { parents: [...parents], trees: [...trees] };
}

/** Stages 1 to 3, and the blobs with which git can undo a resolution. */
async function conflictEntries(
  index: IndexFile | undefined,
  reader: ObjectReader,
): Promise<Map<BytePath, Leaf>> {
  const leaves = new Map<BytePath, Leaf>();
  for (const entry of index?.special ?? []) {
    const stage = index?.stage(entry) ?? 0;
    if (index === undefined || stage === 0) continue;
    leaves.set(asBytePath(`${stage}/${index.path(entry)}`), {
      mode: entryMode(index.mode(entry)),
      oid: index.oid(entry),
    });
  }
  for (const { path, stage, mode, oid } of index?.resolveUndo ?? []) {
    // Git does not promise to keep these.
    if ((await reader.read(oid)) === undefined) continue;
    leaves.set(asBytePath(`resolved/${stage}/${path}`), { mode: entryMode(mode), oid });
  }
  return leaves;
}
