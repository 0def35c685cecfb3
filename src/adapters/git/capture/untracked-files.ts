/** Files that git does not track: which of them are captured, and which are only written down. */
import { nameOf, parentOf, showPath, type BytePath } from "../../../domain/byte-path.ts";
import { pathMatcher, type PathMatcher } from "../../../domain/path-pattern.ts";
import { nameKinds, type NameKind } from "../../../domain/sensitive-name.ts";
import { unknownPaths } from "../../../domain/work-tree-details.ts";
import { lookAt, type FileKind, type FileLook } from "../../files/file-stat.ts";
import { quickPath } from "../../files/byte-names.ts";
import { lookInside, type WalkResult } from "../../files/untracked-walk.ts";
import type { IgnoreRules } from "../ignore-rules.ts";
import { isOwnPath } from "../own-paths.ts";
import { realFolders } from "../../files/real-folders.ts";
import { checkBudgets } from "./budgets.ts";
import { type CaptureContext, type DefaultModes } from "./context.ts";
import { knownLeaf, readLeaf, type LeafRequest } from "./read-leaf.ts";

export interface UntrackedWork {
  readonly toRead: LeafRequest[];
  readonly attributeFiles: BytePath[];
}

interface Found {
  readonly path: BytePath;
  readonly kind: FileKind;
}

interface Seen extends Found {
  /** Undefined for folders, and for what went away meanwhile. */
  readonly look: FileLook | undefined;
  readonly isIgnored: boolean;
}

/** Few enough for the questions and the answers to fit into a pipe. */
const AT_ONCE = 500;

/** Which files the settings keep out. */
interface KeptOut {
  readonly excluded: PathMatcher;
  readonly kindOf: (path: BytePath) => NameKind;
}

function keptOut({ policy }: CaptureContext): KeptOut {
  const { exclude, sensitivePatterns, includeUntracked } = policy;
  return {
    excluded: includeUntracked ? pathMatcher(exclude) : () => true,
    kindOf: nameKinds(sensitivePatterns),
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
    const next: Found[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      const part = level.slice(at, at + AT_ONCE);
      const asked = rules.ignored(part.map((found) => found.path));
      asked.catch(() => undefined);
      // Looked at while git thinks: each takes as long as the other.
      const looks = part.map(({ path, kind }) =>
        kind === "folder" ? undefined : lookAt(quickPath(context.root, path)),
      );
      const ignored = await asked;
      for (const [position, found] of part.entries()) {
        const seen = { ...found, look: looks[position], isIgnored: ignored.has(found.path) };
        takeIn(context, seen, out, work, next);
      }
    }
    // A home folder has more than anyone waits for.
    if (work.toRead.length > context.policy.maxFiles) checkBudgets(context, work.toRead);
    level = next;
  }
  includeIgnored(context, out, work);
  includeForced(context, out, work);
  return work;
}

