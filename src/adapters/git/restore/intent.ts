/** The intent record: what a rollback is about to do, so that a killed one can be finished or taken back. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { HeadPlan, RefMove } from "../../../domain/head-plan.ts";
import { Failure } from "../../../domain/failure.ts";
import { writeDurably } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { namesIn } from "../../files/names-in.ts";
import type { ProcessIdentity } from "../../files/process-identity.ts";
import { readRegular } from "../../files/regular-file.ts";
import type { Repository } from "../repository.ts";
import { isIntent } from "./intent-shape.ts";

/**
 * locking: nothing of the user's was changed. applying: anything may be half done; it is taken back, unless the
 * session's journal has the rollback already, which is written when all of it is done and verified.
 */
export type IntentPhase = "locking" | "applying";

export interface Intent {
  readonly version: 1;
  readonly rollback_id: string;
  readonly owner: ProcessIdentity;
  readonly since: string;
  readonly phase: IntentPhase;
  readonly target_id: string;
  readonly safety_id: string | null;
  /** Identity of the index lock that belongs to this rollback. */
  readonly lock: { readonly dev: string; readonly ino: string };
  /** As `stagingOf` reads it: earlier versions wrote an absolute path. */
  readonly staging: string;
  readonly steps: unknown;
  readonly head: HeadPlan | null;
  readonly refs: readonly RefMove[];
  /** SHA-256 of the index file that is put in place; null: the index stays or goes. */
  readonly new_index: string | null;
  readonly changes_index: boolean;
  readonly safety_index: string | null;
  /** Numbers of the target's parts beside the work tree, and the paths that they are limited to. */
  readonly parts?: readonly number[];
  readonly part_paths?: readonly string[] | null;
}

/** Rollbacks of this process that are going on; any other record of this process is unfinished. */
export const activeRollbacks = new Set<string>();

export function intentPath(repository: Pick<Repository, "privateDir">): string {
  return join(repository.privateDir, "rollback-intent.json");
}

export function readIntent(repository: Pick<Repository, "privateDir">): Intent | undefined {
  let text: string;
  try {
    text = readRegular(intentPath(repository), "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(repository, error);
  }
  if (!isIntent(value)) throw unreadable(repository, undefined);
  return value;
}

/** Written whole and renamed, so only damage to the disk makes this. */
function unreadable(repository: Pick<Repository, "privateDir">, cause: unknown): Failure {
  return new Failure("recovery_failed", "the record of an interrupted rollback cannot be read", {
    hint:
      `The state before it is in the latest pre_rollback checkpoint (\`waymark list --all\`). ` +
      `Move ${intentPath(repository)} away, then roll back to that checkpoint.`,
    cause,
  });
}

/** Those of all work trees: they share the checkpoints. */
export function readAllIntents(repository: Repository): Intent[] {
  const linked = join(repository.commonDir, "worktrees");
  const folders = [repository.commonDir, ...namesIn(linked).map((name) => join(linked, name))];
  return folders.flatMap((gitDir) => {
    const intent = readIntent({ privateDir: join(gitDir, "waymark") });
    return intent === undefined ? [] : [intent];
  });
}

export function writeIntent(repository: Repository, intent: Intent): void {
  writeDurably(intentPath(repository), `${JSON.stringify(intent)}\n`, true);
}

export function removeIntent(repository: Repository): void {
  rmSync(intentPath(repository), { force: true });
}
