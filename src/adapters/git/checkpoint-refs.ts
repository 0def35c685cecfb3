/**
 * Moves the refs of checkpoints: into the trash, back, and away. Each move is one transaction that expects every ref
 * where it was read; when somebody else was quicker it starts again from what they left.
 *
 * No object is deleted here. Tags are in the project and follow their checkpoints, which are in the store.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { among } from "../../domain/among.ts";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { Failure } from "../../domain/failure.ts";
import { encodeTag, type TagParts } from "./commit-object.ts";
import { looseIds } from "./loose-ids.ts";
import { isBrokenRef } from "./read-refs.ts";
import type { ObjectReader } from "./object-reader.ts";
import { Quarantine } from "./quarantine.ts";
import {
  CHECKPOINT_REFS,
  checkpointRef,
  idOfRef,
  LOCAL_REFS,
  localRef,
  TAG_REFS,
  TRASH_REFS,
  trashRef,
} from "./ref-names.ts";
import { refsBelow } from "./ref-values.ts";
import type { Repository } from "./repository.ts";
import { bringRevisions } from "./store/copy-objects.ts";
import { runGit } from "./run-git.ts";
import type { RefChange } from "./ref-transaction.ts";
import { updateRefs } from "./update-refs.ts";

/** Others move refs too; each try starts from what they left. */
const TRIES = 10;

interface Move {
  readonly id: string;
  readonly changes: readonly RefChange[];
}

type Awaitable<T> = T | Promise<T>;

interface CheckpointRefs {
  /** Object ids by checkpoint id. */
  readonly present: ReadonlyMap<string, string>;
  readonly trash: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, RefChange>;
  /** The removal of each local half. */
  readonly local: ReadonlyMap<string, RefChange>;
}

export function moveToTrash(
  repository: Repository,
  reader: ObjectReader,
  ids: readonly string[],
): Promise<string[]> {
  return move(repository, ids, async (id, refs) => {
    const oid = refs.present.get(id);
    // Git makes no ref to an object that it cannot read.
    if (oid === undefined || !(await isReadable(reader, oid))) return undefined;
    return [
      { name: checkpointRef(id), old: oid, new: undefined },
      { name: trashRef(id), old: refs.trash.get(id), new: oid },
      ...without(refs.tags.get(id)),
    ];
  });
}

export function bringBack(repository: Repository, ids: readonly string[]): Promise<string[]> {
  return move(repository, ids, (id, refs) => {
    const oid = refs.trash.get(id);
    const present = refs.present.get(id);
    if (oid === undefined || (present !== undefined && present !== oid)) return undefined;
    const outOfTrash: RefChange = { name: trashRef(id), old: oid, new: undefined };
    // Somebody imported it meanwhile.
    if (present === oid) return [outOfTrash];
    return [outOfTrash, { name: checkpointRef(id), old: undefined, new: oid }];
  });
}

/** False when a tag of the user's is in its place, or the checkpoint no longer exists meanwhile. */
export async function makeTag(
  repository: Repository,
  id: string,
  commit: string,
  tag: TagParts,
): Promise<boolean> {
  const quarantine = new Quarantine(repository);
  try {
    await bringRevisions(repository, quarantine, [commit]);
    const { stdout } = await runGit(repository, ["mktag"], { input: encodeTag(commit, tag) });
    const made = { name: tag.ref, new: stdout.toString("latin1").trim() };
    if (!(await changeRefs(repository, [{ ...made, old: undefined }]))) return false;
    const isThere = (await readCheckpointRefs(repository)).present.get(id) === commit;
    if (!isThere) await changeRefs(repository, [{ name: tag.ref, old: made.new, new: undefined }]);
    return isThere;
  } catch (error) {
    if (error instanceof Failure && error.code === "git_failed") return false;
    throw error;
  } finally {
    quarantine.discard();
  }
}

/** The ids that are gone. Of one that is in the list as well, by hand or by an import, only the ref in the trash goes. */
export async function emptyTrash(
  repository: Repository,
  ids: readonly string[],
): Promise<string[]> {
  const alive = new Set<string>();
  const emptied = await move(repository, ids, (id, refs) => {
    const ref = named(trashRef(id), refs.trash.get(id));
    const present = refs.present.get(id);
    if (present === undefined) alive.delete(id);
    else alive.add(id);
    // A ref in the list that is damaged is mended by the one in the trash.
    const isBroken =
      present === undefined && isBrokenRef(repository.store.commonDir, checkpointRef(id));
    if (ref === undefined || isBroken) return undefined;
    if (present !== undefined) return [ref, ...stillThere(id, present)];
    return [ref, ...without(refs.local.get(id))];
  });
  return emptied.filter((id) => !alive.has(id));
}

/** For a transaction: whoever moves it into the trash meanwhile, where the same ref is, makes it fail. */
function stillThere(id: string, oid: string | undefined): RefChange[] {
  return oid === undefined ? [] : [{ name: checkpointRef(id), old: oid, new: oid }];
}

/** After checkpoints came back by another way than out of the trash. Answers with those that are out of it now. */
export function dropFromTrash(repository: Repository, ids: readonly string[]): Promise<string[]> {
  return move(repository, ids, (id, refs) => {
    const oid = refs.trash.get(id);
    if (oid === undefined || refs.present.get(id) !== oid) return undefined;
    return [{ name: trashRef(id), old: oid, new: undefined }, ...stillThere(id, oid)];
  });
}

