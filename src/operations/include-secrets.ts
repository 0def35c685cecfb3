/** What `--include-secrets` may name. */
import { isInside, parsePath, ROOT, showPath, type BytePath } from "../domain/byte-path.ts";
import { Failure } from "../domain/failure.ts";
import { unknownPaths } from "../domain/work-tree-details.ts";
import type { Capture } from "../ports/work-tree.ts";

/** A path of the project as people write it. */
export function shownPart(part: BytePath): string {
  return part === ROOT ? "." : showPath(part);
}

/** A typing error must not look like a secret that is held now. */
export function refuseNoSecrets(includeSecrets: readonly BytePath[], capture: Capture): void {
  const included = (capture.coverage.included_secrets ?? []).map(parsePath);
  const unknown = unknownPaths(capture.details.excluded);
  for (const part of includeSecrets) {
    if (included.some((path) => isInside(path, part))) continue;
    const reason = unknown(part)?.reason;
    throw new Failure(
      "usage",
      `--include-secrets: ${shownPart(part)} is not left out as a secret` +
        (reason === undefined ? "" : `; it is left out for another reason (${reason})`),
      {
        hint:
          reason === undefined
            ? "Only untracked files that are left out as secrets can be named; `waymark create` lists them. No checkpoint was made."
            : "Ignored files, files that the settings exclude and files that are too large stay out. No checkpoint was made.",
      },
    );
  }
}