function takeIn(
  context: CaptureContext,
  found: Seen,
  out: KeptOut,
  work: UntrackedWork,
  next: Found[],
): void {
  const { path, look, isIgnored } = found;
  const kind = look?.kind ?? found.kind;
  const { findings, policy } = context;
  if (isOwnPath(context.repository, path)) {
    findings.exclude(path, "own_files", null, kind === "folder");
  } else if (context.leaveOut.has(path)) {
    findings.exclude(path, "in_database", null);
  } else if (!isIgnored && isOutOfScope(context, found)) {
    findings.exclude(path, "out_of_scope", null, kind === "folder");
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
  } else if (!isIgnored && out.excluded(path, kind === "folder")) {
    const size = kind === "file" && look !== undefined ? look.size : null;
    findings.exclude(path, "excluded", size, kind === "folder");
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
  } else if (kind === "folder") {
    enter(context, path, isIgnored, next);
  } else if (isIgnored) {
    findings.exclude(path, "ignored", kind === "file" && look ? look.size : null);
  } else if (kind === "unreadable") {
    findings.exclude(path, "unreadable", null);
  } else if (kind === "special") {
    findings.exclude(path, "special_file", null);
  } else if (look !== undefined) {
    if (nameOf(path) === ".gitattributes") work.attributeFiles.push(path);
    const judgedAs = out.kindOf(path);
    const isForced = context.include.has(path);
    const isSure = judgedAs === "sure" && policy.excludeSensitive;
    if (isSure && !isForced && !context.includesSecret(path)) {
      findings.exclude(path, "sensitive", look.size);
    } else if (look.size > policy.maxFileBytes) {
      findings.exclude(path, "over_budget", look.size);
    } else {
      work.toRead.push({ path, look, indexOid: undefined, judgedAs, isForced });
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
    const look = lookAt(quickPath(root, path));
    const isCovered = context.scope?.covers(path, true) !== false;
    if (look?.kind === "folder" && isCovered) findings.emptyFolders.set(path, look.permissions);
  } else {
    // Not as arguments of one call: there may be more than the stack holds.
    for (const file of inside.files) next.push(file);
    for (const folder of inside.folders) next.push({ path: folder, kind: "folder" });
  }
}

/** By every other rule: one that is surely a secret, or is too large, is left out as that. */
function includeIgnored(context: CaptureContext, out: KeptOut, work: UntrackedWork): void {
  const { evenIfIgnored, findings, root } = context;
  if (evenIfIgnored.size === 0) return;
  const leftOut = unknownPaths(findings.excluded);
  const isReal = realFolders(root);
  for (const path of evenIfIgnored) {
    const exclusion = leftOut(path);
    if (exclusion?.reason !== "ignored" || !isReal(parentOf(path))) continue;
    const look = lookAt(quickPath(root, path));
    if (look?.kind !== "file" && look?.kind !== "link") continue;
    // Of a folder the rest stays left out.
    if (exclusion.path === showPath(path)) {
      findings.excluded.splice(findings.excluded.indexOf(exclusion), 1);
    }
    takeIn(context, { path, kind: look.kind, look, isIgnored: false }, out, work, []);
  }
}

/** Paths that a rollback is about to touch are held whatever the rules say about them. */
function includeForced(context: CaptureContext, out: KeptOut, work: UntrackedWork): void {
  const planned = new Set(work.toRead.map((request) => request.path));
  const isReal = realFolders(context.root);
  for (const path of context.include) {
    if (planned.has(path) || !isReal(parentOf(path))) continue;
    const look = lookAt(quickPath(context.root, path));
    // Also in the place of a tracked file.
    if (look?.kind === "folder") includeEmptyFolders(context, path);
    if ((context.index?.find(path) ?? -1) >= 0) continue;
    if (look?.kind !== "file" && look?.kind !== "link") continue;
    const judgedAs = out.kindOf(path);
    work.toRead.push({ path, look, indexOid: undefined, judgedAs, isForced: true });
  }
}

/** Empty folders, also ignored ones; files in them are not taken in, and then the rollback finds them in the way. */
function includeEmptyFolders(context: CaptureContext, folder: BytePath): void {
  const inside = lookInside(context.root, folder);
  const look = lookAt(quickPath(context.root, folder));
  if (inside === undefined || look === undefined) return;
  if (inside.isEmpty) context.findings.emptyFolders.set(folder, look.permissions);
  for (const child of inside.folders) includeEmptyFolders(context, child);
}

export async function readUntracked(
  context: CaptureContext,
  work: UntrackedWork,
  defaults: DefaultModes,
): Promise<void> {
  for (const request of work.toRead) {
    // Nothing is waited for where nothing is read: there may be thousands.
    const known = knownLeaf(context, request, defaults);
    const leaf = known === undefined ? await readLeaf(context, request, defaults) : known;
    await context.afterRead(request.look.size);
    if (leaf === undefined || leaf === null) continue;
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
  for (const [at, exclusion] of stay.entries()) excluded[at] = exclusion;
  excluded.length = stay.length;
}
