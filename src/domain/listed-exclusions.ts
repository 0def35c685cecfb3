/** Which of the files that a checkpoint does not hold, or keeps to this machine, its document lists. */
import type { Coverage, Exclusion, ExclusionReason, WithheldFile } from "./checkpoint.ts";

/** Documents stay readable; the whole list is in the checkpoint's tree. */
const MOST_LISTED = 100;

const USUAL: ReadonlySet<ExclusionReason> = new Set([
  "ignored",
  "excluded",
  "own_files",
  "submodule",
  "out_of_scope",
  "in_database",
]);

/** The two fields of a document; none where there is no such file. */
export function listedWithheld(
  withheld: readonly WithheldFile[] | undefined,
): Pick<Coverage, "withheld" | "withheld_total"> {
  if (withheld === undefined) return {};
  return { withheld: withheld.slice(0, MOST_LISTED), withheld_total: withheld.length };
}

export function isSecretReason(reason: ExclusionReason): boolean {
  return reason === "sensitive" || reason === "sensitive_content";
}

/** Left out by a rule that the user made or knows: no reason to speak up. */
export function isUsualReason(reason: ExclusionReason): boolean {
  return USUAL.has(reason);
}

/** In their order. Where they are too many, secrets come before other surprises, and those before the usual. */
export function listedExclusions(excluded: readonly Exclusion[]): readonly Exclusion[] {
  if (excluded.length <= MOST_LISTED) return excluded;
  const weight = ({ reason }: Exclusion): number =>
    isSecretReason(reason) ? 0 : isUsualReason(reason) ? 2 : 1;
  const listed = new Set(
    excluded.toSorted((left, right) => weight(left) - weight(right)).slice(0, MOST_LISTED),
  );
  return excluded.filter((exclusion) => listed.has(exclusion));
}
