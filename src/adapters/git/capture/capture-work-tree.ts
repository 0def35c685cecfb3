/**
 * Reads the whole state of a work tree without changing any of it: files, index, HEAD, operation in progress.
 * New objects go to a spool file; nothing is visible until the result is published.
 */
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { asBytePath, comparePaths, isInside, type BytePath } from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import { scopeFilter } from "../../../domain/scope.ts";
import type { WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import { onDisk, rootFolder } from "../../files/byte-names.ts";
import { DiskClock } from "../../files/disk-clock.ts";
import { kindOf, statOf } from "../../files/file-stat.ts";
import { mappedForWriting } from "../../files/mapped-files.ts";
import { walkTracked } from "../../files/untracked-walk.ts";
import {
  EMPTY_CACHE,
  loadCache,
  refsOf,
  type CaptureCache,
  type Holder,
} from "../capture-cache.ts";
import { changedEntries } from "../changed-entries.ts";
import { readHead, sameHead, type Head } from "../head.ts";
import { indexIdentity, readIndex, type IndexSnapshot } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import { readOperationState, type OperationState } from "../operation-state.ts";
import type { RepositoryDamage } from "../../../ports/work-tree.ts";
import { pauser, type Progress, type ProgressTask } from "../../../ports/progress.ts";
import { IgnoreRules } from "../ignore-rules.ts";
import { PackSpool } from "../pack-spool.ts";
import type { Repository } from "../repository.ts";
import { readSettings, type GitSettings } from "../settings.ts";
import { trackedNames } from "../tracked-names.ts";
import { checkBudgets } from "./budgets.ts";
import { entriesWith, lostPaths, withoutBad } from "./bad-objects.ts";
import { buildAndStore } from "./checkpoint-tree.ts";
import { examineClean, sinceExamined } from "./clean-files.ts";
import { defaultModes, Findings, withheldFiles, type CaptureContext } from "./context.ts";
import {
  addEntriesBelow,
  addUnreadable,
  cleanBytes,
  countFiles,
  digestFlags,
  dirtyPaths,
  indexModeOf,
} from "./index-facts.ts";
import { knownFolders } from "./known-folders.ts";
import { findEmptiedFolders, planTracked, readTracked } from "./tracked-files.ts";
import { checkTrusted } from "./trusted-objects.ts";
import { planUntracked, readUntracked } from "./untracked-files.ts";

export interface CaptureRequest {
  readonly policy: CapturePolicy;
  readonly include: ReadonlySet<BytePath>;
  readonly evenIfIgnored: ReadonlySet<BytePath>;
  readonly includeSecrets: readonly BytePath[];
  readonly leaveOut: ReadonlySet<BytePath>;
  readonly scope?: readonly string[] | undefined;
  readonly readMapped: boolean;
  readonly progress: Progress;
  /** Throws when the user wishes to stop. */
  readonly stopIfAsked?: (() => void) | undefined;
  /** Objects that are stored anew where the disk has them: a reading of their content failed. */
  readonly distrusted: ReadonlySet<string>;
  /** Where the spool file goes when there is something to store; undefined: nothing is stored. */
  readonly spoolPath: (() => string) | undefined;
}

export interface WorkTreeCapture {
  /** What it is limited to; undefined: nothing. */
  readonly scope: readonly string[] | undefined;
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
  readonly basedOn: Holder | undefined;
  /** Objects that the checkpoint `basedOn` holds. */
  readonly held: ReadonlySet<string>;
  /** Objects that git reads with other content than they should have. */
  readonly misread: ReadonlySet<string>;
  /** What was missing or damaged. */
  readonly damage: RepositoryDamage;
  /** What was remembered before. */
  readonly before: CaptureCache;
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
    const before = indexIdentity(repository);
    const capture = await captureOnce(repository, reader, request).catch((error: unknown) => {
      // What an index names is safe from `git gc` only as long as it is the index.
      const isOutdated = isGitFailure(error) && indexIdentity(repository) !== before;
      if (isOutdated && attempt < TRIES) return undefined;
      throw error;
    });
    if (capture === undefined) continue;
    const stillThere =
      indexIdentity(repository) === capture.index.identity &&
      sameHead(await readHead(repository, reader), capture.head);
    if (stillThere) return capture;
    capture.spool.close();
    if (attempt === TRIES) {
      throw new Failure(
        "repository_busy",
        "HEAD or the index kept changing while the checkpoint was being created",
        { hint: "Wait until the git command that is running has finished, then try again." },
      );
    }
  }
}

function isGitFailure(error: unknown): boolean {
  return error instanceof Failure && error.code === "git_failed";
}

async function captureOnce(
  repository: Repository,
  reader: ObjectReader,
  request: CaptureRequest,
): Promise<WorkTreeCapture> {
  const rules = new IgnoreRules(repository);
  // It takes its time to start, and there is nearly always something to ask it.
  rules.start();
  try {
    return await captureWith(repository, reader, request, rules);
  } finally {
    rules.close();
  }
}

