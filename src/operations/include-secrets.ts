/** What `--include-secrets` may name. */
import { isInside, parsePath, ROOT, showPath, type BytePath } from "../domain/byte-path.ts";
import { Failure } from "../domain/failure.ts";
import type { ExtraPart } from "../domain/parts.ts";
import { unknownPaths } from "../domain/work-tree-details.ts";
import type { Capture } from "../ports/work-tree.ts";

/** A path of the project as people write it. */
export function shownPart(part: BytePath): string {
  return part === ROOT ? "." : showPath(part);
}

/** A typing error must not look like a secret that is held now. */
export function refuseNoSecrets(
  includeSecrets: readonly BytePath[],
  capture: Capture,
  parts: readonly ExtraPart[],
): void {
  const copied = parts.flatMap((part) =>
    part.type === "database_savepoint" ? [] : (part.included_secrets ?? []),
  );
  const included = [...(capture.coverage.included_secrets ?? []), ...copied].map(parsePath);
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
            ? "Only files that are left out as secrets can be named; `waymark create` lists them. A file outside of the project is named by --scope too. No checkpoint was made."
            : "Files that the settings exclude and files that are too large stay out. Ignored files are held by `--scope` or capture.include_ignored. No checkpoint was made.",
      },
    );
  }
}
