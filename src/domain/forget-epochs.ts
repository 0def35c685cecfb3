/**
 * Which epochs of a session may be forgotten. A rollback starts one, so there is no end to them; but they only tell
 * which checkpoints are valid, and one without any has nothing to tell.
 */
import type { CheckpointDocument } from "./checkpoint.ts";
import type { EpochBase, SessionDocument, WorkTreeLine } from "./session.ts";

/** `present`: every checkpoint that is there, in the trash too. What `standingOf` says about them stays the same. */
export function withoutUnusedEpochs(
  session: SessionDocument,
  present: readonly Pick<CheckpointDocument, "session_id" | "worktree_id" | "epoch">[],
): SessionDocument {
  const worktrees = Object.entries(session.worktrees).map(([worktreeId, line]) => {
    const used = present.flatMap(({ session_id, worktree_id, epoch }) =>
      session_id === session.id && worktree_id === worktreeId ? [epoch] : [],
    );
    return [worktreeId, { ...line, epochs: usedEpochs(line, used) }] as const;
  });
  return { ...session, worktrees: Object.fromEntries(worktrees) };
}

function usedEpochs(
  line: WorkTreeLine,
  ofCheckpoints: readonly (string | null)[],
): Readonly<Record<string, EpochBase>> {
  const reachable = [...line.undo, ...line.redo].flatMap(({ epoch_before, epoch_after }) => [
    epoch_before,
    epoch_after,
  ]);
  const used = new Set([line.epoch, ...reachable, ...ofCheckpoints]);
  // Where one began at a checkpoint of another session, only its own record tells what was before it.
  const isKept = (id: string, base: EpochBase): boolean => used.has(id) || !base.is_own;
  const kept = Object.entries(line.epochs).filter(([id, base]) => isKept(id, base));
  return Object.fromEntries(kept.map(([id, base]) => [id, firstUsed(base, line, isKept)]));
}

/** The base that the epochs in between lead to, when they are gone. */
function firstUsed(
  base: EpochBase,
  line: WorkTreeLine,
  isKept: (id: string, base: EpochBase) => boolean,
): EpochBase {
  const seen = new Set<string>();
  let found = base;
  while (found.is_own && found.epoch !== null && !seen.has(found.epoch)) {
    const next = line.epochs[found.epoch];
    if (next === undefined || isKept(found.epoch, next)) break;
    seen.add(found.epoch);
    found = next;
  }
  return found;
}
