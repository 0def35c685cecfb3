/** The PartKeeper of files that git ignores or that are outside of the project: plain copies with a manifest. */
import { readFileSync } from "node:fs";
import {
  ancestorsOf,
  asBytePath,
  isInside,
  ROOT,
  showPath,
  type BytePath,
} from "../../../domain/byte-path.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure } from "../../../domain/failure.ts";
import {
  isOutside,
  stateOf,
  type BackupEntry,
  type BackupManifest,
} from "../../../domain/file-backup.ts";
import { sameContent } from "../../../domain/file-state.ts";
import { humanBytes } from "../../../domain/human-bytes.ts";
import type { FilePart } from "../../../domain/parts.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type {
  CapturedPart,
  HeldPart,
  KeepsOutside,
  PartChange,
  PartDescription,
  PartKeeper,
  PartKept,
  PartPreview,
  PartRestoreOrder,
  PreparedPart,
} from "../../../ports/part-keeper.ts";
import type { Progress } from "../../../ports/progress.ts";
import type { FileAsk } from "../../../ports/part-keepers.ts";
import { rootFolder } from "../byte-names.ts";
import { isMissing } from "../errors.ts";
import { FileMover } from "../exchange/file-mover.ts";
import { statOf } from "../file-stat.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { BackupFolder, type Copies, type OtherRoots } from "./backup-folder.ts";
import { commandsFor } from "./by-hand.ts";
import { areaOf, coverage, planRestore, type Decision, type Wish } from "./plan-restore.ts";
import { countProblem, digestOf, entriesOf, readManifest } from "./read-manifest.ts";
import { makeCopies } from "./make-copies.ts";
import { placesOf } from "./pattern-places.ts";
import { RestoreFiles } from "./restore-files.ts";
import { selectFiles, withoutLinks, type Selection, type Surroundings } from "./select-files.ts";

/** More than these are counted and not named. */
const MOST_WARNINGS = 10;

const ELSEWHERE = "its copies are on the machine where it was taken";
const NOTHING: FileAsk = { patterns: [], outside: [], includeSecrets: [] };
const NOTHING_FOUND: Selection = {
  files: [],
  emptyFolders: new Map(),
  leftOut: [],
  includedSecrets: [],
};

export interface FileBackupOptions extends Surroundings {
  /** Keeps Waymark's own folder out of git. */
  readonly excludeOwnFolder: () => void;
  /** Work trees that share the checkpoints. */
  readonly otherRoots: OtherRoots;
  /** True for what holds checkpoints of its own in Waymark's folder. */
  readonly isOtherStore: (name: string) => boolean;
  readonly progress: Progress;
}

const NONE: ReadonlySet<BytePath> = new Set();

export class FileBackupKeeper implements PartKeeper<FilePart, FileAsk>, KeepsOutside {
  readonly type = "file_backup";
  readonly #options: FileBackupOptions;
  readonly #folder: BackupFolder;

  constructor(options: FileBackupOptions) {
    this.#options = options;
    this.#folder = new BackupFolder(options.root, options.excludeOwnFolder, options.otherRoots);
  }

