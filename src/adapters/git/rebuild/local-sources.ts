/** Lost objects that are still here in another form: folders that an index describes, files on disk. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { asBytePath, joinPath, ROOT, type BytePath } from "../../../domain/byte-path.ts";
import type { GitPart } from "../../../domain/checkpoint.ts";
import { forEachWith, type Progress } from "../../../ports/progress.ts";
import { onDisk, rootFolder, type RootFolder } from "../../files/byte-names.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { kindOf, statOf } from "../../files/file-stat.ts";
import { hashFile } from "../../files/stable-read.ts";
import { IndexFile } from "../index-file.ts";
import { IndexTrees } from "../index-trees.ts";
import { objectId, type HashName } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { partEntries } from "../part-entries.ts";
import { isOwnPath } from "../own-paths.ts";
import type { Repository } from "../repository.ts";
import { stagingRoots } from "../restore/staging-place.ts";
import { encodeTree } from "../tree-object.ts";
import type { ObjectSource, Wanted } from "./object-source.ts";

/** Folders, from the entries of index files. */
export function indexSource(
  label: string,
  bytes: Buffer | undefined,
  hash: HashName,
): ObjectSource {
  const made = bytes === undefined ? new Map<string, Buffer>() : treesOf(bytes, hash);
  return {
    label,
    find: ({ oid }) => Promise.resolve(made.get(oid)),
    close: () => undefined,
  };
}

function treesOf(bytes: Buffer, hash: HashName): ReadonlyMap<string, Buffer> {
  try {
    return new IndexTrees(new IndexFile(bytes, hash), hash).made;
  } catch {
    // An index that cannot be read helps nobody; that it is damaged is found elsewhere.
    return new Map();
  }
}

/** What git finds in the project. */
export function projectSource(reader: ObjectReader): ObjectSource {
  return {
    label: "the repository",
    find: ({ oid, type }) => reader.readChecked(oid, type).catch(() => undefined),
    close: () => undefined,
  };
}

/** The top folder of a checkpoint, from what its document says is in it. */
export function documentSource(part: GitPart): ObjectSource {
  const entries = partEntries(part).flatMap(([name, oid]) => {
    const isFolder = !["worktree.json", "index.raw"].includes(name);
    const mode = isFolder ? ("040000" as const) : ("100644" as const);
    return oid === null ? [] : [{ mode, name, oid }];
  });
  const root = encodeTree(entries);
  return {
    label: "its document",
    find: ({ oid }) => Promise.resolve(oid === part.digest ? root : undefined),
    close: () => undefined,
  };
}

/** The file that still stands where the checkpoint found it. */
export function samePathSource(repository: Repository): ObjectSource {
  const root = rootFolder(repository.workTree);
  const find = (wanted: Wanted): Buffer | undefined => {
    if (wanted.type !== "blob") return undefined;
    if (wanted.path === "index.raw")
      return contentIfSame(Buffer.from(join(repository.gitDir, "index")), wanted, repository.hash);
    const path = /^(?:worktree|index|conflicts\/\d|files\/project)\/(.+)$/s.exec(wanted.path)?.[1];
    if (path === undefined) return undefined;
    return contentIfSame(onDisk(root, asBytePath(path)), wanted, repository.hash);
  };
  return {
    label: "the work tree",
    find: (wanted) => Promise.resolve(find(wanted)),
    close: () => undefined,
  };
}

/** Any file of the project: it may have been moved. All of them are read, once, and only when nothing else helped. */
export function anyFileSource(repository: Repository, progress: Progress): ObjectSource {
  return filesBelow("the work tree", [repository.workTree], repository, progress);
}

/** Files that rollbacks moved away: they stay for a while. */
export function movedFileSource(repository: Repository, progress: Progress): ObjectSource {
  const folders = stagingRoots(repository);
  return filesBelow("a file that a rollback moved away", folders, repository, progress);
}

function filesBelow(
  label: string,
  folders: readonly string[],
  repository: Repository,
  progress: Progress,
): ObjectSource {
  let places: Map<string, Buffer> | undefined;
  const lookAtAll = async (): Promise<Map<string, Buffer>> => {
    const found = new Map<string, Buffer>();
    for (const folder of folders) {
      for (const [oid, path] of await hashAll(rootFolder(folder), repository, progress)) {
        found.set(oid, path);
      }
    }
    return found;
  };
  const find = async (wanted: Wanted): Promise<Buffer | undefined> => {
    if (wanted.type !== "blob") return undefined;
    const path = (places ??= await lookAtAll()).get(wanted.oid);
    return path === undefined ? undefined : contentIfSame(path, wanted, repository.hash);
  };
  return { label, find, close: () => undefined };
}

function contentIfSame(path: Buffer, { oid }: Wanted, hash: HashName): Buffer | undefined {
  const content = contentOf(path, (file) => hashFile(file, hash) === oid);
  return content !== undefined && objectId(hash, "blob", content) === oid ? content : undefined;
}

/** Plain files and links; `isWorth` is asked before a file is held in memory. */
function contentOf(path: Buffer, isWorth: (path: Buffer) => boolean): Buffer | undefined {
  try {
    const stat = statOf(path);
    if (stat === undefined) return undefined;
    if (kindOf(stat) === "link") return readlinkSync(path, { encoding: "buffer" });
    return kindOf(stat) === "file" && isWorth(path) ? readFileSync(path) : undefined;
  } catch (error) {
    if (isMissing(error) || isDenied(error)) return undefined;
    throw error;
  }
}

async function hashAll(
  root: RootFolder,
  repository: Repository,
  progress: Progress,
): Promise<Map<string, Buffer>> {
  const files: Buffer[] = [];
  const folders: BytePath[] = [ROOT];
  for (const folder of folders) {
    for (const entry of entriesOf(root, folder)) {
      const path = joinPath(folder, entry.name);
      if (!entry.isDirectory()) files.push(onDisk(root, path));
      else if (entry.name !== ".git" && !isOwnPath(repository, path)) folders.push(path);
    }
  }
  const places = new Map<string, Buffer>();
  await forEachWith(progress)("looking at files", files, (file) => {
    const oid = oidOf(file, repository.hash);
    if (oid !== undefined) places.set(oid, file);
  });
  return places;
}

function oidOf(path: Buffer, hash: HashName): string | undefined {
  let oid: string | undefined;
  const link = contentOf(path, (file) => {
    oid = hashFile(file, hash);
    return false;
  });
  return link === undefined ? oid : objectId(hash, "blob", link);
}

function entriesOf(root: RootFolder, folder: BytePath) {
  try {
    return readdirSync(onDisk(root, folder), { encoding: "latin1", withFileTypes: true });
  } catch (error) {
    if (isMissing(error) || isDenied(error)) return [];
    throw error;
  }
}
