/** Moves refs in one transaction, each only if it still has the expected value. */
import { Failure } from "../../domain/failure.ts";
import { removeDeadNewPackedRefs } from "./dead-packed-lock.ts";
import { sweepQuarantine } from "./quarantine.ts";
import { type RefChange, transaction } from "./ref-transaction.ts";
import { gitFailed, runGit } from "./run-git.ts";
import type { Durability } from "./git-environment.ts";
import type { Repository } from "./repository.ts";

export interface RefOptions {
  readonly durability?: Durability;
  /** For the reflog of branches. */
  readonly message?: string;
  readonly noReflog?: boolean;
}

/** False when a ref did not have its expected value; then none was changed. */
export async function updateRefs(
  repository: Repository,
  changes: readonly RefChange[],
  options: RefOptions,
): Promise<boolean> {
  const args = [
    ...(options.noReflog === true ? ["-c", "core.logAllRefUpdates=false"] : []),
    "update-ref",
    "--stdin",
    "-z",
    ...messageArgs(options.message),
  ];
  const attempt = () =>
    runGit(repository, args, {
      input: transaction(repository, changes),
      accept: [0, 128],
      ...(options.durability === undefined ? {} : { durability: options.durability }),
    });
  let result = await attempt();
  // Git has waited for whoever is alive; what is in the way may be the lock of one that was killed.
  if (result.exitCode !== 0 && /Unable to create '.*\.lock'/.test(result.stderr)) {
    sweepQuarantine(repository);
    result = await attempt();
  }
  if (result.exitCode !== 0 && /packed-refs\.new'?: File exists/.test(result.stderr)) {
    removeDeadNewPackedRefs(repository);
    result = await attempt();
  }
  if (result.exitCode === 0) return true;
  const isOther = /but expected|already exists|unable to resolve|reference is missing/;
  // A ref that could not be read may well have its expected value.
  if (isOther.test(result.stderr) && !UNREADABLE.test(result.stderr)) return false;
  const lock = /Unable to create '(.*\.lock)': File exists/.exec(result.stderr)?.[1];
  if (lock !== undefined) throw lockedRef(lock);
  throw gitFailed(args, result);
}

/** Of somebody who lives, or of a git that crashed: nobody can tell. */
function lockedRef(lock: string): Failure {
  return new Failure("repository_busy", `another git process has locked ${lock}`, {
    hint: "Wait for it to finish, then run the command again. If no git is running, the file was left by a crashed one and can be deleted.",
  });
}

const UNREADABLE =
  /Too many open files|Input\/output error|Permission denied|Cannot allocate memory/;

function messageArgs(message: string | undefined): string[] {
  return message === undefined ? [] : ["-m", message];
}
