/** A rollback as programs ask for it: a checkpoint by its name, and what it is about. */
import { asBytePath, isInside, parsePath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { holdsOutside } from "../domain/scope.ts";
import { findTarget, refuseExpired } from "../operations/find-checkpoint.ts";
import { leftBehindBy } from "../operations/left-behind-by.ts";
import {
  ONLY_STATE,
  planRollback,
  type RollbackPlan,
  type RollbackScope,
} from "../operations/plan-rollback.ts";
import type { Project } from "../operations/project.ts";
import { refuseUnfit } from "../operations/refuse-unfit-rollback.ts";
import { rollBack as carryOut, type RollbackResult } from "../operations/roll-back.ts";
import { rollbackId } from "../operations/rollback-id.ts";
import { viewSessions, type SessionView } from "../operations/session-view.ts";

export interface RollBackOptions {
  /** Undefined: the session that goes on in this work tree. Selectors such as `latest` and `3` mean its checkpoints. */
  readonly sessionId?: string;
  /** Files alone: HEAD, branches, the index and the session stay. */
  readonly filesOnly?: boolean;
  /** The workflow's state alone. */
  readonly stateOnly?: boolean;
  /** HEAD and branches stay where they are. */
  readonly keepHead?: boolean;
  /** Only these files and folders, from the root of the project or absolute. */
  readonly paths?: readonly string[];
  /** The task of Backlog.md stays as it is. */
  readonly keepTask?: boolean;
  /** Commits may leave their branch: they stay in the safety checkpoint. Without it that is refused. */
  readonly discardCommits?: boolean;
  readonly evenIfExpired?: boolean;
  /** For the journal. */
  readonly reason?: string;
  /** Shown the plan; to answer false is to leave everything as it is (`cancelled`). Undefined: no question. */
  readonly confirm?: (plan: RollbackPlan) => boolean | Promise<boolean>;
  /** Only says what would happen. */
  readonly dryRun?: boolean;
}

export interface RollBackPreview {
  readonly plan: RollbackPlan;
  /** Ids of checkpoints that it would leave behind. */
  readonly becomesInvalid: readonly string[];
}

export interface RolledBack extends RollbackResult {
  /** Ids of checkpoints that it left behind; an undo makes them valid again. */
  readonly becameInvalid: readonly string[];
}

/**
 * Makes the project equal a checkpoint again: `latest`, `latest~2`, a step number, `phase:NAME`, an id or part of one. A checkpoint
 * of what is there is taken first, so `undo` takes it back. A rollback that fails leaves everything as it was.
 */
export function rollBack(
  project: Project,
  selector: string,
  options: RollBackOptions & { readonly dryRun: true },
): Promise<RollBackPreview>;
export function rollBack(
  project: Project,
  selector: string,
  options?: RollBackOptions & { readonly dryRun?: false },
): Promise<RolledBack>;
export async function rollBack(
  project: Project,
  selector: string,
  options: RollBackOptions = {},
): Promise<RollBackPreview | RolledBack> {
  const view = await viewSessions(project, options.sessionId);
  const target = await findTarget(project, view, selector);
  const scope = scopeOf(project, options, target);
  await refuseUnfit(project, target, scope);
  const behind = leftBehindBy(view, project, target, scope);
  if (options.dryRun === true) {
    return { plan: await planOf(project, view, target, scope, options), becomesInvalid: behind };
  }
  const { confirm, reason = null } = options;
  const result = await carryOut(project, {
    kind: "rollback",
    target,
    sessionId: view.sessionId,
    scope,
    discardCommits: options.discardCommits === true,
    evenIfExpired: options.evenIfExpired === true,
    reason,
    confirmed: confirm === undefined,
    confirm: async (plan) => confirm === undefined || (await confirm(plan)),
    id: rollbackId(project),
  });
  return { ...result, becameInvalid: behind };
}

async function planOf(
  project: Project,
  { sessionId }: SessionView,
  target: CheckpointDocument,
  scope: RollbackScope,
  { evenIfExpired }: RollBackOptions,
): Promise<RollbackPlan> {
  if (evenIfExpired !== true) await refuseExpired(project, target);
  const { plan, capture } = await planRollback(project, target, scope, { sessionId });
  capture.discard();
  return plan;
}

function scopeOf(
  project: Project,
  { filesOnly, stateOnly, keepHead, paths, keepTask }: RollBackOptions,
  target: CheckpointDocument,
): RollbackScope {
  if (stateOnly === true) {
    if (filesOnly !== true && paths === undefined) return ONLY_STATE;
    throw new Failure("usage", "stateOnly cannot be used with filesOnly or paths", {
      hint: "Use one of them. Nothing was changed.",
    });
  }
  return {
    filesOnly: filesOnly === true,
    keepHead: keepHead === true,
    paths: paths?.map((path) => pathOf(project.workTree.root, path, target)) ?? null,
    ...(keepTask === true ? { keepTask: true } : {}),
  };
}

/** From what a program names; `target`: it may also name files outside of the project that this one has copies of. */
export function pathOf(root: string, given: string, target?: CheckpointDocument): BytePath {
  const names = given.split("/").filter((name) => name !== "" && name !== ".");
  const isAbsolute = given.startsWith("/");
  const path = parsePath((isAbsolute ? "/" : "") + names.join("/"));
  if (!names.includes("..")) {
    if (!isAbsolute) return refuseGit(given, path);
    if (isInside(path, parsePath(root))) return refuseGit(given, belowRoot(root, path));
    if (target !== undefined && holdsOutside(target.parts, path)) return path;
  }
  throw new Failure("usage", `paths: ${given} is outside the project`, {
    hint: `Name files and folders below ${root}, without "..". Nothing was changed.`,
  });
}

function belowRoot(root: string, path: BytePath): BytePath {
  return asBytePath(path.slice(parsePath(root).length + 1));
}

function refuseGit(given: string, path: BytePath): BytePath {
  if (!isInside(path, asBytePath(".git"))) return path;
  throw new Failure(
    "usage",
    `paths: ${given} is in the git folder, which checkpoints never contain`,
    {
      hint: "Name files and folders of the project. Nothing was changed.",
    },
  );
}