/** Local halves that belong to no checkpoint, also not to one in the trash or one whose ref is damaged: commits by id. */
export async function strayHalves(repository: Repository): Promise<Map<string, string>> {
  const refs = await readCheckpointRefs(repository);
  const isLoose = among(looseIds(repository.store));
  return new Map(
    [...refs.local]
      .filter(([id]) => isStray(id, refs) && !isLoose(id))
      .map(([id, { old = "" }]) => [id, old]),
  );
}

function isStray(id: string, { present, trash }: CheckpointRefs): boolean {
  return !present.has(id) && !trash.has(id);
}

export function removeStrayHalves(
  repository: Repository,
  ids: readonly string[],
): Promise<string[]> {
  return move(repository, ids, (id, refs) => {
    const ref = refs.local.get(id);
    return ref === undefined || !isStray(id, refs) ? undefined : [ref];
  });
}

export async function removeForGood(
  repository: Repository,
  ids: readonly string[],
): Promise<string[]> {
  const broken = removeBrokenRefs(repository.store, ids, await readCheckpointRefs(repository));
  const removed = await move(repository, ids, (id, refs) => {
    const changes = [
      ...without(named(checkpointRef(id), refs.present.get(id))),
      ...without(named(trashRef(id), refs.trash.get(id))),
      ...without(refs.tags.get(id)),
      ...without(refs.local.get(id)),
    ];
    return changes.length === 0 ? undefined : changes;
  });
  return [...new Set([...broken, ...removed])];
}

/** The ids that were moved: all that `plan` has changes for. */
async function move(
  repository: Repository,
  ids: readonly string[],
  plan: (id: string, refs: CheckpointRefs) => Awaitable<readonly RefChange[] | undefined>,
): Promise<string[]> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const refs = await readCheckpointRefs(repository);
    const moves: Move[] = [];
    for (const id of new Set(ids.filter(isCheckpointId))) {
      const changes = await plan(id, refs);
      if (changes !== undefined) moves.push({ id, changes });
    }
    if (moves.length === 0 || (await carryOut(repository, moves))) return moves.map(({ id }) => id);
  }
  throw new Failure("repository_busy", "the refs of the checkpoints keep changing", {
    hint: "Run the command again.",
  });
}

/** Tags first: a checkpoint that has lost its tag is whole, a tag alone would name one that is gone. */
async function carryOut(repository: Repository, moves: readonly Move[]): Promise<boolean> {
  const changes = moves.flatMap((planned) => planned.changes);
  const isTag = ({ name }: RefChange): boolean => name.startsWith("refs/tags/");
  const tags = changes.filter(isTag);
  if (tags.length > 0 && !(await changeRefs(repository, tags))) return false;
  return changeRefs(
    repository.store,
    changes.filter((change) => !isTag(change)),
  );
}

async function changeRefs(repository: Repository, changes: readonly RefChange[]): Promise<boolean> {
  const quarantine = new Quarantine(repository);
  try {
    quarantine.announceRefs(changes, repository);
    return await updateRefs(repository, changes, {});
  } finally {
    // Git ends well even where it could not remove its lock.
    quarantine.removeRefLocks();
    quarantine.discard();
  }
}

export async function readCheckpointRefs(repository: Repository): Promise<CheckpointRefs> {
  const present = new Map<string, string>();
  const trash = new Map<string, string>();
  const tags = new Map<string, RefChange>();
  const local = new Map<string, RefChange>();
  const own = await refsBelow(repository.store, [CHECKPOINT_REFS, TRASH_REFS, LOCAL_REFS]);
  const tagged = await refsBelow(repository.project, [TAG_REFS]);
  for (const [name, oid] of [...own, ...tagged]) {
    const id = idOfRef(name);
    if (name === checkpointRef(id)) present.set(id, oid);
    else if (name === trashRef(id)) trash.set(id, oid);
    else if (name === localRef(id)) local.set(id, { name, old: oid, new: undefined });
    // Whatever else somebody tagged under that name ends with no id of ours.
    else tags.set(id, { name, old: oid, new: undefined });
  }
  return { present, trash, tags, local };
}

function named(name: string, oid: string | undefined): RefChange | undefined {
  return oid === undefined ? undefined : { name, old: oid, new: undefined };
}

function without(ref: RefChange | undefined): RefChange[] {
  return ref === undefined ? [] : [ref];
}

async function isReadable(reader: ObjectReader, oid: string): Promise<boolean> {
  try {
    return (await reader.read(oid)) !== undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === "checkpoint_damaged") return false;
    throw error;
  }
}

/** A file that is no ref, as after a power cut, is nothing that git would delete. */
function removeBrokenRefs(
  repository: Repository,
  ids: readonly string[],
  refs: CheckpointRefs,
): string[] {
  const { commonDir } = repository;
  const isAsked = among(ids);
  const broken = looseIds(repository).filter(
    (id) => isAsked(id) && !refs.present.has(id) && isBrokenRef(commonDir, checkpointRef(id)),
  );
  for (const id of broken) rmSync(join(commonDir, checkpointRef(id)), { force: true });
  return broken;
}
