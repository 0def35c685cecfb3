/** The WorkTree port on a git work tree. */
import {
  ancestorsOf,
  asBytePath,
  type BytePath,
  joinPath,
  nameOf,
  parentOf,
  showPath,
  isInside,
} from "../../domain/byte-path.ts";
import {
  filesTreeOf,
  type CheckpointDocument,
  type Exclusion,
  type FileChanges,
  type GitPart,
} from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import type { FileState, PathChange } from "../../domain/file-state.ts";
import type { KeepReason } from "../../domain/rollback-plan.ts";
import { withheldExclusions } from "../../domain/local-half.ts";
import { modeAt, unknownPaths, type WorkTreeDetails } from "../../domain/work-tree-details.ts";
import type {
  Capture,
  CaptureOptions,
  Comparison,
  WorkTree,
  UnmatchedPattern,
} from "../../ports/work-tree.ts";
import { scopeFilter } from "../../domain/scope.ts";
import { onDisk, rootFolder } from "../files/byte-names.ts";
import { databaseLogs, fileOfLog } from "../files/database-logs.ts";
import { lookAt, quickStatOf, statOf } from "../files/file-stat.ts";
import { captureWorkTree } from "./capture/capture-work-tree.ts";
import { realFolders } from "../files/real-folders.ts";
import { remember } from "./capture/remember.ts";
import { contentHashOf, WORK_TREE_ENTRIES } from "./content-hash.ts";
import { findEntry, TreeLookup } from "./find-entry.ts";
import { isForeign } from "./foreign-marks.ts";
import { GitCapture } from "./git-capture.ts";
import { heldDetails, heldPart } from "./local-half.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import type { ObjectReader } from "./object-reader.ts";
import { isMadeHere } from "./made-here.ts";
import { Quarantine } from "./quarantine.ts";
import { forEachWith, SILENT, type Progress } from "../../ports/progress.ts";
import { localRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { IndexFile } from "./index-file.ts";
import { ignoredAtTarget } from "./target-ignore-rules.ts";
import type { TreeEntry } from "./tree-object.ts";
import { emptyFolderMode } from "../files/untracked-walk.ts";
import { diffTrees, TreeSource, type LeafChange } from "./tree-source.ts";
import { aheadOfUpstream } from "./upstream.ts";

/** Longer lists are cut; the total is always there. */
const MOST_LISTED = 300;

export class GitWorkTree implements WorkTree {
  readonly id: string;
  readonly root: string;
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #progress: Progress;
  readonly #looksOnly: boolean;

  /** `looksOnly`: no capture of it will be published. */
  constructor(
    repository: Repository,
    reader: ObjectReader,
    progress: Progress = SILENT,
    looksOnly = false,
  ) {
    this.#repository = repository;
    this.#reader = reader;
    this.#progress = progress;
    this.#looksOnly = looksOnly;
    this.id = repository.worktreeId;
    this.root = repository.workTree;
  }

  async capture(options: CaptureOptions): Promise<Capture> {
    const quarantine = new Quarantine(this.#repository, this.#looksOnly);
    let attempt = 0;
    try {
      const raw = await captureWorkTree(this.#repository, this.#reader, {
        policy: options.policy,
        include: options.include ?? new Set(),
        evenIfIgnored: options.evenIfIgnored ?? new Set(),
        includeSecrets: options.includeSecrets ?? [],
        leaveOut: options.leaveOut ?? new Set(),
        scope: options.scope,
        readMapped: options.readMapped === true,
        progress: this.#progress,
        stopIfAsked: options.stopIfAsked,
        distrusted: options.distrusted ?? new Set(),
        // A second reading must not add to the spool of the first.
        spoolPath:
          options.onlyLook === true ? undefined : () => quarantine.path(`spool-${attempt++}.pack`),
      });
      const ahead = await aheadOfUpstream(this.#repository, raw.head, raw.settings);
      const { isPlain, hash } = this.#repository;
      const source = new TreeSource(this.#repository, this.#reader, raw.made);
      return new GitCapture(raw, quarantine, { isPlain, aheadOfUpstream: ahead, hash, source });
    } catch (error) {
      quarantine.discard();
      throw error;
    }
  }

  remember(capture: Capture): void {
    if (capture instanceof GitCapture) remember(this.#repository, capture.raw);
  }

  async damagedIn(
    capture: Capture,
    paths: readonly BytePath[],
    stopIfAsked?: () => void,
  ): Promise<ReadonlySet<string>> {
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    const { damagedObjects } = await import("./unproven-objects.ts");
    const forEach = forEachWith(this.#progress, stopIfAsked);
    return damagedObjects(this.#repository.store, this.#reader, { capture, paths, forEach });
  }

  async changesSince(
    previous: CheckpointDocument | undefined,
    capture: Capture,
  ): Promise<FileChanges> {
    const before = previous && (await heldPart(this.#repository, this.#reader, previous));
    if (before === undefined) return { created: [], modified: [], deleted: [], total: 0 };
    const unknownThen = unknownPaths(this.#unknownIn(previous, before));
    const unknownNow = unknownPaths(capture.details.excluded);
    const then = scopeFilter(previous?.scope?.files);
    const now = scopeFilter(capture instanceof GitCapture ? capture.raw.scope : undefined);
    // What was left out, or is out of a scope, is neither new nor gone.
    const isKnown = ({ path, before: old, after }: LeafChange): boolean =>
      then?.covers(path, false) !== false &&
      now?.covers(path, false) !== false &&
      (old !== undefined || unknownThen(path) === undefined) &&
      (after !== undefined || unknownNow(path) === undefined);
    const all = await this.#diffOrNothing(before.worktree, capture);
    const changes = all.filter(isKnown);
    const names = (wanted: (change: LeafChange) => boolean): string[] =>
      changes
        .filter(wanted)
        .slice(0, MOST_LISTED)
        .map((change) => showPath(change.path));
    return {
      created: names((change) => change.before === undefined),
      modified: names((change) => change.before !== undefined && change.after !== undefined),
      deleted: names((change) => change.after === undefined),
      total: changes.length,
    };
  }

  /** What the document lists, and what of it is not here. */
  #unknownIn(document: CheckpointDocument | undefined, part: GitPart): readonly Exclusion[] {
    if (document === undefined) return [];
    const { excluded, withheld = [] } = document.coverage;
    const isWhole = part.worktree === filesTreeOf(document);
    return isWhole ? excluded : [...excluded, ...withheldExclusions(withheld)];
  }

  /** A list of changes is no reason to go without a checkpoint: where the last one has lost a folder, there is none. */
  async #diffOrNothing(before: string, capture: Capture): Promise<LeafChange[]> {
    try {
      return await this.#diff(before, capture.part.worktree, capture);
    } catch (error) {
      if (error instanceof Failure && error.code === "checkpoint_damaged") return [];
      throw error;
    }
  }

  async contentHashWith(capture: Capture, checkpoint: CheckpointDocument): Promise<string> {
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    const own = new Set<string>(WORK_TREE_ENTRIES);
    const { digest } = await this.#partOf(checkpoint);
    const root = await this.#source().entries(digest);
    const others = root.filter(({ name }) => !own.has(name));
    const { worktree } = capture.part;
    return contentHashOf([...capture.rootEntries, ...others], worktree);
  }

  async compare(capture: Capture, target: CheckpointDocument): Promise<Comparison> {
    const part = await this.#partOf(target);
    this.#refuseLostHalf(target, part);
    const targetDetails = await heldDetails(this.#reader, target, part);
    const leaves = await this.#diff(capture.part.worktree, part.worktree, capture);
    const contents = leaves.flatMap(({ path, ...change }): PathChange[] => {
      const before = fileState(withoutSubmodule(change.before), path, capture.details);
      const target = fileState(withoutSubmodule(change.after), path, targetDetails);
      return before === null && target === null ? [] : [{ path, before, target }];
    });
    const changed = new Set(leaves.map((change) => change.path));
    const modes = await this.#modeChanges(capture, part, targetDetails, changed);
    const changes = [...contents, ...modes];
    const unknown = unknownPaths(targetDetails.excluded);
    const emptyFolders = this.#emptyFolders(capture.details, targetDetails, leaves);
    const folders = await this.#foldersAtTarget(part, changes, emptyFolders.before);
    return {
      changes,
      unknownAtTarget: (path) => unknown(path)?.reason,
      excludedAtTarget: targetDetails.excluded,
      emptyFolders,
      folderAtTarget: (folder) => folders.has(folder),
      protect: (paths) => this.#protect(capture, target, paths, changes),
      inTheWay: (paths) => this.#inTheWay(paths, changes, emptyFolders.target),
      isMissing: (path) =>
        lookAt(onDisk(rootFolder(this.#repository.workTree), path)) === undefined,
      logsBeside: (files) => this.#logsBeside(files),
      logsWithoutFile: (paths) => this.#logsWithoutFile(paths),
    };
  }

  async pathsIn(checkpoint: CheckpointDocument, paths: readonly BytePath[]): Promise<BytePath[]> {
    const { worktree } = await this.#partOf(checkpoint);
    const source = this.#source();
    const lookup = new TreeLookup(source, worktree);
    const found: BytePath[] = [];
    for (const path of paths) {
      const isFolder = path.endsWith("/");
      const plain = isFolder ? (path.slice(0, -1) as BytePath) : path;
      const entry = withoutSubmodule(await lookup.find(plain));
      if (entry === undefined) continue;
      if (entry.mode !== "040000") found.push(plain);
      else if (isFolder) {
        const inside = await diffTrees({ source, oid: undefined }, { source, oid: entry.oid });
        for (const { path: below, after } of inside) {
          if (withoutSubmodule(after) !== undefined) found.push(joinPath(plain, below));
        }
      }
    }
    return found;
  }

  async filesInScope(checkpoint: CheckpointDocument): Promise<BytePath[]> {
    const { worktree } = await this.#partOf(checkpoint);
    const filter = scopeFilter(checkpoint.scope?.files);
    const source = this.#source();
    const all = await diffTrees({ source, oid: undefined }, { source, oid: worktree });
    return all
      .filter(
        ({ path, after }) =>
          withoutSubmodule(after) !== undefined && filter?.covers(path, false) !== false,
      )
      .map(({ path }) => path);
  }

  async heldBy(
    checkpoint: CheckpointDocument | undefined,
    changes: readonly PathChange[],
  ): Promise<ReadonlySet<BytePath>> {
    const held = new Set<BytePath>();
    if (checkpoint === undefined) return held;
    const lookup = new TreeLookup(this.#source(), (await this.#partOf(checkpoint)).worktree);
    for (const { path, before } of changes) {
      if (before === null) continue;
      const entry = await lookup.find(path);
      if (entry?.oid === before.oid) held.add(path);
    }
    return held;
  }

  async holds(checkpoint: CheckpointDocument, path: BytePath): Promise<boolean> {
    return (await this.#modeIn(checkpoint, path)) !== undefined;
  }

  async holdsFile(checkpoint: CheckpointDocument, path: BytePath): Promise<boolean> {
    const mode = await this.#modeIn(checkpoint, path);
    return mode !== undefined && mode !== "040000";
  }

  async holdsFolder(checkpoint: CheckpointDocument, folder: BytePath): Promise<boolean> {
    if ((await this.#modeIn(checkpoint, folder)) === "040000") return true;
    const part = await this.#partOf(checkpoint);
    const { emptyFolders } = await heldDetails(this.#reader, checkpoint, part);
    return [...emptyFolders.keys()].some((empty) => isInside(empty, folder));
  }

  async unmatched(scope: readonly string[]): Promise<readonly UnmatchedPattern[]> {
    const { unmatchedPatterns } = await import("./unmatched-patterns.ts");
    return unmatchedPatterns(this.#repository, scope);
  }

  async #modeIn(checkpoint: CheckpointDocument, path: BytePath): Promise<string | undefined> {
    const { worktree } = await this.#partOf(checkpoint);
    return withoutSubmodule(await findEntry(this.#source(), worktree, path))?.mode;
  }

  #source(capture?: Capture): TreeSource {
    const made = capture instanceof GitCapture ? capture.raw.made : undefined;
    return new TreeSource(this.#repository, this.#reader, made);
  }

  #diff(before: string, after: string, capture: Capture): Promise<LeafChange[]> {
    const source = this.#source(capture);
    return diffTrees({ source, oid: before }, { source, oid: after });
  }

  /** On another machine its files stay as they are and are named. Here they were promised. */
  #refuseLostHalf(target: CheckpointDocument, part: GitPart): void {
    if (part.worktree === filesTreeOf(target) || isForeign(this.#repository, target.id)) return;
    if (!isMadeHere(this.#repository, target)) return;
    throw new Failure(
      "checkpoint_damaged",
      `the local half of ${target.id} is missing or damaged: ${localRef(target.id)}`,
      { hint: `\`waymark rebuild ${target.id}\` may repair it. Nothing was changed.` },
    );
  }

  /** As far as it is here. */
  async #partOf(checkpoint: CheckpointDocument): Promise<GitPart> {
    const part = await heldPart(this.#repository, this.#reader, checkpoint);
    if (part !== undefined) return part;
    throw new Failure("checkpoint_damaged", `checkpoint ${checkpoint.id} contains no work tree`, {
      hint: "It cannot be used. `waymark list` shows others.",
    });
  }

  /** With the folders of submodules that are on one side only: there they are as git makes them, and go if nothing is in them. */
  #emptyFolders(
    now: WorkTreeDetails,
    then: WorkTreeDetails,
    leaves: readonly LeafChange[],
  ): Comparison["emptyFolders"] {
    const root = rootFolder(this.#repository.workTree);
    const before = new Map(now.emptyFolders);
    const target = new Map(then.emptyFolders);
    for (const leaf of leaves) {
      if (!isSubmodule(leaf.before) && !isSubmodule(leaf.after)) continue;
      const mode = before.get(leaf.path) ?? emptyFolderMode(root, leaf.path);
      if (isSubmodule(leaf.before) && leaf.after === undefined && mode !== undefined) {
        before.set(leaf.path, mode);
      }
      // A file in its place stays.
      if (isSubmodule(leaf.after) && leaf.before === undefined) {
        target.set(leaf.path, mode ?? now.defaults.executable);
      }
    }
    return { before, target };
  }

  /** Files with the same bytes and other permission bits. */
  async #modeChanges(
    capture: Capture,
    part: GitPart,
    target: WorkTreeDetails,
    changed: ReadonlySet<BytePath>,
  ): Promise<PathChange[]> {
    const found: PathChange[] = [];
    const lookup = new TreeLookup(this.#source(), part.worktree);
    for (const path of new Set([...capture.details.modes.keys(), ...target.modes.keys()])) {
      if (changed.has(path)) continue;
      if (capture.details.modes.get(path) === target.modes.get(path)) continue;
      const entry = await lookup.find(path);
      if (entry === undefined || !entry.mode.startsWith("100")) continue;
      const before = modeAt(capture.details, path, entry.mode === "100755");
      const after = modeAt(target, path, entry.mode === "100755");
      if (before === after) continue;
      const file = { type: "file" as const, oid: entry.oid };
      found.push({ path, before: { ...file, mode: before }, target: { ...file, mode: after } });
    }
    return found;
  }

  async #foldersAtTarget(
    part: GitPart,
    changes: readonly PathChange[],
    emptyFolders: ReadonlyMap<BytePath, number>,
  ): Promise<Set<BytePath>> {
    const asked = new Set<BytePath>();
    const gone = changes.filter((change) => change.target === null).map((change) => change.path);
    for (const path of [...gone, ...emptyFolders.keys()]) {
      for (const folder of ancestorsOf(path)) asked.add(folder);
    }
    for (const folder of emptyFolders.keys()) asked.add(folder);
    const present = new Set<BytePath>();
    const lookup = new TreeLookup(this.#source(), part.worktree);
    for (const folder of asked) {
      const entry = await lookup.find(folder);
      if (entry?.mode === "040000") present.add(folder);
    }
    return present;
  }

  /**
   * Paths that git ignored then or ignores now. A tracked path is not ignored, whatever the rules say: what was tracked at
   * the target is known to be absent there, and what is tracked only now counts by the rules of the target alone.
   */
  async #protect(
    capture: Capture,
    target: CheckpointDocument,
    paths: readonly BytePath[],
    changes: readonly PathChange[],
  ): Promise<Map<BytePath, KeepReason>> {
    const part = await this.#partOf(target);
    const scope = scopeFilter(target.scope?.files);
    const isHeld = (path: BytePath): boolean => scope?.covers(path, false) !== false;
    const ignored = await this.#ignoredNow(paths);
    // The rules of the checkpoint are those of now unless a .gitignore that it holds is among the changes.
    if (changes.some(({ path }) => nameOf(path) === ".gitignore" && isHeld(path))) {
      const trackedNow = capture instanceof GitCapture ? capture.raw.index.index : undefined;
      for (const path of ignored) if (trackedNow?.has(path) === true) ignored.delete(path);
      const then = { source: this.#source(), worktree: part.worktree, isHeld };
      const ignoredThen = await ignoredAtTarget(this.#repository, this.#reader, then, paths);
      for (const path of ignoredThen) ignored.add(path);
    }
    if (ignored.size === 0) return new Map();
    const trackedThen = await this.#indexOf(part);
    return new Map(
      [...ignored]
        .filter((path) => trackedThen?.has(path) !== true)
        .map((path) => [path, "ignored"]),
    );
  }

  async #ignoredNow(paths: readonly BytePath[]): Promise<Set<BytePath>> {
    const rules = new IgnoreRules(this.#repository);
    try {
      return await rules.ignored(paths.filter((path) => this.#isAskable(path)));
    } finally {
      rules.close();
    }
  }

  async #indexOf(part: GitPart): Promise<IndexFile | undefined> {
    if (part.index_raw === null) return undefined;
    const bytes = await this.#reader.readChecked(part.index_raw, "blob");
    return new IndexFile(bytes, this.#repository.hash);
  }

  /** Git refuses to answer for paths behind a link. */
  #isAskable(path: BytePath): boolean {
    const root = rootFolder(this.#repository.workTree);
    return ancestorsOf(path).every(
      (folder) => statOf(onDisk(root, folder))?.isSymbolicLink() !== true,
    );
  }

  #logsBeside(files: readonly BytePath[]): BytePath[] {
    const root = rootFolder(this.#repository.workTree);
    const isReal = realFolders(root);
    return databaseLogs(
      root,
      files.filter((file) => isReal(parentOf(file))),
    );
  }

  #logsWithoutFile(paths: readonly BytePath[]): Map<BytePath, BytePath> {
    const among = new Set(paths);
    const root = rootFolder(this.#repository.workTree);
    const found = new Map<BytePath, BytePath>();
    for (const log of paths) {
      const file = fileOfLog(log);
      if (file === undefined || among.has(file)) continue;
      if (quickStatOf(onDisk(root, file))?.isFile() !== true) continue;
      if (this.#logsBeside([file]).includes(log)) found.set(log, file);
    }
    return found;
  }

  #inTheWay(
    paths: readonly BytePath[],
    changes: readonly PathChange[],
    folders: ReadonlyMap<BytePath, number>,
  ): BytePath[] {
    const root = rootFolder(this.#repository.workTree);
    const held = new Map(changes.map((change) => [change.path, change.before]));
    const found = new Set<BytePath>();
    const isReal = realFolders(root);
    for (const path of paths) {
      for (const candidate of [path, ...ancestorsOf(path)]) {
        const before = held.get(candidate);
        if (found.has(candidate) || (before !== undefined && before !== null)) continue;
        if (!isReal(parentOf(candidate))) continue;
        const stat = statOf(onDisk(root, candidate));
        if (stat === undefined) continue;
        // Folders above are wanted; one in the place of a file is not, and may be one that is ignored.
        const isOfUse = stat.isDirectory() && (candidate !== path || folders.has(path));
        if (isOfUse) continue;
        found.add(asBytePath(candidate));
      }
    }
    return [...found];
  }
}

/** What is in a submodule is none of ours; a file in its place is one. */
function withoutSubmodule<T extends { readonly mode: string }>(entry: T | undefined) {
  return isSubmodule(entry) ? undefined : entry;
}

function isSubmodule(entry: { readonly mode: string } | undefined): boolean {
  return entry?.mode === "160000";
}

function fileState(
  entry: TreeEntry | undefined,
  path: BytePath,
  details: WorkTreeDetails,
): FileState | null {
  if (entry === undefined) return null;
  if (entry.mode === "120000") return { type: "link", oid: entry.oid, mode: 0 };
  return { type: "file", oid: entry.oid, mode: modeAt(details, path, entry.mode === "100755") };
}
