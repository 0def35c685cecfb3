/**
 * Reads the whole state of a work tree without changing any of it: files, index, HEAD, operation in progress.
 * New objects go to a spool file; nothing is visible until the result is published.
 */
import { createHash } from "node:crypto";
import { statfsSync } from "node:fs";
import { Failure } from "../../../domain/failure.ts";
import { asBytePath, comparePaths, type BytePath } from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import { encodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import { rootFolder } from "../../files/byte-names.ts";
import { walkTracked } from "../../files/untracked-walk.ts";
import { EMPTY_CACHE, loadCache, type CaptureCache } from "../capture-cache.ts";
import { changedEntries } from "../changed-entries.ts";
import { readHead, sameHead, type Head } from "../head.ts";
import type { IndexFile } from "../index-file.ts";
import { indexIdentity, readIndex, type IndexSnapshot } from "../index-snapshot.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { namedObjects, readOperationState, type OperationState } from "../operation-state.ts";
import { PackSpool } from "../pack-spool.ts";
import type { Repository } from "../repository.ts";
import { readSettings, type GitSettings } from "../settings.ts";
import { foldersOf, trackedNames } from "../tracked-names.ts";
import { entryMode, TreeBuilder, type Leaf } from "../tree-builder.ts";
import type { TreeEntry } from "../tree-object.ts";
import { examineClean } from "./clean-files.ts";
import { defaultModes, Findings, type CaptureContext } from "./context.ts";
import { storeObjects } from "./objects-to-store.ts";
import { findEmptiedFolders, planTracked, readTracked } from "./tracked-files.ts";
import { planUntracked, readUntracked } from "./untracked-files.ts";
import type { LeafRequest } from "./read-leaf.ts";

export interface CaptureRequest {
  readonly policy: CapturePolicy;
  readonly include: ReadonlySet<BytePath>;
  /** Where the spool file goes when there is something to store. */
  readonly spoolPath: () => string;
}

export interface WorkTreeCapture {
  readonly head: Head;
  readonly state: OperationState;
  readonly settings: GitSettings;
  readonly index: IndexSnapshot;
  readonly trees: {
    readonly root: string;
    readonly worktree: string;
    readonly index: string;
    readonly conflicts: string | undefined;
    readonly operation: string | undefined;
  };
  readonly indexRaw: string | undefined;
  readonly detailsOid: string;
  readonly details: WorkTreeDetails;
  /** Digest of the flags of index entries, which no tree shows. */
  readonly indexFlags: string;
  readonly made: ReadonlyMap<string, Buffer>;
  readonly spool: PackSpool;
  /** Commits that the checkpoint keeps alive, HEAD first. */
  readonly parents: readonly string[];
  readonly findings: Findings;
  readonly stats: { readonly staged: number; readonly conflicted: number };
  readonly files: number;
  /** The checkpoint that `held` objects were taken from; it must still exist when this is published. */
  readonly basedOn: { readonly id: string; readonly commit: string } | undefined;
  /** What to remember once this is published. */
  readonly cache: CaptureCache;
}

/** HEAD and the index are read again at the end; when somebody moved them meanwhile, everything is read again. */
const TRIES = 5;

export async function captureWorkTree(
  repository: Repository,
  reader: ObjectReader,
  request: CaptureRequest,
): Promise<WorkTreeCapture> {
  for (let attempt = 1; ; attempt++) {
    const capture = await captureOnce(repository, reader, request);
    const stillThere =
      indexIdentity(repository) === capture.index.identity &&
      sameHead(await readHead(repository, reader), capture.head);
    if (stillThere) return capture;
    capture.spool.close();
    if (attempt === TRIES) {
      throw new Failure(
        "repository_busy",
        "HEAD or the index changed each time while the checkpoint was being taken",
        { hint: "Wait until the git command that is running has finished, then try again." },
      );
    }
  }
}

async function captureOnce(
  repository: Repository,
  reader: ObjectReader,
  request: CaptureRequest,
): Promise<WorkTreeCapture> {
  const settingsPromise = readSettings(repository);
  const headPromise = readHead(repository, reader);
  const cache = await liveCache(repository, reader);
  const snapshot = await readIndex(repository);
  const changedPromise = changedEntries(repository, snapshot);
  // The walk keeps this process busy while git compares files in its own.
  const root = rootFolder(repository.workTree);
  const known = knownFolders(snapshot, cache);
  const walk = walkTracked(root, trackedNames(snapshot.index, known.folders), {
    get: (folder) => (known.areCurrent ? cache.folders.get(folder) : undefined),
  });
  const [settings, head, changed, state] = await Promise.all([
    settingsPromise,
    headPromise,
    changedPromise,
    readOperationState(repository, reader),
  ]);
  const findings = new Findings();
  const spool = new PackSpool(request.spoolPath, repository.hash);
  const context: CaptureContext = {
    repository,
    root,
    reader,
    settings,
    index: snapshot.index,
    cache,
    spool,
    policy: request.policy,
    include: request.include,
    findings,
  };
  const defaults = defaultModes();
  const trackedWork = planTracked(context, changed);
  const untrackedWork = request.policy.includeUntracked
    ? await planUntracked(context, walk)
    : { toRead: [], attributeFiles: [] };
  checkBudgets(context, [...trackedWork.toRead, ...untrackedWork.toRead]);
  await readTracked(context, trackedWork, defaults);
  await readUntracked(context, untrackedWork, defaults);
  findEmptiedFolders(context);
  noteSubmodules(context);
  const dirty = dirtyPaths(snapshot.index, changed);
  const examined = await examineClean(
    context,
    snapshot,
    dirty,
    untrackedWork.attributeFiles,
    defaults,
  );
  for (const [path, oid] of examined.raw) {
    findings.blobs.add(oid);
    findings.changes.set(path, { mode: indexModeOf(snapshot.index, path), oid });
  }
  const details: WorkTreeDetails = {
    defaults,
    modes: new Map([
      ...[...examined.modes].filter(([path]) => !dirty.has(path)),
      ...findings.modes,
    ]),
    emptyFolders: findings.emptyFolders,
    excluded: findings.excluded.toSorted((left, right) => comparePaths(left.path, right.path)),
  };
  findings.bytes += cleanBytes(snapshot.index, dirty);
  const stored = await buildAndStore(context, snapshot, head, state, details);
  return {
    head,
    state,
    settings,
    index: snapshot,
    ...stored,
    details,
    indexFlags: digestFlags(snapshot.index),
    spool,
    findings,
    files: countFiles(snapshot.index, findings.changes),
    basedOn: cache.checkpoint,
    cache: {
      checkpoint: undefined,
      held: stored.own,
      files: findings.files,
      paths: known.paths,
      pathsIdentity: snapshot.identity,
      trackedFolders: known.folders,
      folders: walk.seen,
      indexRaw:
        stored.indexRaw === undefined
          ? undefined
          : { identity: snapshot.identity, oid: stored.indexRaw },
      examined,
    },
  };
}

/** The cache, without what it says about objects when the checkpoint that held them is gone. */
async function liveCache(repository: Repository, reader: ObjectReader): Promise<CaptureCache> {
  const cache = loadCache(repository);
  const { checkpoint } = cache;
  if (checkpoint === undefined) return { ...cache, held: new Set() };
  const commit = await reader.read(`refs/waymark/cp/${checkpoint.id}`);
  if (commit?.oid === checkpoint.commit) return cache;
  return { ...cache, checkpoint: undefined, held: EMPTY_CACHE.held, indexRaw: undefined };
}

function checkBudgets(context: CaptureContext, work: readonly LeafRequest[]): void {
  const { policy, repository, include } = context;
  let bytes = 0;
  for (const { stat } of work) bytes += Number(stat.size);
  const overCount = work.length > policy.maxFiles;
  if ((overCount || bytes > policy.maxTotalBytes) && include.size === 0) {
    const largest = work.toSorted((left, right) => Number(right.stat.size - left.stat.size));
    throw new Failure(
      "over_budget",
      `${work.length} changed and untracked files with ${bytes} bytes are more than a checkpoint may hold ` +
        `(${policy.maxFiles} files, ${policy.maxTotalBytes} bytes)`,
      {
        hint: "Add generated files to .gitignore, or raise the limits of `capture`.",
        details: { largest: largest.slice(0, 5).map((request) => request.path) },
      },
    );
  }
  // Compressed or not, twice the bytes is room for the pack and for git's own copy of it.
  const disk = statfsSync(repository.commonDir);
  const free = disk.bavail * disk.bsize;
  const known = work.filter((request) => !context.cache.files.has(request.path));
  const fresh = known.reduce((sum, { stat }) => sum + Number(stat.size), 0);
  if (free < fresh + RESERVED_BYTES) {
    throw new Failure(
      "disk_full",
      `a checkpoint may need ${fresh} bytes and only ${free} are free on the disk`,
      { hint: "Free some disk space and run the command again; nothing was changed." },
    );
  }
}

/** Room that is left for trees, the index and git itself. */
const RESERVED_BYTES = 4 * 1024 * 1024;

async function buildAndStore(
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
  const conflictLeaves = conflictEntries(index);
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
  for (const tree of trees) {
    operationLeaves.set(asBytePath(`keep/${tree}`), { mode: "040000", oid: tree });
  }
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
function conflictEntries(index: IndexFile | undefined): Map<BytePath, Leaf> {
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
    leaves.set(asBytePath(`resolved/${stage}/${path}`), { mode: entryMode(mode), oid });
  }
  return leaves;
}

function countConflicts(index: IndexFile | undefined): number {
  const paths = new Set<string>();
  for (const entry of index?.special ?? []) {
    if (index !== undefined && index.stage(entry) !== 0) paths.add(index.path(entry));
  }
  return paths.size;
}

function dirtyPaths(
  index: IndexFile | undefined,
  changed: ReadonlySet<BytePath>,
): ReadonlySet<BytePath> {
  const dirty = new Set(changed);
  for (const entry of index?.special ?? []) if (index !== undefined) dirty.add(index.path(entry));
  return dirty;
}

/** By the index's own record; files that were read are counted as they are read. */
function cleanBytes(index: IndexFile | undefined, dirty: ReadonlySet<BytePath>): number {
  let bytes = index?.totalSize ?? 0;
  for (const path of dirty) {
    const entry = index?.find(path) ?? -1;
    if (entry >= 0) bytes -= index?.statSize(entry) ?? 0;
  }
  return bytes;
}

function indexModeOf(index: IndexFile | undefined, path: BytePath): Leaf["mode"] {
  return index === undefined ? "100644" : entryMode(index.mode(index.find(path)));
}

function noteSubmodules(context: CaptureContext): void {
  const { index, findings } = context;
  for (const entry of index?.submodules ?? []) {
    if (index !== undefined) findings.exclude(index.path(entry), "submodule", null, true);
  }
}

interface KnownFolders {
  readonly folders: readonly BytePath[];
  readonly paths: string;
  /** The tracked paths are those of the last time, so what is known about folders still holds. */
  readonly areCurrent: boolean;
}

/** The same index as last time has the same folders. Otherwise the names are compared: content does not matter. */
function knownFolders(snapshot: IndexSnapshot, cache: CaptureCache): KnownFolders {
  const { index } = snapshot;
  if (cache.pathsIdentity === snapshot.identity && cache.trackedFolders.length > 0) {
    return { folders: cache.trackedFolders, paths: cache.paths, areCurrent: true };
  }
  const names: BytePath[] = [];
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    if (index !== undefined) names.push(index.path(entry));
  }
  const paths = createHash("sha1").update(names.join("\0"), "latin1").digest("hex");
  return { folders: foldersOf(names), paths, areCurrent: cache.paths === paths };
}

function digestFlags(index: IndexFile | undefined): string {
  const digest = createHash("sha256");
  for (const entry of index?.special ?? []) {
    if (index === undefined) break;
    const flags = [
      index.stage(entry),
      index.isAssumedValid(entry),
      index.skipsWorkTree(entry),
      index.isIntentToAdd(entry),
      index.mode(entry),
    ];
    digest.update(`${flags.join(" ")} ${index.path(entry)}\0`, "latin1");
  }
  return digest.digest("hex");
}

function countFiles(
  index: IndexFile | undefined,
  changes: ReadonlyMap<BytePath, Leaf | null>,
): number {
  let files = index?.length ?? 0;
  for (const entry of index?.special ?? []) {
    if (index !== undefined && (index.stage(entry) !== 0 || index.isIntentToAdd(entry))) files -= 1;
  }
  for (const [path, leaf] of changes) {
    const entry = index?.find(path) ?? -1;
    const counted = entry >= 0 && index?.isIntentToAdd(entry) === false;
    if (leaf === null && counted) files -= 1;
    if (leaf !== null && !counted) files += 1;
  }
  return files;
}
