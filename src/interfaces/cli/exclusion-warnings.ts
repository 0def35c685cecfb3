/** What people are told about files that a checkpoint does not hold. */
import { shortened } from "../../domain/byte-path.ts";
import type { CheckpointDocument, Exclusion, ExclusionReason } from "../../domain/checkpoint.ts";
import { isSecretReason, isUsualReason } from "../../domain/listed-exclusions.ts";
import { exclusionText, exclusionWords } from "./exclusion-text.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";

/** Nobody should have to look for the name of a secret; of other files some are named. */
const MOST_SECRETS = 50;
const MOST_OTHERS = 10;

export interface LeftOutTalk {
  /** What nobody would expect, for `warnings` too. */
  readonly warnings: readonly string[];
  /** The rest, in one line. */
  readonly notes: readonly string[];
}

export function leftOutTalk({ id, coverage }: CheckpointDocument): LeftOutTalk {
  const { excluded, excluded_total: total, unstable } = coverage;
  const isSecret = ({ reason }: Exclusion): boolean => isSecretReason(reason);
  const secrets = excluded.filter(isSecret);
  const others = excluded.filter(({ reason }) => !isSecretReason(reason) && !isUsualReason(reason));
  // Git shows changes in them; a checkpoint has only the commit that is staged for them.
  const submodules = excluded.filter(({ reason }) => reason === "submodule").slice(0, MOST_OTHERS);
  const warned = [...secrets.slice(0, MOST_SECRETS), ...others.slice(0, MOST_OTHERS)];
  const named = new Set([...warned, ...submodules]);
  // A plain folder always has some files of our own.
  const rest = excluded.filter((one) => !named.has(one) && one.reason !== "own_files");
  const counts = countsOf(rest, total - excluded.length);
  const begin = named.size === 0 ? "not captured" : "also not captured";
  return {
    warnings: [
      ...warned.map(notCaptured),
      ...unstable.map((path) => `changed while it was read: ${oneLine(path)}`),
    ],
    notes: [
      ...submodules.map(notCaptured),
      ...(secrets.length === 0
        ? []
        : ["--include-secrets PATH captures it anyway, on this machine only"]),
      ...(counts === "" ? [] : [`${begin}: ${counts} (\`waymark show ${id}\` lists them)`]),
    ],
  };
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
  for (const { reason } of rest) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${exclusionWords({ reason })}`);
  if (unlisted > 0) texts.push(counted(unlisted, "other"));
  return texts.join(", ");
}
