/** What people are told about files that a checkpoint does not hold. */
import { shortened } from "../../domain/byte-path.ts";
import type { CheckpointDocument, Exclusion, ExclusionReason } from "../../domain/checkpoint.ts";
import { isSecretReason, isUsualReason } from "../../domain/listed-exclusions.ts";
import { exclusionCount, exclusionText } from "./exclusion-text.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";

/** Every secret is named, more than a few of them in one line; of other files some are named. */
const MAX_SECRETS = 50;
const MAX_SECRET_LINES = 3;
const MAX_OTHERS = 10;

export interface LeftOutTalk {
  /** What nobody would expect, for `warnings` too. */
  readonly warnings: readonly string[];
  /** The rest, in one line. */
  readonly notes: readonly string[];
}

/** `said`: the checkpoint for which the same was said before; what is usual is not repeated then. */
export function leftOutTalk(
  { id, coverage }: CheckpointDocument,
  said?: CheckpointDocument,
): LeftOutTalk {
  const { excluded, excluded_total: total, unstable } = coverage;
  const isSecret = ({ reason }: Exclusion): boolean => isSecretReason(reason);
  const secrets = excluded.filter(isSecret);
  const others = excluded.filter(({ reason }) => !isSecretReason(reason) && !isUsualReason(reason));
  // Git shows changes in them; a checkpoint has only the commit that is staged for them.
  const submodules = excluded.filter(({ reason }) => reason === "submodule").slice(0, MAX_OTHERS);
  const named = new Set([
    ...secrets.slice(0, MAX_SECRETS),
    ...others.slice(0, MAX_OTHERS),
    ...submodules,
  ]);
  // A plain folder always has some files of our own.
  const rest = excluded.filter((one) => !named.has(one) && one.reason !== "own_files");
  const isSaid = said !== undefined && usualOf(said) === usualOf({ coverage });
  const counts = isSaid ? "" : countsOf(rest, total - excluded.length);
  const begin = named.size === 0 ? "not captured" : "also not captured";
  return {
    warnings: [
      ...secretLines(secrets.slice(0, MAX_SECRETS)),
      ...others.slice(0, MAX_OTHERS).map(notCaptured),
      ...unstable.map((path) => `changed while it was read: ${oneLine(path)}`),
    ],
    notes: [
      ...submodules.map(notCaptured),
      ...(secrets.length === 0
        ? []
        : ["--include-secrets PATH captures a secret file anyway, on this machine only"]),
      ...(counts === "" ? [] : [`${begin}: ${counts} (see \`waymark show ${id}\`)`]),
    ],
  };
}

function usualOf({ coverage }: Pick<CheckpointDocument, "coverage">): string {
  const { excluded, excluded_total: total } = coverage;
  const usual = excluded.filter(({ reason }) => isUsualReason(reason) && reason !== "own_files");
  const unlisted = total - excluded.length;
  return JSON.stringify([usual.map(({ path, reason }) => [path, reason]), unlisted]);
}

function secretLines(secrets: readonly Exclusion[]): string[] {
  if (secrets.length <= MAX_SECRET_LINES) return secrets.map(notCaptured);
  const paths = secrets.map(({ path }) => shortened(oneLine(path)));
  return [`not captured: ${secrets.length} files that look like secrets: ${paths.join(", ")}`];
}

function notCaptured(one: Exclusion): string {
  return `not captured: ${shortened(oneLine(one.path))} (${exclusionText(one)})`;
}

/** Something beside what git ignores and the user left out may have changed, and the checkpoint does not tell. */
export function leavesOutMore({ coverage }: CheckpointDocument): boolean {
  const isMore = ({ reason }: Exclusion): boolean =>
    reason === "submodule" || !isUsualReason(reason);
  return coverage.excluded.some(isMore) || coverage.unstable.length > 0;
}

function countsOf(rest: readonly Exclusion[], unlisted: number): string {
  const counts = new Map<ExclusionReason, number>();
  for (const { reason: given } of rest) {
    const reason = isSecretReason(given) ? "sensitive" : given;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const texts = [...counts].map(([reason, count]) => exclusionCount(reason, count));
  if (unlisted > 0) texts.push(counted(unlisted, "other"));
  return texts.join(", ");
}
