/** Tracked files that may differ from the index: changed, racy, conflicted, or hidden behind a flag. */
import { ancestorsOf, parentOf, type BytePath } from "../../../domain/byte-path.ts";
import { lookAt } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { emptyFolderMode } from "../../files/untracked-walk.ts";
import { entryMode } from "../tree-builder.ts";
import { realFolders } from "../../files/real-folders.ts";
import { noteMode, type CaptureContext, type DefaultModes } from "./context.ts";
import { readLeaf, type LeafRequest } from "./read-leaf.ts";

const GITLINK = 0o160000;
const SPARSE_FOLDER = 0o040000;

/** Work that reading these files means, known before any of them is read. */
export interface TrackedWork {
  readonly toRead: LeafRequest[];
}

export function planTracked(context: CaptureContext, changed: ReadonlySet<BytePath>): TrackedWork {
  const { index, root, findings, policy } = context;
  const toRead: LeafRequest[] = [];
  if (index === undefined) return { toRead };
  const isReal = realFolders(root);
  for (const path of candidatePaths(context, changed)) {
    const entry = index.find(path);
    const look = isReal(parentOf(path)) ? lookAt(onDisk(root, path)) : undefined;
    const isSubmodule = entry >= 0 && index.mode(entry) === GITLINK;
    // A file in the place of a submodule is found by the walk.
    if (isSubmodule && look !== undefined) continue;
    if (look === undefined || look.kind === "folder") {
      if (entry < 0 && look !== undefined) noteEmpty(context, path);
      findings.changes.set(path, null);
      if (entry >= 0 && !index.skipsWorkTree(entry)) findings.deleted += 1;
    } else if (look.kind === "unreadable") {
      findings.changes.set(path, null);
      findings.exclude(path, "unreadable", null);
    } else if (look.kind === "special") {
      findings.changes.set(path, null);
      findings.exclude(path, "special_file", null);
    } else if (look.size > policy.maxFileBytes && !context.include.has(path)) {
      findings.changes.set(path, null);
      findings.exclude(path, "over_budget", look.size);
    } else {
      const hasBlob = entry >= 0 && !index.isIntentToAdd(entry);
      toRead.push({ path, look, indexOid: hasBlob ? index.oid(entry) : undefined });
    }
  }
  return { toRead };
}

/** An empty folder where there is a conflict: most times a submodule that was not initialised, which no tree of stage 0 names. */
function noteEmpty({ root, findings }: CaptureContext, path: BytePath): void {
  const mode = emptyFolderMode(root, path);
  if (mode !== undefined) findings.emptyFolders.set(path, mode);
}

function candidatePaths(context: CaptureContext, changed: ReadonlySet<BytePath>): Set<BytePath> {
  const { index, scope } = context;
  const candidates =
    scope === undefined
      ? new Set(changed)
      : new Set([...changed].filter((path) => scope.covers(path, false)));
  // Git was told to leave them out: it would look into each.
  for (const entry of index?.submodules ?? []) {
    const path = index?.path(entry);
    if (path !== undefined && scope?.covers(path, true) !== false) candidates.add(path);
  }
  for (const entry of index?.special ?? []) {
    if (index === undefined) break;
    const path = index.path(entry);
    const isFolder = index.mode(entry) === SPARSE_FOLDER;
    candidates.add((isFolder ? path.slice(0, -1) : path) as BytePath);
  }
  return candidates;
}

export async function readTracked(
  context: CaptureContext,
  work: TrackedWork,
  defaults: DefaultModes,
): Promise<void> {
  const { index, findings } = context;
  const trustsModes = context.settings.get("core.filemode") !== "false";
  for (const request of work.toRead) {
    const read = await readLeaf(context, request, defaults);
    await context.afterRead(request.look.size);
    const entry = index?.find(request.path) ?? -1;
    if (read === undefined) {
      findings.changes.set(request.path, null);
      continue;
    }
    const indexMode = entry < 0 ? undefined : entryMode(index?.mode(entry) ?? 0);
    const keepsMode = !trustsModes && read.mode !== "120000" && indexMode?.startsWith("100");
    const leaf = keepsMode && indexMode !== undefined ? { ...read, mode: indexMode } : read;
    if (leaf !== read) noteMode(context, request.path, leaf, request.look.permissions, defaults);
    if (leaf.oid === request.indexOid && leaf.mode === indexMode) continue;
    findings.changes.set(request.path, leaf);
    findings.unstaged += 1;
  }
}

/** Folders from which every tracked file was deleted, and that are still there. */
export function findEmptiedFolders(context: CaptureContext): void {
  const { findings, root } = context;
  const looked = new Set<BytePath>();
  const isReal = realFolders(root);
  for (const [path, leaf] of findings.changes) {
    if (leaf !== null) continue;
    for (const folder of ancestorsOf(path)) {
      if (looked.has(folder)) break;
      looked.add(folder);
      const mode = isReal(folder) ? emptyFolderMode(root, folder) : undefined;
      if (mode !== undefined) findings.emptyFolders.set(folder, mode);
    }
  }
}
