/** What `--include-secrets` may name. */
import { isInside, parsePath, ROOT, showPath, type BytePath } from "../domain/byte-path.ts";
import type { Exclusion } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { ExtraPart } from "../domain/parts.ts";
import { secretText } from "../domain/secrets/secret-text.ts";
import { unknownPaths } from "../domain/work-tree-details.ts";
import type { Capture } from "../ports/work-tree.ts";
import type { CapturedParts } from "./part-work.ts";

/** More are counted in a message. */
const MOST_NAMED = 20;

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
      `--include-secrets: ${shownPart(part)} is not excluded as a secret` +
        (reason === undefined ? "" : `; it is excluded for another reason (${reason})`),
      {
        hint:
          reason === undefined
            ? "Only files that are excluded as secrets can be named; `waymark create` lists them. A file outside the project must also be named with --scope. No checkpoint was created."
            : "Files that the settings exclude and files that are too large cannot be included this way. Capture ignored files with `--scope` or capture.include_ignored. No checkpoint was created.",
      },
    );
  }
}

/** Whoever names nothing but secrets must not be left with a checkpoint that holds none of them. */
export function refuseOnlySecrets(
  scope: readonly string[],
  capture: Capture,
  { parts, leftOut }: CapturedParts,
): void {
  if (capture.coverage.files > 0 || parts.length > 0) return;
  const secrets = [...capture.details.excluded, ...leftOut].flatMap(({ path, reason, detail }) =>
    reason === "sensitive" || reason === "sensitive_content"
      ? [{ path, reason, ...(detail === undefined ? {} : { detail }) }]
      : [],
  );
  if (secrets.length === 0) refuseNothingHeld(scope, leftOut);
  if (secrets.length === 0) return;
  const listed = secrets
    .slice(0, MOST_NAMED)
    .map((secret) => `${secret.path} (${secretText(secret)})`);
  const more = secrets.length - listed.length;
  const names = secrets.slice(0, MOST_NAMED).map(({ path }) => path);
  throw new Failure(
    "secrets_held",
    `--scope ${scope.join(" ")}: only secrets, which are not captured: ${listed.join(", ")}` +
      (more > 0 ? `, and ${more} more` : ""),
    {
      hint: `\`--include-secrets ${names.join(" ")}\` captures them anyway, on this machine only. No checkpoint was created.`,
      details: { secrets },
    },
  );
}

/** The same for repositories of their own, special files and the like. */
function refuseNothingHeld(scope: readonly string[], leftOut: readonly Exclusion[]): void {
  if (leftOut.length === 0) return;
  const listed = leftOut.slice(0, MOST_NAMED).map(({ path, reason }) => `${path} (${reason})`);
  throw new Failure(
    "usage",
    `--scope ${scope.join(" ")}: all of it is excluded: ${listed.join(", ")}`,
    { hint: "Name files that can be captured. No checkpoint was created." },
  );
}
