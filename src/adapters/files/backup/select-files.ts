/** Finds the files that a backup is asked for, and decides which of them it takes. Reads names only. */
import { realpathSync, type BigIntStats } from "node:fs";
import {
  asBytePath,
  isInside,
  parentOf,
  parsePath,
  showPath,
  type BytePath,
} from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import type { Exclusion } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { isForbidden, isOutside } from "../../../domain/file-backup.ts";
import { mebibytes } from "../../../domain/human-bytes.ts";
import {
  exactPath,
  fixedFolder,
  literalPattern,
  mayMatchBelow,
  pathMatcher,
  type PathMatcher,
} from "../../../domain/path-pattern.ts";
import type { SecretReason } from "../../../domain/secrets/secret-text.ts";
import type { FileAsk } from "../../../ports/part-keepers.ts";
import { onDisk, rootFolder, type RootFolder } from "../byte-names.ts";
import { isDenied, isMissing } from "../errors.ts";
import { kindOf, permissions, statOf, type FileKind } from "../file-stat.ts";
import { lookInside } from "../untracked-walk.ts";

/** What git ignores and does not track. */
export interface IgnoredPaths {
  readonly files: readonly BytePath[];
  /** Folders in which everything is ignored. */
  readonly folders: readonly BytePath[];
}

/** Why a file counts as a secret, if it does; `at` is where it is on disk. */
export type SecretTest = (path: BytePath, at: Buffer) => SecretReason | undefined;

export interface Surroundings {
  /** The project. */
  readonly root: string;
  readonly policy: CapturePolicy;
  /** Asked for what is below these folders; the root is the empty path. */
  readonly ignored: (below: readonly BytePath[]) => Promise<IgnoredPaths>;
  readonly isSecret: SecretTest;
  readonly foldsCase: boolean;
}

export interface FoundFile {
  readonly path: BytePath;
  readonly stat: BigIntStats;
}

export interface Selection {
  /** Files and links. */
  readonly files: readonly FoundFile[];
  /** Empty folders with their modes. */
  readonly emptyFolders: ReadonlyMap<BytePath, number>;
  readonly leftOut: readonly Exclusion[];
  /** Secrets that were named, and are taken for that reason. */
  readonly includedSecrets: readonly BytePath[];
}

/** `held`: paths to take whatever the rules say, since a restore is about to change them. Then no budget holds either. */
export async function selectFiles(
  around: Surroundings,
  ask: FileAsk,
  held?: readonly BytePath[],
): Promise<Selection> {
  const search = new Search(around, ask, held);
  await search.inside();
  await search.outside();
  await search.forced();
  return search.result();
}

/** Where the links on the way to a pattern lead: paths that are recorded have none. */
export function withoutLinks(pattern: string): string {
  const folder = fixedFolder(pattern);
  if (folder === "") return pattern;
  const rest = pattern.slice(pattern.indexOf(folder) + folder.length);
  for (let at = `/${folder}`, tail = ""; at !== "/";) {
    try {
      const real = realpathSync(at);
      return `${real === "/" ? "" : literalPattern(real)}${tail}${rest}`;
    } catch (error) {
      if (!isMissing(error)) return pattern;
    }
    const slash = at.lastIndexOf("/");
    tail = at.slice(slash) + tail;
    at = slash === 0 ? "/" : at.slice(0, slash);
  }
  return pattern;
}

/** Why a file is not taken. */
type Against = Pick<Exclusion, "reason" | "detail">;

class Search {
  readonly #around: Surroundings;
  readonly #ask: FileAsk;
  readonly #held: ReadonlySet<BytePath> | undefined;
  readonly #allowed: readonly BytePath[];
  readonly #includedSecrets: BytePath[] = [];
  readonly #kept: PathMatcher;
  readonly #files = new Map<BytePath, FoundFile>();
  readonly #emptyFolders = new Map<BytePath, number>();
  readonly #leftOut = new Map<string, Exclusion>();
  readonly #project: RootFolder;

  constructor(around: Surroundings, ask: FileAsk, held: readonly BytePath[] | undefined) {
    this.#around = around;
    this.#ask = ask;
    this.#held = held === undefined ? undefined : new Set(held);
    this.#allowed = ask.includeSecrets.map((path) => parsePath(path));
    this.#kept = pathMatcher(around.policy.exclude);
    this.#project = rootFolder(around.root);
  }

