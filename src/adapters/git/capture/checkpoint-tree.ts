/** Computes the tree of a checkpoint and puts what is new of it into the spool. */
import { asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { encodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import type { Head } from "../head.ts";
import type { IndexFile } from "../index-file.ts";
import type { IndexSnapshot } from "../index-snapshot.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { namedObjects, type OperationState } from "../operation-state.ts";
import { entryMode, TreeBuilder, type Leaf } from "../tree-builder.ts";
import type { TreeEntry } from "../tree-object.ts";
import type { CaptureContext } from "./context.ts";
import { countConflicts } from "./index-facts.ts";
import { storeObjects } from "./objects-to-store.ts";

export async function buildAndStore(
  context: CaptureContext,
  snapshot: IndexSnapshot,
  head: Head,
  state: OperationState,
  details: WorkTreeDetails,
) {
  const { repository, reader, index, spool, cache, findings } = context;
  const builder = new TreeBuilder(index, repository.hash);
  const indexTree = builder.indexTree();
  const worktree = builder.workTree(findings.changes);
  const conflictLeaves = await conflictEntries(index, reader);
  const addBlob = (content: Buffer): string => {
    const oid = objectId(repository.hash, "blob", content);
    findings.blobs.add(oid);
    if (!cache.held.has(oid)) spool.add(oid, "blob", content);
    return oid;
  };
  const conflicts = conflictLeaves.size === 0 ? undefined : builder.treeOf(conflictLeaves);
  const operationLeaves = new Map(
    state.files.map((file): [BytePath, Leaf] => [
      asBytePath(Buffer.from(file.path).toString("latin1")),
      { mode: (file.mode & 0o100) === 0 ? "100644" : "100755", oid: addBlob(file.content) },
    ]),
  );
  const { parents, trees } = await keepAlive(reader, head, state);
  const keep = trees.map((oid): TreeEntry => ({ mode: "040000", name: oid, oid }));
  const operation = operationLeaves.size === 0 ? undefined : builder.treeOf(operationLeaves);
  const indexRaw =
    index === undefined
      ? undefined
      : cache.indexRaw?.identity === snapshot.identity && cache.held.has(cache.indexRaw.oid)
        ? cache.indexRaw.oid
        : addBlob(index.bytes);
  if (indexRaw !== undefined) findings.blobs.add(indexRaw);
  const detailsOid = addBlob(Buffer.from(encodeDetails(details)));
  const entries: TreeEntry[] = [
    { mode: "040000", name: "worktree", oid: worktree },
    { mode: "040000", name: "index", oid: indexTree },
    { mode: "100644", name: "worktree.json", oid: detailsOid },
  ];
  if (conflicts !== undefined) entries.push({ mode: "040000", name: "conflicts", oid: conflicts });
  if (operation !== undefined) entries.push({ mode: "040000", name: "operation", oid: operation });
  if (indexRaw !== undefined) entries.push({ mode: "100644", name: "index.raw", oid: indexRaw });
  // Not a part of the operation's state: whether git still has such a tree is no difference between two moments.
  if (keep.length > 0) {
    entries.push({ mode: "040000", name: "keep", oid: builder.folder(keep) });
  }
  const root = builder.folder(entries);
  const stored = await storeObjects({
    repository,
    reader,
    spool,
    held: cache.held,
    made: builder.made,
    headTree: head.tree,
    indexTree,
    ownTrees: [
      { oid: worktree, like: indexTree },
      ...[conflicts, operation, root].flatMap((oid) =>
        oid === undefined ? [] : [{ oid, like: undefined }],
      ),
    ],
    looseBlobs: [...conflictLeaves.values()].map((leaf) => leaf.oid),
  });
  return {
    trees: { root, worktree, index: indexTree, conflicts, operation },
    indexRaw,
    detailsOid,
    made: builder.made,
    parents,
    stats: { staged: stored.staged, conflicted: countConflicts(index) },
    own: new Set([...stored.own, ...findings.blobs]),
  };
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
