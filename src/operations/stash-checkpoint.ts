/** Puts a checkpoint on git's own stash list, for those who want it there. */
import { showPath } from "../domain/byte-path.ts";
import { extraPartsOf, isPlain, type CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { ExtraPartType } from "../domain/parts.ts";
import { audited } from "./audited.ts";
import { refuseDamaged } from "./find-checkpoint.ts";
import type { Project } from "./project.ts";

export interface StashResult {
  readonly commit: string;
  readonly message: string;
  readonly notExact: readonly string[];
  readonly warnings: readonly string[];
}

export function stashCheckpoint(
  project: Project,
  checkpoint: CheckpointDocument,
  message: string | undefined,
): Promise<StashResult> {
  const checkpointIds = [checkpoint.id];
  return audited(
    project,
    {
      operation: "stash",
      reason: message,
      checkpointIds,
      outcome: ({ commit }) => ({ checkpointIds, details: { stash_commit: commit } }),
    },
    () => addEntry(project, checkpoint, message),
  );
}

async function addEntry(
  project: Project,
  checkpoint: CheckpointDocument,
  message: string | undefined,
): Promise<StashResult> {
  const { id, git } = checkpoint;
  if (isPlain(git)) {
    throw cannot(id, "it is from a folder without git, which has no stash");
  }
  if (git.commit === null) {
    throw cannot(id, "it was taken before the first commit, and a stash entry needs one");
  }
  if (git.stats.conflicted > 0) {
    throw cannot(id, "its index has conflicts, which a stash entry cannot contain");
  }
  await refuseDamaged(project, checkpoint);
  const text = oneLine(message ?? `waymark ${id}${about(checkpoint)}`);
  const entry = await project.stashes.add(checkpoint, text);
  if (entry === undefined) throw cannot(id, "it has no changes compared with its commit");
  const left = [
    ...(git.operation === "none" ? [] : [`the ${git.operation} in progress is`]),
    ...extraPartsOf(checkpoint).map(({ type }) => PART_WORDS[type]),
  ];
  const warnings = [...new Set(left)].map((what) => `${what} not part of the entry`);
  return {
    commit: entry.commit,
    message: text,
    notExact: entry.notExact.map(showPath),
    warnings,
  };
}

/** A stash entry is git's, and holds what git knows. */
const PART_WORDS = {
  file_backup: "copies of ignored and outside files are",
  state_snapshot: "the state is",
  database_savepoint: "the database is",
} as const satisfies Record<ExtraPartType, string>;

function about({ reason, name, phase }: CheckpointDocument): string {
  const what = reason ?? name ?? phase;
  return what === null ? "" : `: ${what}`;
}

/** It becomes a line of the stash's reflog. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

function cannot(id: string, why: string): Failure {
  return new Failure("cannot_stash", `${id} cannot become a stash entry: ${why}`, {
    hint: `\`waymark rollback ${id}\` restores it; \`waymark show ${id}\` shows what it contains.`,
  });
}
