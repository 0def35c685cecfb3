/** Tells whether a plan is still the one that somebody agreed to. */
import { canonicalJson } from "../domain/canonical-json.ts";
import { planSummary, type RollbackPlan } from "./plan-rollback.ts";
import type { Project } from "./project.ts";

/**
 * The same for two plans only if they do the same to the same project. `sameness`: of the capture that the plan was made for, which holds HEAD, the
 * index, every file that is captured, and what stands in the way of the plan. What lies beside the work tree tells by itself what it is now.
 */
export function planFingerprint(
  { sha256 }: Pick<Project, "sha256">,
  plan: RollbackPlan,
  sameness: string,
): string {
  const parts = plan.parts.map(({ preview }) => preview.now);
  return sha256(canonicalJson({ plan: planSummary(plan), sameness, parts }));
}
