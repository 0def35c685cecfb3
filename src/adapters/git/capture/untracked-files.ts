/** Files that git does not track: which of them are captured, and which are only written down. */
import { nameOf, parentOf, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { pathMatcher, type PathMatcher } from "../../../domain/path-pattern.ts";
import { isSensitiveName } from "../../../domain/sensitive-name.ts";
import { permissions, statOf, type FileKind } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import { lookInside, type WalkResult } from "../../files/untracked-walk.ts";
import type { IgnoreRules } from "../ignore-rules.ts";
import { realFolders, type CaptureContext, type DefaultModes } from "./context.ts";
import { readLeaf, type LeafRequest } from "./read-leaf.ts";

export interface UntrackedWork {
  readonly toRead: LeafRequest[];
  readonly attributeFiles: BytePath[];
}

interface Found {
  readonly path: BytePath;
  readonly kind: FileKind;
}

/** Which files the settings keep out. */
interface KeptOut {
  readonly excluded: PathMatcher;
  readonly sensitive: PathMatcher;
}

function keptOut({ policy }: CaptureContext): KeptOut {
  const { exclude, excludeSensitive, sensitivePatterns, includeUntracked } = policy;
  const more = pathMatcher(sensitivePatterns, { ignoreCase: true });
  return {
    excluded: includeUntracked ? pathMatcher(exclude) : () => true,
    sensitive: (path, isFolder) =>
      excludeSensitive && (isSensitiveName(path) || more(path, isFolder)),
  };
}

/** Enters folders that are not tracked, level by level, asking git about each level. */
export async function planUntracked(
  context: CaptureContext,
  walk: WalkResult,
  rules: IgnoreRules,
): Promise<UntrackedWork> {
  const { findings } = context;
  const work: UntrackedWork = { toRead: [], attributeFiles: [] };
  for (const folder of walk.unreadable) findings.exclude(folder, "unreadable", null, true);
  const out = keptOut(context);
  let level: Found[] = walk.strays;
  while (level.length > 0) {
    const ignored = await rules.ignored(level.map((found) => found.path));
    const next: Found[] = [];
    for (const found of level) {
      takeIn(context, found, ignored.has(found.path), out, work, next);
    }
    level = next;
  }
  includeForced(context, work);
  return work;
}

function takeIn(
  context: CaptureContext,
  found: Found,
  isIgnored: boolean,
  out: KeptOut,
  work: UntrackedWork,
  next: Found[],
): void {
  const { path, kind } = found;
  const { findings, policy, root } = context;
  if (path === OWN_FOLDER) {
    findings.exclude(path, "own_files", null, kind === "folder");
  } else if (!isIgnored && isOutOfScope(context, found)) {
    findings.exclude(path, "out_of_scope", null, kind === "folder");
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
  } else if (!isIgnored && out.excluded(path, kind === "folder")) {
    const stat = kind === "file" ? statOf(onDisk(root, path)) : undefined;
    findings.exclude(path, "excluded", stat ? Number(stat.size) : null, kind === "folder");
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
  } else if (kind === "folder") {
    enter(context, path, isIgnored, next);
  } else if (isIgnored) {
    const stat = statOf(onDisk(root, path));
    findings.exclude(path, "ignored", kind === "file" && stat ? Number(stat.size) : null);
  } else if (kind === "special") {
    findings.exclude(path, "special_file", null);
  } else {
    const stat = statOf(onDisk(root, path));
    if (stat === undefined) return;
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
    if (out.sensitive(path, false)) {
      findings.exclude(path, "sensitive", Number(stat.size));
    } else if (stat.size > BigInt(policy.maxFileBytes)) {
      findings.exclude(path, "over_budget", Number(stat.size));
    } else {
      work.toRead.push({ path, stat, indexOid: undefined });
    }
  }
}

/** A folder only when nothing in it can be covered. */
function isOutOfScope({ scope }: CaptureContext, { path, kind }: Found): boolean {
  if (scope === undefined || scope.covers(path, kind === "folder")) return false;
  return kind !== "folder" || !scope.reaches(path);
}

function enter(context: CaptureContext, path: BytePath, isIgnored: boolean, next: Found[]): void {
  const { findings, root } = context;
  if (isIgnored) {
    findings.exclude(path, "ignored", null, true);
    return;
  }
  const inside = lookInside(root, path);
  if (inside === undefined) {
    findings.exclude(path, "unreadable", null, true);
  } else if (inside.isRepository) {
    findings.exclude(path, "nested_repository", null, true);
  } else if (inside.isEmpty) {
    const stat = statOf(onDisk(root, path));
    const isCovered = context.scope?.covers(path, true) !== false;
    if (stat !== undefined && isCovered) findings.emptyFolders.set(path, permissions(stat));
  } else {
    next.push(...inside.files);
    for (const folder of inside.folders) next.push({ path: folder, kind: "folder" });
  }
}

/** Paths that a rollback is about to touch are held whatever the rules say about them. */
function includeForced(context: CaptureContext, work: UntrackedWork): void {
  const planned = new Set(work.toRead.map((request) => request.path));
  const isReal = realFolders(context.root);
  for (const path of context.include) {
    if (planned.has(path) || !isReal(parentOf(path))) continue;
    const stat = statOf(onDisk(context.root, path));
    // Also in the place of a tracked file.
    if (stat?.isDirectory() === true) includeEmptyFolders(context, path);
    if ((context.index?.find(path) ?? -1) >= 0) continue;
    if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) continue;
    work.toRead.push({ path, stat, indexOid: undefined });
  }
}

/** Empty folders, also ignored ones; files in them are not taken in, and then the rollback finds them in the way. */
function includeEmptyFolders(context: CaptureContext, folder: BytePath): void {
  const inside = lookInside(context.root, folder);
  const stat = statOf(onDisk(context.root, folder));
  if (inside === undefined || stat === undefined) return;
  if (inside.isEmpty) context.findings.emptyFolders.set(folder, permissions(stat));
  for (const child of inside.folders) includeEmptyFolders(context, child);
}

export async function readUntracked(
  context: CaptureContext,
  work: UntrackedWork,
  defaults: DefaultModes,
): Promise<void> {
  for (const request of work.toRead) {
    const leaf = await readLeaf(context, request, defaults);
    context.onRead(Number(request.stat.size));
    if (leaf === undefined) continue;
    context.findings.changes.set(request.path, leaf);
    context.findings.untracked += 1;
  }
  dropForcedExclusions(context, work);
}

function dropForcedExclusions(context: CaptureContext, work: UntrackedWork): void {
  if (context.include.size === 0) return;
  const { excluded, changes } = context.findings;
  const held = new Set(
    work.toRead.flatMap(({ path }) => (changes.has(path) ? [showPath(path)] : [])),
  );
  const stay = excluded.filter(({ path, reason }) => reason === "unreadable" || !held.has(path));
  excluded.splice(0, excluded.length, ...stay);
}