  async capture(ask: FileAsk): Promise<CapturedPart<FilePart>> {
    try {
      const { inside, outside } = placesOf(this.#options.root, ask.patterns);
      const real = {
        ...ask,
        patterns: inside,
        outside: [...ask.outside, ...outside].map(withoutLinks),
      };
      const selection = await selectFiles(this.#options, real);
      return await this.#copies(real, selection, []);
    } catch (error) {
      throw asFailure(error, "backing up files");
    }
  }

  async captureLike(held: HeldPart<FilePart>): Promise<CapturedPart<FilePart>> {
    try {
      const { ask, paths, manifest } = await this.#like(held);
      if (this.#isElsewhere(held)) return await this.#copies(NOTHING, NOTHING_FOUND, []);
      const selection = await selectFiles(this.#options, ask, paths);
      const above = new Set([
        ...paths.flatMap((path) => ancestorsOf(path)),
        ...manifest.absentFolders,
      ]);
      const mover = this.#mover();
      const absent = [...above].filter((folder) => {
        const { area, path } = areaOf(folder);
        return !mover.isFolder(area, path);
      });
      mover.close();
      return await this.#copies(ask, selection, absent);
    } catch (error) {
      throw asFailure(error, "backing up files");
    }
  }

  async verify(held: HeldPart<FilePart>): Promise<readonly string[]> {
    let manifest: BackupManifest;
    try {
      manifest = await readManifest(held, this.#options.foldsCase);
    } catch (error) {
      if (error instanceof Failure) return [error.message];
      throw error;
    }
    const miscounted = countProblem(manifest, held.part);
    const problems = miscounted === undefined ? [] : [miscounted];
    if (this.#isElsewhere(held)) return problems;
    const copies = this.#folder.open(held.checkpointId);
    try {
      for (const entry of manifest.entries) {
        if (entry.type !== "file") continue;
        const problem = problemWith(entry, copies.at(entry.path));
        if (problem !== undefined) problems.push(problem);
      }
      const beside = copies.manifest();
      const text = beside === undefined ? undefined : readIfThere(beside);
      if (text === undefined || digestOf(text) !== held.part.digest) {
        problems.push("the manifest of the copies is missing or was changed");
      }
      return problems;
    } finally {
      copies.close();
    }
  }

  async preview(held: HeldPart<FilePart>, paths: readonly BytePath[] | null): Promise<PartPreview> {
    const { ask, paths: known, manifest } = await this.#like(held);
    if (this.#isElsewhere(held)) {
      return { changes: [], kept: keptAsTheyAre(manifest, paths), now: "" };
    }
    const selection = await selectFiles(this.#options, ask, known);
    const mover = this.#mover();
    try {
      const to = only(entriesOf(manifest, !held.isForeign), paths);
      const now = new Map<BytePath, BackupEntry>();
      for (const { path } of selection.files) {
        const { area, path: below } = areaOf(path);
        const presence = mover.look(area, below);
        if (presence.kind !== "present") continue;
        const { type, oid: sha256, mode } = presence.state;
        const entry: BackupEntry =
          type === "file"
            ? { type, path, sha256, size: 0, mode }
            : { type, path, sha256, target: asBytePath("") };
        now.set(path, entry);
      }
      for (const [path, mode] of selection.emptyFolders)
        now.set(path, { type: "folder", path, mode });
      const expected = only(now, paths);
      const wish = { ...(await this.#wish(held, manifest)), to, expected };
      const { plan, kept } = planRestore(wish, mover, this.#options.root);
      const leaving = plan.remove.map(({ path }) => path);
      const gits = held.hasFile === undefined ? NONE : await this.#belongToGit(held, leaving);
      const change = (
        path: BytePath,
        operation: PartChange["operation"],
        summary: string,
      ): PartChange => ({ what: showPath(path), operation, summary });
      return {
        changes: [
          ...plan.write.map(({ path, before }) =>
            before === null
              ? change(path, "restored", "is restored from its copy")
              : change(path, "changed_back", "is reverted to its copy"),
          ),
          ...plan.mode.map(({ path }) =>
            change(path, "mode_changed_back", "gets its earlier permissions"),
          ),
          ...leaving
            .filter((path) => !gits.has(path))
            .map((path) => change(path, "removed", "did not exist")),
        ],
        kept: [
          ...kept,
          ...plan.keep.map(({ path, reason }) => ({ what: showPath(path), reason })),
          ...selection.leftOut.map(({ path, reason }) => ({ what: path, reason })),
        ],
        now: digestOfNow(expected),
      };
    } finally {
      mover.close();
    }
  }

  async prepare(order: PartRestoreOrder<FilePart>): Promise<PreparedPart> {
    const { to, expected, paths } = order;
    const target = await readManifest(to, this.#options.foldsCase);
    const before = await readManifest(expected, this.#options.foldsCase);
    // Also on the way back: nothing was changed then.
    if (this.#isElsewhere(to) || this.#isElsewhere(expected)) {
      const kept = this.#isElsewhere(to) ? keptAsTheyAre(target, paths) : [];
      return { apply: async () => kept, mismatches: async () => [], close: () => undefined };
    }
    const withOutside = !to.isForeign && !expected.isForeign;
    const entries = only(entriesOf(target, withOutside), paths);
    const wish: Wish = {
      ...(await this.#wish(to, target)),
      to: entries,
      expected: only(entriesOf(before, withOutside), paths),
      absentFolders: target.absentFolders.filter(
        (folder) => isWanted(folder, paths) && (withOutside || !isOutside(folder)),
      ),
    };
    const mover = this.#mover();
    const copies = this.#folder.open(to.checkpointId);
    try {
      const restore = new RestoreFiles({
        root: this.#options.root,
        folder: this.#folder,
        mover,
        decision: await this.#withoutGitsFolders(to, planRestore(wish, mover, this.#options.root)),
        entries,
        copies,
        checkpointId: to.checkpointId,
        isInWorkTree: to.hasFile !== undefined,
        belongToGit: (leaving) => this.#belongToGit(to, leaving),
      });
      await restore.prepare();
      return restore;
    } catch (error) {
      mover.close();
      copies.close();
      throw asFailure(error, "preparing the file backup");
    }
  }

  discard(checkpointIds: readonly string[]): Promise<void> {
    try {
      for (const id of checkpointIds) this.#folder.discard(id);
      return Promise.resolve();
    } catch (error) {
      return Promise.reject(asFailure(error, "removing file backups"));
    }
  }

  orphans(existingIds: ReadonlySet<string>, before: Date): readonly string[] {
    return this.#folder.orphans(existingIds, before, this.#options.isOtherStore);
  }

  async describe(held: HeldPart<FilePart>): Promise<PartDescription> {
    const manifest = await readManifest(held, this.#options.foldsCase);
    const entries = entriesOf(manifest, !held.isForeign);
    const copies = this.#folder.open(held.checkpointId);
    const { files, bytes } = held.part;
    const summary = `copies of ${files} ${files === 1 ? "file" : "files"}, ${humanBytes(bytes)}`;
    if (this.#isElsewhere(held)) {
      const folder = showPath(copies.pathOf(asBytePath("")));
      return {
        summary,
        commands: [],
        prerequisites: [`${ELSEWHERE}, in ${folder}`],
        rollbackNeeds: [],
      };
    }
    return {
      summary,
      commands: commandsFor(this.#options.root, entries.values(), (path) =>
        asBytePath(`${rootFolder(copies.root)}/${copies.pathOf(path)}`),
      ),
      prerequisites: [
        ...foldersWithCopies(entries.values(), copies),
        "GNU `install`, `ln` and `mkdir`",
        "newer files are not removed",
      ],
      rollbackNeeds: [],
    };
  }

  /** True for an imported one whose copies nobody brought along: an archive holds what is in git. */
  #isElsewhere(held: HeldPart<FilePart>): boolean {
    if (!held.isForeign) return false;
    const copies = this.#folder.open(held.checkpointId);
    try {
      const manifest = copies.manifest();
      return manifest === undefined || statOf(manifest) === undefined;
    } finally {
      copies.close();
    }
  }

  /** What restoring a held part may change. */
  async #like(held: HeldPart<FilePart>): Promise<{
    readonly ask: FileAsk;
    readonly paths: readonly BytePath[];
    readonly manifest: BackupManifest;
  }> {
    const manifest = await readManifest(held, this.#options.foldsCase);
    const { patterns, outside } = held.part;
    const known = entriesOf(manifest, !held.isForeign).keys();
    const paths = [...new Set([...known, ...(await this.#stillBrought(held))])];
    return {
      ask: { patterns, outside: held.isForeign ? [] : outside, includeSecrets: [] },
      paths: [...paths, ...this.#inTheWay(paths)],
      manifest,
    };
  }

  async #brought({ broughtBy }: HeldPart<FilePart>): Promise<ReadonlyMap<BytePath, BackupEntry>> {
    if (broughtBy === undefined || this.#isElsewhere(broughtBy)) return new Map();
    const manifest = await readManifest(broughtBy, this.#options.foldsCase);
    return entriesOf(manifest, !broughtBy.isForeign);
  }

  /** Files that are still what a rollback put there, whatever the rules of now say about them. */
  async #stillBrought(held: HeldPart<FilePart>): Promise<BytePath[]> {
    const mover = this.#mover();
    try {
      return [...(await this.#brought(held))].flatMap(([whole, entry]) => {
        const { area, path } = areaOf(whole);
        const now = entry.type === "folder" ? undefined : mover.look(area, path);
        return now?.kind === "present" && sameContent(now.state, stateOf(entry)) ? [whole] : [];
      });
    } finally {
      mover.close();
    }
  }

  /** Files and links where these paths need a folder: they have to make room. */
  #inTheWay(paths: readonly BytePath[]): BytePath[] {
    const mover = this.#mover();
    try {
      return [...new Set(paths.flatMap((path) => ancestorsOf(path)))].filter((folder) => {
        const { area, path } = areaOf(folder);
        const at = mover.at(area, path);
        const stat = at === undefined ? undefined : statOf(at);
        return stat !== undefined && !stat.isDirectory();
      });
    } finally {
      mover.close();
    }
  }

  async #wish(held: HeldPart<FilePart>, manifest: BackupManifest) {
    return {
      brought: await this.#brought(held),
      leftOut: manifest.leftOut,
      absentFolders: manifest.absentFolders,
      covers: coverage(held.part.patterns, held.part.outside),
    };
  }

  #copies(
    ask: FileAsk,
    selection: Selection,
    absentFolders: readonly BytePath[],
  ): Promise<CapturedPart<FilePart>> {
    const { root, progress } = this.#options;
    return makeCopies({ root, folder: this.#folder, progress }, ask, selection, absentFolders);
  }

  #mover(): FileMover {
    return new FileMover({ project: this.#options.root, outside: "/" }, sha256Ids);
  }

  /** A folder that the work tree of the checkpoint has, empty or not, is not ours to remove. */
  async #withoutGitsFolders(to: HeldPart<FilePart>, decision: Decision): Promise<Decision> {
    const { plan } = decision;
    const removeFolders: BytePath[] = [];
    for (const folder of plan.removeFolders) {
      if ((await to.hasFolder?.(folder)) !== true) removeFolders.push(folder);
    }
    return { ...decision, plan: { ...plan, removeFolders } };
  }

  async #belongToGit(
    to: HeldPart<FilePart>,
    paths: readonly BytePath[],
  ): Promise<ReadonlySet<BytePath>> {
    const theirs = new Set<BytePath>();
    if (to.hasFile !== undefined) {
      for (const path of paths) if (await to.hasFile(path)) theirs.add(path);
      return theirs;
    }
    const ignored = await this.#options.ignored([]);
    const files = new Set(ignored.files);
    const folders = new Set(ignored.folders);
    for (const path of paths) {
      const isIgnored = files.has(path) || ancestorsOf(path).some((folder) => folders.has(folder));
      if (!isIgnored) theirs.add(path);
    }
    return theirs;
  }
}

function keptAsTheyAre(
  manifest: BackupManifest,
  paths: readonly BytePath[] | null,
): readonly PartKept[] {
  const names = [...only(entriesOf(manifest, true), paths).keys()].map(showPath);
  const more = names.length - MOST_WARNINGS;
  return [...names.slice(0, MOST_WARNINGS), ...(more > 0 ? [`${more} more files`] : [])].map(
    (what) => ({ what, reason: ELSEWHERE, isElsewhere: true }),
  );
}

function only(
  entries: Map<BytePath, BackupEntry>,
  paths: readonly BytePath[] | null,
): Map<BytePath, BackupEntry> {
  if (paths === null) return entries;
  // A file where a wanted path needs a folder is in its way.
  const isAbove = (path: BytePath): boolean =>
    path !== ROOT && paths.some((part) => isInside(part, path));
  return new Map([...entries].filter(([path]) => isWanted(path, paths) || isAbove(path)));
}

/** The root of the project stands for what is in it, and not for what is outside. */
function digestOfNow(entries: ReadonlyMap<BytePath, BackupEntry>): string {
  const found = [...entries.values()].map((entry) => canonicalJson(entry)).toSorted();
  return digestOf(Buffer.from(found.join("\n")));
}

function isWanted(path: BytePath, paths: readonly BytePath[] | null): boolean {
  if (paths === null) return true;
  return paths.some((part) => isOutside(path) === isOutside(part) && isInside(path, part));
}

function problemWith(
  entry: Extract<BackupEntry, { type: "file" }>,
  at: Buffer | undefined,
): string | undefined {
  const stat = at === undefined ? undefined : statOf(at);
  if (at === undefined || stat?.isFile() !== true) {
    return `the copy of ${showPath(entry.path)} is missing`;
  }
  const isWhole = Number(stat.size) === entry.size && sha256Ids.ofFile(at) === entry.sha256;
  return isWhole ? undefined : `the copy of ${showPath(entry.path)} was changed`;
}

function readIfThere(path: Buffer): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Copies of files of the project are in one folder, those of files outside in another. */
function foldersWithCopies(entries: Iterable<BackupEntry>, copies: Copies): string[] {
  const files = [...entries].filter(({ type }) => type === "file");
  const tops = [
    ...(files.some(({ path }) => !isOutside(path)) ? [asBytePath("")] : []),
    ...(files.some(({ path }) => isOutside(path)) ? [asBytePath("/")] : []),
  ];
  if (tops.length === 0) return [];
  const folders = tops.map((path) => showPath(copies.pathOf(path)));
  return [`the copies are in ${folders.join(" and ")}`];
}
