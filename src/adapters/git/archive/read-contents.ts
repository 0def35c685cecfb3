/** What is in an archive: its refs by kind, its manifest, and that the two agree. */
import type { ArchiveManifest } from "../../../domain/archive.ts";
import { readManifest } from "../../../domain/archive-schema.ts";
import { isCheckpointId } from "../../../domain/checkpoint-id.ts";
import { Failure } from "../../../domain/failure.ts";
import type { SessionDocument } from "../../../domain/session.ts";
import { orFailure } from "../../../domain/session-version.ts";
import { messageOf } from "../commit-object.ts";
import { treeOfCommit } from "../head.ts";
import type { ObjectReader } from "../object-reader.ts";
import {
  CHECKPOINT_REFS,
  idOfRef,
  LOCAL_REFS,
  MANIFEST_REF,
  SESSION_REFS,
  sessionRef,
} from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { sessionIn } from "../session-commit.ts";
import { decodeTree } from "../tree-object.ts";
import type { BundleHeader } from "./bundle-header.ts";
import { refusal } from "./refusal.ts";

export const MANIFEST_FILE = "manifest.json";

export interface ArchiveRefs {
  /** By id. */
  readonly checkpoints: ReadonlyMap<string, string>;
  /** What of local halves came along, by id. */
  readonly locals: ReadonlyMap<string, string>;
  /** By full ref name. */
  readonly sessions: ReadonlyMap<string, string>;
  readonly manifest: string;
}

/** Refs with names that we give; nothing else gets in. */
export function sortRefs(header: BundleHeader): ArchiveRefs {
  const checkpoints = new Map<string, string>();
  const locals = new Map<string, string>();
  const sessions = new Map<string, string>();
  let manifest: string | undefined;
  const seen = new Set<string>();
  for (const { name, oid } of header.refs) {
    if (seen.has(name)) throw refusal(`it contains the ref ${JSON.stringify(name)} twice`);
    seen.add(name);
    const id = after(name, CHECKPOINT_REFS);
    const localId = after(name, LOCAL_REFS);
    const slug = after(name, SESSION_REFS);
    if (name === MANIFEST_REF) manifest = oid;
    else if (id !== undefined && isCheckpointId(id)) checkpoints.set(id, oid);
    else if (localId !== undefined && isCheckpointId(localId)) locals.set(localId, oid);
    else if (slug !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(slug))
      sessions.set(name, oid);
    else
      throw refusal(`it contains the ref ${JSON.stringify(name)}, which is not one of Waymark's`);
  }
  if (manifest === undefined)
    throw refusal("it has no manifest: `waymark export` did not write it");
  return { checkpoints, locals, sessions, manifest };
}

function after(name: string, folder: string): string | undefined {
  return name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : undefined;
}

export async function manifestOf(
  repository: Repository,
  reader: ObjectReader,
  header: BundleHeader,
  refs: ArchiveRefs,
): Promise<ArchiveManifest> {
  const commit = await reader.read(refs.manifest);
  if (commit?.type !== "commit") throw refusal("its manifest is missing");
  const tree = await reader.readChecked(treeOfCommit(commit.content) ?? "", "tree");
  const entry = decodeTree(tree, repository.hash).find(({ name }) => name === MANIFEST_FILE);
  if (entry === undefined) throw refusal("its manifest is missing");
  const read = readManifest((await reader.readChecked(entry.oid, "blob")).toString("utf8"));
  if (read.kind === "wrong") throw refusal(`its manifest is wrong: ${read.problem}`);
  const manifest = read.document;
  const claims = {
    object_format: manifest.object_format === header.hash,
    checkpoints: isSame(
      manifest.checkpoints.map(({ id, commit }) => [id, commit]),
      refs.checkpoints,
    ),
    "local halves": isSame(
      manifest.checkpoints.flatMap(({ id, local }) => (local === undefined ? [] : [[id, local]])),
      refs.locals,
    ),
    sessions: isSame(
      manifest.sessions.map(({ id, commit }) => [sessionRef(id), commit]),
      refs.sessions,
    ),
    basis: isSame(
      manifest.basis.map((oid) => [oid, ""]),
      new Map(header.basis.map((oid) => [oid, ""])),
    ),
  };
  const lie = Object.entries(claims).find(([, isTrue]) => !isTrue);
  if (lie !== undefined) throw refusal(`its manifest and its refs disagree about ${lie[0]}`);
  return manifest;
}

function isSame(
  claimed: readonly (readonly [string, string])[],
  found: ReadonlyMap<string, string>,
): boolean {
  const names = new Set(claimed.map(([name]) => name));
  return (
    names.size === claimed.length &&
    names.size === found.size &&
    claimed.every(([name, oid]) => found.get(name) === oid)
  );
}

/** Refuses what is none. */
export async function readSession(
  reader: ObjectReader,
  ref: string,
  commitId: string,
): Promise<SessionDocument> {
  const commit = await reader.read(commitId);
  if (commit?.type !== "commit") throw refusal(`${ref} does not point at a commit`);
  const read = orFailure(() => sessionIn(messageOf(commit.content), idOfRef(ref)));
  if (read instanceof Failure) throw refusal(`${ref}: ${read.message}`);
  return read;
}
