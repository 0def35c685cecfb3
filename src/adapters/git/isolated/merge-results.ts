/** Merges the results of nodes into what the main work tree has, as far as they fit. */
import { parsePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { slug } from "../../../domain/checkpoint-id.ts";
import type { CheckpointDocument, Exclusion } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import type { EntryMode } from "../../../domain/file-state.ts";
import { mergeDetails, pathsToKnow, type EntryAt } from "../../../domain/merge-details.ts";
import { storedName } from "../../../domain/stored-name.ts";
import { unknownPaths, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import {
  hasMarkers,
  type MarkerLabels,
  type MergeConflict,
} from "../../../domain/workflow/merge-conflict.ts";
import type { MergedFiles, MergeOrder, MergeSide } from "../../../ports/isolated-work-trees.ts";
import { findEntry } from "../find-entry.ts";
import { GitCapture } from "../git-capture.ts";
import { heldFiles } from "../local-half.ts";
import { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import type { Leaf } from "../tree-builder.ts";
import { diffTrees, TreeSource, type LeafChange } from "../tree-source.ts";
import { mergedCapture } from "./merged-capture.ts";
import { MergeRepository } from "./merge-repository.ts";
import type { TreeMerge } from "./merge-tree-output.ts";

interface Content {
  readonly tree: string;
  readonly details: WorkTreeDetails;
}

const OURS = "main";

export async function mergeResults(
  repository: Repository,
  order: MergeOrder,
): Promise<MergedFiles> {
  const { capture } = order;
  if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
  const scratch = new MergeRepository(repository, capture.quarantine.path("merge.git"));
  const reader = new ObjectReader(scratch.place);
  try {
    return await new Merging(repository, scratch, reader, order, capture).run();
  } finally {
    reader.close();
  }
}

class Merging {
  readonly #repository: Repository;
  readonly #scratch: MergeRepository;
  readonly #reader: ObjectReader;
  readonly #source: TreeSource;
  readonly #order: MergeOrder;
  readonly #capture: GitCapture;
  readonly #leftOut: { name: string; exclusion: Exclusion }[] = [];

  constructor(
    repository: Repository,
    scratch: MergeRepository,
    reader: ObjectReader,
    order: MergeOrder,
    capture: GitCapture,
  ) {
    this.#repository = repository;
    this.#scratch = scratch;
    this.#reader = reader;
    this.#source = new TreeSource(repository, reader);
    this.#order = order;
    this.#capture = capture;
  }

  async run(): Promise<MergedFiles> {
    const base = await this.#contentOf(this.#order.base);
    const start = await this.#contentOf(this.#order.ours);
    await this.#useAttributes(start);
    const root = this.#scratch.commit(base.tree, []);
    const merged: string[] = [];
    let now = start;
    let conflicts: readonly MergeConflict[] = [];
    let labels = { ours: OURS, theirs: OURS };
    for (const side of this.#order.results) {
      const theirs = await this.#known(side, base);
      labels = { ours: OURS, theirs: labelOf(side.name) };
      const result = await this.#scratch.merge(
        { label: labels.ours, commit: this.#scratch.commit(now.tree, [root]) },
        { label: labels.theirs, commit: this.#scratch.commit(theirs.tree, [root]) },
      );
      now = await this.#withDetails(base, now, theirs, result.tree);
      merged.push(side.name);
      conflicts = await this.#withMarkers(result, labels);
      if (conflicts.length > 0) break;
    }
    const changes = await this.#diff(start.tree, now.tree);
    const isChanged = changes.length > 0 || !sameDetails(start.details, now.details);
    const capture = await mergedCapture(this.#repository, this.#capture, {
      ...now,
      changes,
      source: this.#source,
      reader: this.#reader,
    });
    return { merged, conflicts, labels, leftOut: this.#leftOut, isChanged, capture };
  }

  async #contentOf(checkpoint: CheckpointDocument): Promise<Content> {
    const held = await heldFiles(this.#repository, this.#reader, checkpoint);
    if (held !== undefined) return { tree: held.part.worktree, details: held.details };
    throw new Failure("checkpoint_damaged", `checkpoint ${checkpoint.id} contains no work tree`, {
      hint: "It cannot be merged. `waymark validate` shows what is wrong with it.",
    });
  }

  /** How files are merged is for the project to say; programs that it names are not known here. */
  async #useAttributes({ tree }: Content): Promise<void> {
    const entry = await findEntry(this.#source, tree, ".gitattributes" as BytePath);
    if (entry?.mode.startsWith("100") !== true) return;
    this.#scratch.useAttributes(await this.#reader.readChecked(entry.oid, "blob"));
  }

  /**
   * What a node left, as far as its checkpoint knows. A path that is left out there, because it is ignored by now or looks
   * like a secret, is not known to be gone: it counts as unchanged.
   */
  async #known(side: MergeSide, base: Content): Promise<Content> {
    const content = await this.#contentOf(side.checkpoint);
    const changes = await this.#diff(base.tree, content.tree);
    refuseSubmodules(side.name, changes);
    const isUnknown = unknownPaths(content.details.excluded);
    const back = new Map<BytePath, Leaf>();
    for (const { path, before, after } of changes) {
      if (before === undefined || after !== undefined || isUnknown(path) === undefined) continue;
      back.set(storedPath(path, before.mode), { mode: before.mode, oid: before.oid });
    }
    for (const exclusion of content.details.excluded) {
      if (!UNMERGED_SILENTLY.has(exclusion.reason)) {
        this.#leftOut.push({ name: side.name, exclusion });
      }
    }
    if (back.size === 0) return content;
    return { ...content, tree: await this.#scratch.edit(content.tree, back) };
  }

  async #withMarkers(
    { tree, conflicts }: TreeMerge,
    labels: MarkerLabels,
  ): Promise<readonly MergeConflict[]> {
    const looked: MergeConflict[] = [];
    for (const conflict of conflicts) {
      const entry = await findEntry(this.#source, tree, parsePath(conflict.path));
      const isFile = entry?.mode.startsWith("100") === true;
      const content = isFile ? await this.#reader.readChecked(entry.oid, "blob") : "";
      const has_markers = hasMarkers(content.toString("latin1"), labels);
      looked.push({ ...conflict, has_markers });
    }
    return looked;
  }

  async #withDetails(
    base: Content,
    ours: Content,
    theirs: Content,
    tree: string,
  ): Promise<Content> {
    const changed = (await this.#diff(ours.tree, tree)).map(({ path }) => path);
    const asked = pathsToKnow([base.details, ours.details, theirs.details], changed);
    const side = async (content: Content) => ({
      details: content.details,
      entryAt: await this.#entries(content.tree, asked),
    });
    const details = mergeDetails(
      {
        base: await side(base),
        ours: await side(ours),
        theirs: await side(theirs),
        merged: await this.#entries(tree, asked),
      },
      asked,
    );
    return { tree, details };
  }

  async #entries(tree: string, paths: ReadonlySet<BytePath>): Promise<EntryAt> {
    const found = new Map<BytePath, EntryMode>();
    for (const path of paths) {
      const entry = await findEntry(this.#source, tree, path);
      if (entry !== undefined) found.set(path, entry.mode);
    }
    return (path) => found.get(path);
  }

  #diff(before: string, after: string): Promise<LeafChange[]> {
    const source = this.#source;
    return diffTrees({ source, oid: before }, { source, oid: after });
  }
}

/** Known to everybody as not merged: files that git ignores, Waymark's own, and submodules, which are refused if they changed. */
const UNMERGED_SILENTLY = new Set<Exclusion["reason"]>(["ignored", "own_files", "submodule"]);

function refuseSubmodules(name: string, changes: readonly LeafChange[]): void {
  const moved = changes.filter(
    ({ before, after }) => before?.mode === "160000" || after?.mode === "160000",
  );
  if (moved.length === 0) return;
  const paths = moved.map(({ path }) => showPath(path));
  throw new Failure(
    "cannot_isolate",
    `${name} changed the submodule ${paths.join(", ")}, which cannot be merged`,
    {
      hint: "Change submodules in a node that is not isolated. Nothing was merged; the work of the node is in its checkpoint.",
      details: { paths, node: name },
    },
  );
}

/** What stands in the markers: a branch of the merge's own repository. */
function labelOf(name: string): string {
  const label = slug(name);
  return label === OURS ? `node-${label}` : label;
}

function storedPath(path: BytePath, mode: EntryMode): BytePath {
  const names = path.split("/");
  const last = names.length - 1;
  const kind = mode === "120000" ? "link" : "file";
  return names
    .map((name, at) => storedName(name, at === last ? kind : "folder"))
    .join("/") as BytePath;
}

function sameDetails(left: WorkTreeDetails, right: WorkTreeDetails): boolean {
  return sameMap(left.modes, right.modes) && sameMap(left.emptyFolders, right.emptyFolders);
}

function sameMap(
  left: ReadonlyMap<BytePath, number>,
  right: ReadonlyMap<BytePath, number>,
): boolean {
  return left.size === right.size && [...left].every(([path, mode]) => right.get(path) === mode);
}
