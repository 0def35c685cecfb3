/** A capture of the main work tree with merged files in the place of its own: the same index, HEAD and operation. */
import { encodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import { GitCapture } from "../git-capture.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { TreeBuilder } from "../tree-builder.ts";
import { TreeSource, type LeafChange } from "../tree-source.ts";
import { spoolBlob } from "../write-blob.ts";

export interface MergedContent {
  readonly tree: string;
  readonly details: WorkTreeDetails;
  /** Where it differs from the capture. */
  readonly changes: readonly LeafChange[];
  /** Reads also what the merge made. */
  readonly source: TreeSource;
  readonly reader: ObjectReader;
}

export async function mergedCapture(
  repository: Repository,
  capture: GitCapture,
  { tree, details, changes, source, reader }: MergedContent,
): Promise<GitCapture> {
  const { raw } = capture;
  const { hash } = repository;
  // Everything that the capture does not hold itself goes into its pack: checkpoints of nodes may go at any time.
  const made = new Map(raw.made);
  await addTrees(source, raw.trees.worktree, tree, (oid, content) => {
    made.set(oid, content);
    raw.spool.add(oid, "tree", content);
  });
  for (const { after } of changes) {
    if (after === undefined || after.mode === "160000" || raw.spool.has(after.oid)) continue;
    await spoolBlob(reader, raw.spool, after.oid);
  }
  const text = Buffer.from(encodeDetails(details));
  const detailsOid = objectId(hash, "blob", text);
  raw.spool.add(detailsOid, "blob", text);
  const builder = new TreeBuilder(undefined, hash);
  const root = builder.folder(
    capture.rootEntries.map((entry) => {
      if (entry.name === "worktree") return { ...entry, oid: tree };
      return entry.name === "worktree.json" ? { ...entry, oid: detailsOid } : entry;
    }),
  );
  for (const [oid, content] of builder.made) {
    made.set(oid, content);
    raw.spool.add(oid, "tree", content);
  }
  const { isPlain } = repository;
  const files = changes.reduce(
    (sum, { before, after }) =>
      sum + (before === undefined ? 1 : 0) - (after === undefined ? 1 : 0),
    raw.files,
  );
  return new GitCapture(
    {
      ...raw,
      trees: { ...raw.trees, worktree: tree, root },
      details,
      detailsOid,
      made,
      files,
      // What was learned about the files on disk stays true; what this checkpoint holds of them is not known.
      cache: { ...raw.cache, held: new Set() },
    },
    capture.quarantine,
    {
      isPlain,
      aheadOfUpstream: capture.git.ahead_of_upstream,
      hash,
      source: new TreeSource(repository, reader, made),
    },
  );
}

/** Every tree that is not under the same path of the other one. */
async function addTrees(
  source: TreeSource,
  before: string | undefined,
  after: string,
  add: (oid: string, content: Buffer) => void,
): Promise<void> {
  if (before === after) return;
  add(after, await source.content(after));
  const others = new Map((await source.entries(before)).map((entry) => [entry.name, entry]));
  for (const { name, mode, oid } of await source.entries(after)) {
    if (mode !== "040000") continue;
    const other = others.get(name);
    await addTrees(source, other?.mode === "040000" ? other.oid : undefined, oid, add);
  }
}
