/** The PartKeeper of files that git ignores or that are outside of the project: their content in the local half, with a manifest. */
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
  entryOf,
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
import { FileMover } from "../exchange/file-mover.ts";
import { statOf } from "../file-stat.ts";
import { sha256Ids } from "../sha256-ids.ts";
import type { BlobShelf } from "./blob-shelf.ts";
import { commandsFor } from "./by-hand.ts";
import { captureFiles } from "./capture-files.ts";
import { areaOf, coverage, planRestore, type Decision, type Wish } from "./plan-restore.ts";
import { countProblem, digestOf, entriesOf, readManifest } from "./read-manifest.ts";
import { placesOf } from "./pattern-places.ts";
import { RestoreFiles } from "./restore-files.ts";
import { selectFiles, withoutLinks, type Selection, type Surroundings } from "./select-files.ts";

/** More than these are counted and not named. */
const MOST_WARNINGS = 10;

const ELSEWHERE = "its content is only on the machine where the checkpoint was taken";
const NOTHING: FileAsk = { patterns: [], outside: [], includeSecrets: [] };
const NOTHING_FOUND: Selection = {
  files: [],
  emptyFolders: new Map(),
  leftOut: [],
  includedSecrets: [],
};

export interface FileBackupOptions extends Surroundings {
  /** Where content waits until its checkpoint is published. */
  readonly beginShelf: () => Promise<BlobShelf>;
  /** For files on their way back. */
  readonly stagings: string;
  /** Git with the repository of the checkpoints, for commands that people run by hand. */
  readonly git: string;
  readonly progress: Progress;
}

const NONE: ReadonlySet<BytePath> = new Set();

export class FileBackupKeeper implements PartKeeper<FilePart, FileAsk> {
  readonly type = "file_backup";
  readonly #options: FileBackupOptions;

  constructor(options: FileBackupOptions) {
    this.#options = options;
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
      return await this.#capture(real, selection, []);
    } catch (error) {
      throw asFailure(error, "backing up files");
    }
  }

  async captureLike(held: HeldPart<FilePart>): Promise<CapturedPart<FilePart>> {
    try {
      const { ask, paths, manifest } = await this.#like(held);
      if (await isElsewhere(held)) return await this.#capture(NOTHING, NOTHING_FOUND, []);
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
      return await this.#capture(ask, selection, absent);
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
    if (await isElsewhere(held)) return problems;
    for (const entry of manifest.entries) {
      const problem = entry.type === "folder" ? undefined : await problemWith(held, entry);
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  async preview(held: HeldPart<FilePart>, paths: readonly BytePath[] | null): Promise<PartPreview> {
    const { ask, paths: known, manifest } = await this.#like(held);
    if (await isElsewhere(held)) {
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
    const isToElsewhere = await isElsewhere(to);
    if (isToElsewhere || (await isElsewhere(expected))) {
      const kept = isToElsewhere ? keptAsTheyAre(target, paths) : [];
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
    try {
      const restore = new RestoreFiles({
        root: this.#options.root,
        stagings: this.#options.stagings,
        mover,
        decision: await this.#withoutGitsFolders(to, planRestore(wish, mover, this.#options.root)),
        entries,
        held: to,
        isInWorkTree: to.hasFile !== undefined,
        belongToGit: (leaving) => this.#belongToGit(to, leaving),
      });
      await restore.prepare();
      return restore;
    } catch (error) {
      mover.close();
      throw asFailure(error, "preparing the file backup");
    }
  }

  async describe(held: HeldPart<FilePart>): Promise<PartDescription> {
    const manifest = await readManifest(held, this.#options.foldsCase);
    const entries = entriesOf(manifest, !held.isForeign);
    const { files, bytes } = held.part;
    const summary = `copies of ${files} ${files === 1 ? "file" : "files"}, ${humanBytes(bytes)}`;
    if (await isElsewhere(held)) {
      return { summary, commands: [], prerequisites: [ELSEWHERE], rollbackNeeds: [] };
    }
    const { git, root } = this.#options;
    return {
      summary,
      commands: commandsFor({ root, git, revision: held.revision }, entries.values()),
      prerequisites: ["GNU `mv` and `ln`", "newer files are not removed"],
      rollbackNeeds: [],
    };
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
    if (broughtBy === undefined || (await isElsewhere(broughtBy))) return new Map();
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

  async #capture(
    ask: FileAsk,
    selection: Selection,
    absentFolders: readonly BytePath[],
  ): Promise<CapturedPart<FilePart>> {
    const { root, progress, beginShelf } = this.#options;
    const place = { root, shelf: await beginShelf(), progress };
    return captureFiles(place, ask, selection, absentFolders);
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

/** An archive holds what may leave the machine. */
async function isElsewhere(held: HeldPart<FilePart>): Promise<boolean> {
  return held.isForeign && held.part.files > 0 && !(await held.isHere());
}

async function problemWith(
  held: HeldPart<FilePart>,
  { path, sha256 }: Exclude<BackupEntry, { type: "folder" }>,
): Promise<string | undefined> {
  try {
    const isWhole = (await held.sha256(entryOf(path))) === sha256;
    return isWhole ? undefined : `the copy of ${showPath(path)} was changed`;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "checkpoint_damaged") throw error;
    return `the copy of ${showPath(path)} cannot be read: ${error.message}`;
  }
}
