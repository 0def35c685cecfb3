/** How many phases were left out, behind the number of those that are completed. */
import type { ProgressCount } from "../../domain/workflow/progress.ts";

export function leftOut({ skipped }: ProgressCount): string {
  return skipped === 0 ? "" : ` (${skipped} skipped)`;
}
