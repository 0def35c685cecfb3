/** Taking back what one session did, as programs ask for it. */
import { findTarget } from "../operations/find-checkpoint.ts";
import type { Project } from "../operations/project.ts";
import { viewSessions } from "../operations/session-view.ts";
import type { TakeBackPlan, TakeBackRequest } from "../operations/selective/plan-take-back.ts";
import {
  previewTakeBack,
  takeBack as carryOut,
  type TakenBack,
} from "../operations/selective/take-back.ts";
import { pathOf } from "./roll-back.ts";

export interface TakeBackOptions {
  /** `lines` (default): others' lines in the same files stay; `paths`: only whole files that nobody else changed. */
  readonly by?: TakeBackRequest["by"];
  /** Only steps from this checkpoint on: an id, `latest~2` … Undefined: all that are known. */
  readonly since?: string;
  /** Only these files and folders, from the root of the project or absolute. */
  readonly paths?: readonly string[];
  /** The session that it is written down in. Undefined: the one that goes on in this work tree. */
  readonly sessionId?: string;
  /** For the journal. */
  readonly reason?: string;
  /** Shown the plan; to answer false is to leave everything as it is (`cancelled`). Undefined: no question. */
  readonly confirm?: (plan: TakeBackPlan) => boolean | Promise<boolean>;
  /** Only says what would happen. */
  readonly dryRun?: boolean;
}

/**
 * Takes back what one session did, by its id or a part of it, and keeps what others did since. A checkpoint of what is there is taken first,
 * so `undo` takes it back.
 */
export function takeBack(
  project: Project,
  session: string,
  options: TakeBackOptions & { readonly dryRun: true },
): Promise<TakeBackPlan>;
export function takeBack(
  project: Project,
  session: string,
  options?: TakeBackOptions & { readonly dryRun?: false },
): Promise<TakenBack>;
export async function takeBack(
  project: Project,
  session: string,
  options: TakeBackOptions = {},
): Promise<TakeBackPlan | TakenBack> {
  const { by = "lines", since, paths, confirm, reason = null } = options;
  const view = await viewSessions(project, options.sessionId);
  const request: TakeBackRequest = {
    by,
    since: since === undefined ? undefined : await findTarget(project, view, since),
    paths: paths?.map((path) => pathOf(project.workTree.root, path)) ?? null,
  };
  if (options.dryRun === true) return previewTakeBack(project, session, request);
  return carryOut(project, {
    ...request,
    worker: session,
    sessionId: view.sessionId,
    reason,
    confirm: async (plan) => confirm === undefined || (await confirm(plan)),
  });
}
