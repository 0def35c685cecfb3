/**
 * Writes the files of a checkpoint into a new, empty folder, byte for byte. Not `git checkout`: that would convert line ends
 * and run filters, and knows nothing of untracked files, full modes and empty folders.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  type BigIntStats,
} from "node:fs";
import { joinPath, ROOT, type BytePath } from "../../../domain/byte-path.ts";
import { originalName } from "../../../domain/stored-name.ts";
import { modeAt, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import { onDisk, rootFolder, type RootFolder } from "../../files/byte-names.ts";
import { statOf } from "../../files/file-stat.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { TreeEntry } from "../tree-object.ts";
import type { TreeSource } from "../tree-source.ts";
import { writeBlob } from "../write-blob.ts";

/** A file as it was written. */
export interface WrittenFile {
  readonly entry: TreeEntry;
  readonly stat: BigIntStats;
}

/**
 * Files are this much older than the index that is written after them. Git reads those that are as new as its index
 * again, as it cannot tell whether they were changed since; an edit of a node is newer in any case.
 */
const OLDER_SECONDS = 10;

export class WorkTreeFiller {
  readonly #source: TreeSource;
  readonly #reader: ObjectReader;
  readonly #details: WorkTreeDetails;
  readonly #root: RootFolder;
  readonly #time = Date.now() / 1000 - OLDER_SECONDS;
  readonly written = new Map<BytePath, WrittenFile>();

  constructor(source: TreeSource, reader: ObjectReader, details: WorkTreeDetails, folder: string) {
    this.#source = source;
    this.#reader = reader;
    this.#details = details;
    this.#root = rootFolder(folder);
  }

  async fill(tree: string): Promise<void> {
    await this.#folder(ROOT, tree);
    const deepestLast = [...this.#details.emptyFolders].toSorted(([left], [right]) =>
      left < right ? -1 : 1,
    );
    for (const [path, mode] of deepestLast) {
      mkdirSync(onDisk(this.#root, path), { recursive: true });
      chmodSync(onDisk(this.#root, path), mode);
    }
  }

  async #folder(folder: BytePath, tree: string): Promise<void> {
    for (const entry of await this.#source.entries(tree)) {
      const path = joinPath(folder, originalName(entry.name));
      const place = onDisk(this.#root, path);
      if (entry.mode === "040000") {
        mkdirSync(place);
        await this.#folder(path, entry.oid);
      } else if (entry.mode === "160000") {
        // As git leaves a submodule that nobody has asked for.
        mkdirSync(place);
      } else {
        await this.#leaf(path, place, entry);
      }
    }
  }

  async #leaf(path: BytePath, place: Buffer, entry: TreeEntry): Promise<void> {
    if (entry.mode === "120000") {
      symlinkSync(await this.#reader.readChecked(entry.oid, "blob"), place);
    } else {
      const fd = openSync(place, "wx", 0o600);
      try {
        await writeBlob(this.#reader, entry.oid, fd);
        fchmodSync(fd, modeAt(this.#details, path, entry.mode === "100755"));
      } finally {
        closeSync(fd);
      }
    }
    lutimesSync(place, this.#time, this.#time);
    const stat = statOf(place);
    if (stat !== undefined) this.written.set(path, { entry, stat });
  }
}
