/** The FileHistories port: trees of checkpoints, and git's merge. */
import { readFileSync } from "node:fs";
import { ancestorsOf, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import type { FileState } from "../../../domain/file-state.ts";
import type { Seen } from "../../../domain/selective/replay.ts";
import { modeAt, unknownPaths, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import type { FileHistories, FileHistory, SeenChange } from "../../../ports/file-histories.ts";
import type { Capture } from "../../../ports/work-tree.ts";
import { onDisk, rootFolder } from "../../files/byte-names.ts";
import { findEntry } from "../find-entry.ts";
import { GitCapture } from "../git-capture.ts";
import { mergedCapture } from "../isolated/merged-capture.ts";
import { objectId } from "../object-hash.ts";
import { heldFiles } from "../local-half.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { TreeBuilder, type Leaf } from "../tree-builder.ts";
import type { TreeEntry } from "../tree-object.ts";
import { diffTrees, TreeSource } from "../tree-source.ts";
import { mergeContent } from "./merge-content.ts";
import { isTaken } from "./taken-places.ts";

export class GitFileHistories implements FileHistories {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  open(capture: Capture): Promise<FileHistory> {
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    return Promise.resolve(new GitFileHistory(this.#repository, this.#reader, capture));
  }
}

interface Content {
  readonly tree: string;
  readonly details: WorkTreeDetails;
  readonly isUnknown: (path: BytePath) => boolean;
}

class GitFileHistory implements FileHistory {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #capture: GitCapture;
  readonly #source: TreeSource;
  /** The same moment is the end of one stretch and the beginning of the next. */
  #last: { readonly id: string; readonly content: Content } | undefined;
  /** Where content is that no checkpoint holds yet. */
  readonly #onDisk = new Map<string, BytePath>();
  readonly #merged = new Map<string, Buffer>();

  constructor(repository: Repository, reader: ObjectReader, capture: GitCapture) {
    this.#repository = repository;
    this.#reader = reader;
    this.#capture = capture;
    this.#source = new TreeSource(repository, reader, capture.raw.made);
  }

  async changes(
    before: CheckpointDocument,
    after: CheckpointDocument | undefined,
  ): Promise<SeenChange[]> {
    const left = await this.#contentOf(before);
    const right = after === undefined ? this.#now() : await this.#contentOf(after);
    const source = this.#source;
    const leaves = await diffTrees({ source, oid: left.tree }, { source, oid: right.tree });
    const found = leaves
      .filter((leaf) => leaf.before?.mode !== "160000" && leaf.after?.mode !== "160000")
      .map((leaf) => ({
        path: leaf.path,
        before: seen(leaf.before, leaf.path, left),
        after: seen(leaf.after, leaf.path, right),
      }));
    const changes = [...found, ...(await this.#modeChanges(left, right, leaves))];
    if (after === undefined) this.#rememberDisk(changes);
    return changes;
  }

  async merge(ours: string, base: string, theirs: string): Promise<string | undefined> {
    const { quarantine } = this.#capture;
    const merged = await mergeContent(
      this.#repository,
      {
        ours: await this.#read(ours),
        base: await this.#read(base),
        theirs: await this.#read(theirs),
      },
      (name) => quarantine.path(name),
    );
    if (merged === undefined) return undefined;
    const oid = objectId(this.#repository.hash, "blob", merged);
    this.#merged.set(oid, merged);
    return oid;
  }

  taken(coming: readonly BytePath[], going: ReadonlySet<BytePath>): Promise<BytePath[]> {
    const root = rootFolder(this.#repository.workTree);
    return Promise.resolve(coming.filter((path) => isTaken(root, path, going)));
  }

  async withFiles(
    files: ReadonlyMap<BytePath, FileState | null>,
    emptyFolders: CheckpointDocument,
  ): Promise<Capture> {
    const { raw } = this.#capture;
    const leaves = new Map(raw.findings.changes);
    for (const [path, file] of files) leaves.set(path, leafOf(file));
    const builder = new TreeBuilder(raw.index.index, this.#repository.hash);
    const tree = builder.workTree(leaves);
    const made = new Map([...raw.made, ...builder.made]);
    const source = new TreeSource(this.#repository, this.#reader, made);
    const changes = await diffTrees({ source, oid: raw.trees.worktree }, { source, oid: tree });
    for (const { after } of changes) {
      const content = after === undefined ? undefined : this.#merged.get(after.oid);
      if (after !== undefined && content !== undefined) raw.spool.add(after.oid, "blob", content);
    }
    const { details: then } = await this.#contentOf(emptyFolders);
    const details = await this.#detailsWith(files, then, source, tree);
    return mergedCapture(this.#repository, this.#capture, {
      tree,
      details,
      changes,
      source,
      reader: this.#reader,
    });
  }

  close(): void {
    this.#merged.clear();
  }

  async #contentOf(document: CheckpointDocument): Promise<Content> {
    if (this.#last?.id === document.id) return this.#last.content;
    const held = await heldFiles(this.#repository, this.#reader, document);
    if (held === undefined) {
      throw new Failure("checkpoint_damaged", `checkpoint ${document.id} contains no work tree`, {
        hint: `Run \`waymark validate ${document.id}\`. Nothing was changed.`,
      });
    }
    const content = contentWith(held.part.worktree, held.details);
    this.#last = { id: document.id, content };
    return content;
  }

  #now(): Content {
    return contentWith(this.#capture.part.worktree, this.#capture.details);
  }

  /** Files with the same bytes and other permission bits. */
  async #modeChanges(
    left: Content,
    right: Content,
    leaves: readonly { readonly path: BytePath }[],
  ): Promise<SeenChange[]> {
    const changed = new Set(leaves.map(({ path }) => path));
    const found: SeenChange[] = [];
    const [before, after] = [left.details, right.details];
    for (const path of new Set([...before.modes.keys(), ...after.modes.keys()])) {
      if (changed.has(path) || before.modes.get(path) === after.modes.get(path)) continue;
      const entry = await findEntry(this.#source, right.tree, path);
      if (entry?.mode.startsWith("100") !== true) continue;
      found.push({ path, before: seen(entry, path, left), after: seen(entry, path, right) });
    }
    return found;
  }

  #rememberDisk(changes: readonly SeenChange[]): void {
    for (const { path, after } of changes) {
      if (after !== null && after !== "unknown") this.#onDisk.set(after.oid, path);
    }
  }

  async #read(oid: string): Promise<Buffer> {
    const merged = this.#merged.get(oid);
    if (merged !== undefined) return merged;
    const path = this.#onDisk.get(oid);
    const isHeld = path === undefined || (await this.#reader.read(oid)) !== undefined;
    return isHeld ? this.#reader.readChecked(oid, "blob") : this.#readDisk(oid, path);
  }

  #readDisk(oid: string, path: BytePath): Buffer {
    const content = contentAt(onDisk(rootFolder(this.#repository.workTree), path));
    if (content !== undefined && objectId(this.#repository.hash, "blob", content) === oid) {
      return content;
    }
    throw new Failure("repository_busy", `${showPath(path)} is being written to`, {
      hint: "Run the command again. Nothing was changed.",
    });
  }

  async #detailsWith(
    files: ReadonlyMap<BytePath, FileState | null>,
    then: WorkTreeDetails,
    source: TreeSource,
    tree: string,
  ): Promise<WorkTreeDetails> {
    const { details } = this.#capture;
    const modes = new Map(details.modes);
    const emptyFolders = new Map(details.emptyFolders);
    for (const [path, file] of files) {
      modes.delete(path);
      if (file === null) {
        for (const folder of ancestorsOf(path)) {
          const mode = then.emptyFolders.get(folder);
          if (mode === undefined) continue;
          if ((await findEntry(source, tree, folder)) === undefined) emptyFolders.set(folder, mode);
        }
        continue;
      }
      for (const folder of ancestorsOf(path)) emptyFolders.delete(folder);
      const { plain, executable } = details.defaults;
      const usual = isExecutable(file) ? executable : plain;
      if (file.type === "file" && file.mode !== usual) modes.set(path, file.mode);
    }
    return { ...details, modes, emptyFolders };
  }
}

function contentWith(tree: string, details: WorkTreeDetails): Content {
  const unknown = unknownPaths(details.excluded);
  return { tree, details, isUnknown: (path) => unknown(path) !== undefined };
}

function seen(entry: TreeEntry | undefined, path: BytePath, content: Content): Seen {
  if (entry === undefined) return content.isUnknown(path) ? "unknown" : null;
  if (entry.mode === "120000") return { type: "link", oid: entry.oid, mode: 0 };
  const mode = modeAt(content.details, path, entry.mode === "100755");
  return { type: "file", oid: entry.oid, mode };
}

function leafOf(file: FileState | null): Leaf | null {
  if (file === null) return null;
  if (file.type === "link") return { mode: "120000", oid: file.oid };
  return { mode: isExecutable(file) ? "100755" : "100644", oid: file.oid };
}

function isExecutable({ mode }: FileState): boolean {
  return (mode & 0o100) !== 0;
}

function contentAt(path: Buffer): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
