/**
 * Makes a checked archive part of the repository: its pack moves in under a `.keep` file, all refs are created in one
 * transaction, what it builds on is looked at once more, and only then the `.keep` file goes. Git's own transaction can
 * be killed half way, so it is on record until it is done, and the next command takes back the half of a dead one.
 */
import { existsSync } from "node:fs";
import { among } from "../../../domain/among.ts";
import { isCheckpointId } from "../../../domain/checkpoint-id.ts";
import { Failure } from "../../../domain/failure.ts";
import { neededForUndo } from "../../../domain/session-records.ts";
import type { SessionDocument } from "../../../domain/session.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { Admission, ArchivedPin } from "../../../ports/archives.ts";
import { dropFromTrash } from "../checkpoint-refs.ts";
import { markForeign } from "../foreign-marks.ts";
import { moveIn, syncRef } from "../publish.ts";
import { checkpointRef, localRef, sessionRef, trashRef } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { protectCommits } from "../store/protect-commits.ts";
import type { RefChange } from "../ref-transaction.ts";
import { updateRefs } from "../update-refs.ts";
import type { InspectedArchive } from "./inspect-archive.ts";
import { readSession } from "./read-contents.ts";

export interface AdmissionPlan extends Admission {
  /** Not here and not in the archive: what its sessions can undo with them was done on another machine. */
  readonly elsewhere: readonly string[];
  readonly changes: readonly RefChange[];
}

export async function planAdmission(
  repository: Repository,
  { pack, manifest }: InspectedArchive,
): Promise<AdmissionPlan> {
  const here = await refValues(repository, "refs/waymark");
  const newIds: string[] = [];
  const fromTrash: string[] = [];
  const alreadyThere: string[] = [];
  const conflicts: string[] = [];
  const changes: RefChange[] = [];
  for (const { id, commit, local } of manifest.checkpoints) {
    const ours = here.get(checkpointRef(id));
    if (ours === undefined) changes.push({ name: checkpointRef(id), old: undefined, new: commit });
    if (ours === undefined && here.get(trashRef(id)) === commit) fromTrash.push(id);
    (ours === undefined ? newIds : ours === commit ? alreadyThere : conflicts).push(id);
    // What is here of it stays as it is.
    const isOurs = ours === undefined || ours === commit;
    if (isOurs && local !== undefined && !here.has(localRef(id))) {
      changes.push({ name: localRef(id), old: undefined, new: local });
    }
  }
  const sessions: Admission["sessions"][number][] = [];
  const pins: ArchivedPin[] = [];
  const elsewhere: string[] = [];
  const isHere = (id: string): boolean => here.has(checkpointRef(id)) || here.has(trashRef(id));
  for (const { id, commit } of manifest.sessions) {
    const name = sessionRef(id);
    const ours = here.get(name);
    const standing = await sessionStanding(repository, pack.only, ours, commit);
    sessions.push({ id, standing });
    const theirs = await readSession(pack.reader, name, commit);
    if (standing === "kept") pins.push(...pinsOf(theirs, among(newIds)));
    if (standing === "new" || standing === "forward") {
      changes.push({ name, old: ours, new: commit });
      const undoable = [...neededForUndo([theirs])].filter(isCheckpointId);
      elsewhere.push(...undoable.filter((id) => !isHere(id)));
    }
  }
  return { newIds, fromTrash, alreadyThere, conflicts, sessions, pins, elsewhere, changes };
}

function pinsOf(session: SessionDocument, isNew: (id: string) => boolean): ArchivedPin[] {
  return Object.entries(session.pinned ?? {})
    .filter(([id]) => isNew(id))
    .map(([checkpointId, record]) => ({ checkpointId, sessionId: session.id, record }));
}

async function sessionStanding(
  repository: Repository,
  only: Readonly<Record<string, string>>,
  ours: string | undefined,
  theirs: string,
): Promise<"new" | "forward" | "same" | "kept"> {
  if (ours === undefined) return "new";
  if (ours === theirs) return "same";
  // The whole chain of a session is in the archive, so ours is in it too if theirs goes on from it.
  const args = ["merge-base", "--is-ancestor", ours, theirs];
  const { exitCode } = await runGit(repository, args, { env: only, accept: [0, 1, 128] });
  return exitCode === 0 ? "forward" : "kept";
}

/** False when a ref is no longer as it was when the plan was made; then nothing of it is visible. May be tried again. */
export async function admit(
  repository: Repository,
  { pack, manifest }: InspectedArchive,
  plan: AdmissionPlan,
): Promise<boolean> {
  const { changes } = plan;
  if (changes.length === 0) return true;
  const { quarantine } = pack;
  try {
    // What was deleted here was taken here, unless it has the mark from an earlier import.
    const strangers = plan.newIds.filter((id) => !plan.fromTrash.includes(id));
    markForeign(repository, [...strangers, ...plan.elsewhere]);
    const { lost } = await protectCommits(repository, quarantine, {
      head: undefined,
      others: manifest.basis,
    });
    if (lost.length > 0) throw prunedMeanwhile();
    if (existsSync(pack.path)) moveIn(repository, quarantine, pack.path, pack.hash, true);
    quarantine.announceTransaction(changes);
    const isDone = await updateRefs(repository, changes, {});
    if (isDone) {
      for (const { name } of changes) syncRef(repository, name);
      await checkConnected(repository, changes, manifest.basis);
    }
    quarantine.settle();
    if (isDone) await outOfTrash(repository, plan.fromTrash);
    return isDone;
  } catch (error) {
    quarantine.takeBack();
    throw asFailure(error, "importing the archive");
  }
}

/** Not in the transaction that brings them: when that one is taken back half way, the trash must still have them. */
async function outOfTrash(repository: Repository, ids: readonly string[]): Promise<void> {
  try {
    await dropFromTrash(repository, ids);
  } catch (error) {
    // They are here by now, and the next cleanup finishes this.
    if (!(error instanceof Failure)) throw error;
  }
}

/** In the repository itself now. The commits that it builds on could have been pruned until the refs were there. */
async function checkConnected(
  repository: Repository,
  changes: readonly RefChange[],
  basis: readonly string[],
): Promise<void> {
  const tips = changes.map((change) => change.new ?? "");
  const isWhole =
    (await walks(repository, ["--no-walk", "--objects"], [...tips, ...basis])) &&
    (await walks(repository, [], [...tips, ...basis.map((oid) => `^${oid}`)]));
  if (!isWhole) throw prunedMeanwhile();
}

function prunedMeanwhile(): Failure {
  return new Failure("repository_busy", "git pruned objects while the archive was imported", {
    hint: "Run the command again; nothing was imported.",
  });
}

/** Whether git gets from these revisions to everything that they need. */
export async function walks(
  repository: Repository,
  how: readonly string[],
  revisions: readonly string[],
): Promise<boolean> {
  const args = ["rev-list", "--quiet", ...how, "--stdin"];
  const input = revisions.map((line) => `${line}\n`).join("");
  return (await runGit(repository, args, { input, accept: [0, 128] })).exitCode === 0;
}