  async inside(): Promise<void> {
    const { patterns } = this.#ask;
    if (patterns.length === 0) return;
    const bases = [...new Set(patterns.map((text) => asBytePath(latin1(fixedFolder(text)))))];
    const ignored = await this.#around.ignored(bases.includes(asBytePath("")) ? [] : bases);
    const area = new Area(this.#project, "", patterns);
    for (const path of ignored.files) {
      if (area.matches(path, false)) await this.#take(area, path, undefined);
    }
    for (const path of ignored.folders) await this.#enter(area, path);
  }

  /** Each pattern from the folder that it names, as far as it has no wildcard. */
  async outside(): Promise<void> {
    const { outside } = this.#ask;
    const area = new Area(rootFolder("/"), "/", outside);
    for (const pattern of outside) {
      const base = asBytePath(latin1(fixedFolder(pattern)));
      const exact = exactPath(pattern);
      if (exact === undefined) await this.#enter(area, base, true);
      else await this.#takeOrEnter(area, asBytePath(latin1(exact)));
    }
  }

  async forced(): Promise<void> {
    for (const path of this.#held ?? []) {
      if (this.#files.has(path) || isForbidden(path, this.#around.foldsCase)) continue;
      const area = isOutside(path)
        ? new Area(rootFolder("/"), "/", [])
        : new Area(this.#project, "", []);
      const below = isOutside(path) ? asBytePath(path.slice(1)) : path;
      const stat = area.statOf(below);
      if (stat === undefined) continue;
      if (stat.isDirectory()) {
        if (lookInside(area.root, below)?.isEmpty === true) {
          this.#emptyFolders.set(path, permissions(stat));
        }
      } else if (stat.isFile() || stat.isSymbolicLink()) {
        this.#files.set(path, { path, stat });
        this.#leftOut.delete(showPath(path));
      }
    }
  }

  result(): Selection {
    if (this.#held === undefined) this.#checkBudgets();
    return {
      files: [...this.#files.values()],
      emptyFolders: this.#emptyFolders,
      leftOut: [...this.#leftOut.values()],
      includedSecrets: this.#includedSecrets,
    };
  }

  /** Undefined also for what cannot be looked at, which is written down. */
  #statOrLeave(area: Area, path: BytePath): BigIntStats | undefined {
    try {
      return area.statOf(path);
    } catch (error) {
      if (!isDenied(error)) throw error;
      this.#leave(area.named(path), { reason: "unreadable" }, null, false);
      return undefined;
    }
  }

  async #takeOrEnter(area: Area, path: BytePath): Promise<void> {
    const stat = this.#statOrLeave(area, path);
    if (stat === undefined) return;
    if (stat.isDirectory()) await this.#enter(area, path);
    else await this.#take(area, path, kindOf(stat));
  }

  async #enter(area: Area, folder: BytePath, isBase = false): Promise<void> {
    const isCovered = area.matches(folder, true);
    if (!isBase && !isCovered && !area.mayMatchBelow(folder)) return;
    const path = area.named(folder);
    if (isForbidden(path, this.#around.foldsCase) && !isBase) return;
    // The project has patterns of its own.
    if (area.prefix === "/" && `/${folder}` === String(this.#project)) return;
    if (this.#isExcluded(area, folder, true)) {
      this.#leave(path, { reason: "excluded" }, null, true);
      return;
    }
    const inside = lookInside(area.root, folder);
    if (inside === undefined) {
      this.#leave(path, { reason: "unreadable" }, null, true);
    } else if (inside.isRepository && folder !== "" && !isBase) {
      this.#leave(path, { reason: "nested_repository" }, null, true);
    } else if (inside.isEmpty) {
      const stat = area.statOf(folder);
      if (isCovered && stat?.isDirectory() === true) {
        this.#emptyFolders.set(path, permissions(stat));
      }
    } else {
      for (const { path: file, kind } of inside.files) {
        if (area.matches(file, false)) await this.#take(area, file, kind);
      }
      for (const child of inside.folders) await this.#enter(area, child);
    }
  }

  async #take(area: Area, below: BytePath, known: FileKind | undefined): Promise<void> {
    const path = area.named(below);
    if (this.#files.has(path) || isForbidden(path, this.#around.foldsCase)) return;
    const stat = this.#statOrLeave(area, below);
    if (stat === undefined) return;
    const kind = known ?? kindOf(stat);
    // Git names repositories in ignored folders as if they were files.
    if (kind === "folder" || stat.isDirectory()) return;
    const size = kind === "file" ? Number(stat.size) : null;
    const against = this.#reasonAgainst(area, below, kind, stat);
    if (against === undefined) this.#files.set(path, { path, stat });
    else this.#leave(path, against, size, false);
    if (this.#held === undefined && this.#files.size > this.#around.policy.maxFiles) {
      this.#checkBudgets();
    }
  }

  #reasonAgainst(
    area: Area,
    below: BytePath,
    kind: FileKind,
    stat: BigIntStats,
  ): Against | undefined {
    const path = area.named(below);
    if (kind === "special") return { reason: "special_file" };
    if (this.#held?.has(path) === true) return undefined;
    const isAllowed = this.#allowed.some((part) => isInside(path, part));
    const secret =
      kind === "file" ? this.#around.isSecret(path, onDisk(area.root, below)) : undefined;
    if (secret !== undefined) {
      if (!isAllowed) return secret;
      this.#includedSecrets.push(path);
    }
    if (isAllowed || area.isNamed(below)) return undefined;
    if (this.#isExcluded(area, below, false)) return { reason: "excluded" };
    const isTooLarge = stat.size > BigInt(this.#around.policy.maxFileBytes);
    return isTooLarge ? { reason: "over_budget" } : undefined;
  }

  #isExcluded(area: Area, below: BytePath, isFolder: boolean): boolean {
    return area.prefix === "" && below !== "" && this.#kept(below, isFolder);
  }

  #leave(path: BytePath, against: Against, size: number | null, isFolder: boolean): void {
    const shown = showPath(isFolder ? asBytePath(`${path}/`) : path);
    this.#leftOut.set(shown, { path: shown, ...against, size });
  }

  #checkBudgets(): void {
    const { maxFiles, maxTotalBytes } = this.#around.policy;
    let bytes = 0;
    for (const { stat } of this.#files.values()) bytes += Number(stat.size);
    if (this.#files.size <= maxFiles && bytes <= maxTotalBytes) return;
    const largest = [...this.#files.values()]
      .toSorted((left, right) => Number(right.stat.size - left.stat.size))
      .slice(0, 5)
      .map(({ path }) => showPath(path));
    throw new Failure(
      "over_budget",
      `${this.#files.size} ignored files and files outside with ${mebibytes(bytes)} exceed the limits of a checkpoint ` +
        `(${maxFiles} files, ${mebibytes(maxTotalBytes)})`,
      {
        hint: `Name fewer files, or raise the limits of \`capture\`. The largest: ${largest.join(", ")}.`,
        details: { largest },
      },
    );
  }
}

/** One of the two trees that patterns are about. */
class Area {
  readonly root: RootFolder;
  /** What stands before a path of this area. */
  readonly prefix: "" | "/";
  readonly matches: PathMatcher;
  readonly mayMatchBelow: (folder: BytePath) => boolean;
  readonly #named: ReadonlySet<string>;

  constructor(root: RootFolder, prefix: "" | "/", patterns: readonly string[]) {
    this.root = root;
    this.prefix = prefix;
    this.matches = pathMatcher(patterns);
    this.mayMatchBelow = mayMatchBelow(patterns);
    this.#named = new Set(patterns.flatMap((text) => latin1(exactPath(text) ?? "")));
  }

  named(path: BytePath): BytePath {
    return asBytePath(`${this.prefix}${path}`);
  }

  /** True when a pattern names this very path. */
  isNamed(path: BytePath): boolean {
    return this.#named.has(path);
  }

  /** Undefined also when a folder on the way is a link. */
  statOf(path: BytePath): BigIntStats | undefined {
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
      if (statOf(onDisk(this.root, folder))?.isDirectory() !== true) return undefined;
    }
    return statOf(onDisk(this.root, path));
  }
}

function latin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
