/** Checkpoints as a list shows them: from what is remembered, where that still counts, and what is new from git. */
import { glanceOf, isGlance, type CheckpointGlance } from "../../domain/checkpoint-glance.ts";
import type { StoredCheckpoint } from "../../ports/checkpoint-store.ts";
import { readRefs } from "./read-refs.ts";
import { messagesOf } from "./ref-messages.ts";
import { CHECKPOINT_REFS, checkpointRef, idOfRef } from "./ref-names.ts";
import {
  isLoose,
  packsOf,
  readGlances,
  samePacks,
  saveGlances,
  type Packs,
} from "./remembered-glances.ts";
import type { Repository } from "./repository.ts";
import { storedCheckpoint } from "./stored-checkpoint.ts";

type Glanced = StoredCheckpoint<CheckpointGlance>;

/** More than these are read all together. */
const MOST_NEW = 40;

/** `listAll` reads every one, and says what is wrong with those that are damaged. */
export async function glanceAt(
  repository: Repository,
  listAll: () => Promise<StoredCheckpoint[]>,
): Promise<Glanced[]> {
  const packs = packsOf(repository);
  const refs = readRefs(repository, CHECKPOINT_REFS);
  if (packs === undefined || refs === undefined) return listAll();
  const known = readGlances(repository, packs);
  const old = new Map<string, CheckpointGlance>();
  const newOnes: string[] = [];
  for (const [ref, oid] of refs) {
    const glance = known.get(oid);
    if (glance?.id === idOfRef(ref)) old.set(oid, glance);
    else newOnes.push(ref);
  }
  const added = newOnes.length > MOST_NEW ? undefined : await readSome(repository, newOnes);
  const found = added ?? (await listAll());
  const glances = glancesOf(repository, found, refs);
  if (glances.size > 0 || known.size > 2 * old.size) {
    remember(repository, packs, new Map([...old, ...glances]));
  }
  return added === undefined ? found : [...added, ...asStored(old.values())];
}

/** Undefined when one of them cannot be read. */
async function readSome(
  repository: Repository,
  refs: readonly string[],
): Promise<StoredCheckpoint[] | undefined> {
  if (refs.length === 0) return [];
  const read = await messagesOf(repository, refs);
  return read?.length === refs.length
    ? read.map((found) => storedCheckpoint(idOfRef(found.ref), found))
    : undefined;
}

/** By commit, of those that can be remembered. */
function glancesOf(
  repository: Repository,
  found: readonly StoredCheckpoint[],
  refs: ReadonlyMap<string, string>,
): Map<string, CheckpointGlance> {
  // One that was moved meanwhile may have been read before or after that.
  const now = readRefs(repository, CHECKPOINT_REFS);
  const glances = new Map<string, CheckpointGlance>();
  for (const checkpoint of found) {
    const oid = refs.get(checkpointRef(checkpoint.id));
    if (checkpoint.kind !== "ok" || oid === undefined) continue;
    if (now?.get(checkpointRef(checkpoint.id)) !== oid || isLoose(repository, oid)) continue;
    const glance = glanceOf(checkpoint.document);
    if (isGlance(glance)) glances.set(oid, glance);
  }
  return glances;
}

/** Not while packs come and go: what was read may be in one that is not known. */
function remember(
  repository: Repository,
  packs: Packs,
  glances: ReadonlyMap<string, CheckpointGlance>,
): void {
  const now = packsOf(repository);
  if (now !== undefined && samePacks(packs, now)) saveGlances(repository, packs, glances);
}

function asStored(glances: Iterable<CheckpointGlance>): Glanced[] {
  return [...glances].map((document) => ({ kind: "ok", id: document.id, document }));
}