async function captureWith(
  repository: Repository,
  reader: ObjectReader,
  request: CaptureRequest,
  rules: IgnoreRules,
): Promise<WorkTreeCapture> {
  const clock = new DiskClock(join(repository.privateDir, "tmp"), repository.workTree);
  const settingsPromise = readSettings(repository);
  const headPromise = readHead(repository, reader);
  const snapshot = await readIndex(repository);
  const changedPromise = changedEntries(repository, snapshot);
  // They are awaited below; one that fails before that must not end the process.
  for (const started of [settingsPromise, headPromise, changedPromise]) {
    started.catch(() => undefined);
  }
  const loaded = await liveCache(repository, reader);
  // The walk keeps this process busy while git compares files in its own.
  const root = rootFolder(repository.workTree);
  const defaults = defaultModes();
  const difference = sinceExamined(repository, snapshot, loaded, defaults);
  const known = knownFolders(snapshot, loaded, difference);
  const tracked = trackedNames(snapshot.index, known.folders);
  const walk = walkTracked(root, tracked, known.areCurrent ? loaded.folders : undefined, clock);
  const [settings, head, { paths: changed, isComplete }, state, trust] = await Promise.all([
    settingsPromise,
    headPromise,
    changedPromise,
    readOperationState(repository),
    checkTrusted(repository.store, reader, {
      index: snapshot.index,
      difference,
      held: loaded.held,
      known: loaded.store,
      distrusted: request.distrusted,
      clock,
    }),
  ]);
  addEntriesBelow(changed, snapshot.index, walk.gone);
  if (!isComplete || walk.hasLongPaths) addUnreadable(changed, snapshot.index, root);
  const cache = withoutBad(loaded, trust.bad);
  const damaged = entriesWith(snapshot.index, trust.bad);
  for (const path of damaged.keys()) changed.add(path);
  const mapped = request.readMapped ? mappedForWriting(repository.workTree) : new Set<BytePath>();
  for (const path of mapped) if ((snapshot.index?.find(path) ?? -1) >= 0) changed.add(path);
  const findings = new Findings();
  const spool = new PackSpool(request.spoolPath, repository.hash);
  let task: ProgressTask | undefined;
  const pause = pauser();
  const context: CaptureContext = {
    repository,
    root,
    reader,
    settings,
    index: snapshot.index,
    cache,
    bad: trust.bad,
    sizes: trust.sizes,
    difference,
    spool,
    policy: request.policy,
    include: request.include,
    evenIfIgnored: request.evenIfIgnored,
    leaveOut: request.leaveOut,
    includesSecret: (path) => request.includeSecrets.some((part) => isInside(path, part)),
    scope: scopeFilter(request.scope),
    findings,
    clock,
    mapped,
    afterRead: (bytes) => {
      request.stopIfAsked?.();
      task?.advance(1, bytes);
      return pause();
    },
  };
  const trackedWork = planTracked(context, changed);
  const untrackedWork = await planUntracked(context, walk, rules);
  const toRead = [...trackedWork.toRead, ...untrackedWork.toRead];
  checkBudgets(context, toRead);
  task = request.progress.begin(spool.keeps ? "capturing files" : "reading files", {
    items: toRead.length,
    bytes: toRead.reduce((sum, { look }) => sum + look.size, 0),
  });
  try {
    await readTracked(context, trackedWork, defaults);
    await readUntracked(context, untrackedWork, defaults);
  } finally {
    task.end();
  }
  findEmptiedFolders(context);
  noteSubmodules(context);
  noteGitEntry(context);
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
    ...withheldFiles(findings.withheld),
  };
  findings.bytes += cleanBytes(snapshot.index, dirty, context.scope);
  const lost = lostPaths(context, damaged);
  const stored = await buildAndStore(context, snapshot, head, state, details);
  return {
    scope: request.scope,
    head,
    state,
    settings,
    index: snapshot,
    ...stored,
    details,
    indexFlags: digestFlags(snapshot.index),
    spool,
    findings,
    files: countFiles(snapshot.index, findings.changes, context.scope),
    basedOn: cache.checkpoint,
    held: cache.held,
    misread: trust.misread,
    damage: {
      repaired: [...damaged.keys()].filter((path) => !lost.includes(path)),
      // What a partial clone has not fetched is no damage.
      lost: trust.isPartial ? [] : lost,
      objects: lost.length + [...trust.bad].filter((oid) => spool.has(oid)).length,
    },
    before: cache,
    cache: {
      checkpoint: undefined,
      held: stored.own,
      files: findings.files,
      paths: known.paths,
      pathsIdentity: snapshot.identity,
      trackedFolders: known.folders,
      folders: walk.memory,
      trees: stored.known,
      indexRaw:
        stored.indexRaw === undefined
          ? undefined
          : { identity: snapshot.identity, oid: stored.indexRaw },
      examined,
      store: trust.store,
    },
  };
}

const NOTHING_HELD = { checkpoint: undefined, held: EMPTY_CACHE.held, trees: undefined } as const;

/** The cache, without what it says about objects when the checkpoint that held them is gone. */
async function liveCache(repository: Repository, reader: ObjectReader): Promise<CaptureCache> {
  const cache = loadCache(repository);
  const { checkpoint } = cache;
  if (checkpoint === undefined) return { ...cache, ...NOTHING_HELD };
  for (const { name, oid } of refsOf(checkpoint)) {
    const commit = await ifWhole(() => reader.read(name));
    if (commit?.oid !== oid) return { ...cache, ...NOTHING_HELD };
  }
  return cache;
}

/** Undefined where git cannot read it. */
async function ifWhole<Result>(
  read: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === "checkpoint_damaged") return undefined;
    throw error;
  }
}

/** Something called `.git` in a plain folder that is no repository, or not yet one. */
function noteGitEntry({ repository, root, findings }: CaptureContext): void {
  const path = asBytePath(".git");
  const stat = repository.isPlain ? statOf(onDisk(root, path)) : undefined;
  if (stat !== undefined) {
    findings.exclude(path, "nested_repository", null, kindOf(stat) === "folder");
  }
}

function noteSubmodules(context: CaptureContext): void {
  const { index, findings, root } = context;
  // In a conflict there are several entries of one path.
  const paths = new Set((index?.submodules ?? []).map((entry) => index?.path(entry)));
  for (const path of paths) {
    if (path === undefined || statOf(onDisk(root, path)) === undefined) continue;
    findings.exclude(path, "submodule", null, true);
  }
}
