/** Looks at an issue, as far as the settings want it. Changes nothing. */
import { shortBranch } from "../domain/branch-name.ts";
import type { IssueLook } from "../ports/issues.ts";
import type { Project } from "./project.ts";

export type IssueView =
  | IssueLook
  /** The settings say not to look, or `auto` and there is nothing to look with: then `why` says what is missing. */
  | { readonly kind: "not_asked"; readonly why: string | null };

export async function snapshotIssue(
  project: Project,
  number: number,
  options: { readonly signal?: AbortSignal } = {},
): Promise<IssueView> {
  const { enabled, timeout } = project.config.issues;
  if (enabled === false) return { kind: "not_asked", why: null };
  const current = await project.branches.current();
  const look = await project.issues.snapshot(number, {
    ...options,
    timeoutMs: timeout,
    branch: current.kind === "branch" ? shortBranch(current.name) : null,
    at: project.clock.now(),
  });
  return enabled === "auto" && look.kind === "unavailable" && look.hasNoProgram
    ? { kind: "not_asked", why: look.why }
    : look;
}
