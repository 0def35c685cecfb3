/** What is known by now about a checkpoint that is read, for its document. */
import type { Standing } from "../../domain/lineage.ts";
import type { DamageRecord } from "../../domain/session.ts";

export function standingFields(
  standing: Standing,
  damage: DamageRecord | undefined,
): Record<string, unknown> {
  return {
    valid: standing.valid && damage === undefined,
    invalidated_by: standing.invalidated_by,
    damaged: damage !== undefined,
    ...(damage === undefined ? {} : { problem: damage.problems[0] ?? "", corrupted_at: damage.at }),
  };
}
