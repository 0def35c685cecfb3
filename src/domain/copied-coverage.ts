/** What a checkpoint does not hold, once it is known what is held beside the work tree and what was left out there. */
import { parsePath, type BytePath } from "./byte-path.ts";
import type { Coverage, Exclusion } from "./checkpoint.ts";
import { listedExclusions } from "./listed-exclusions.ts";
import type { ExtraPart } from "./parts.ts";
import { pathMatcher } from "./path-pattern.ts";

interface HeldBeside {
  readonly parts: readonly ExtraPart[];
  /** What these parts were asked for and do not hold. */
  readonly leftOut: readonly Exclusion[];
}

/**
 * Ignored files that are held as copies are no gap; files that were left out of the copies are one. `excluded` is the whole
 * list of the work tree, of which the coverage may have only a part.
 */
export function coverageWith(
  coverage: Coverage,
  excluded: readonly Exclusion[],
  { parts, leftOut }: HeldBeside,
): Coverage {
  const patterns = parts.flatMap((part) => (part.type === "file_backup" ? part.patterns : []));
  if (patterns.length + leftOut.length === 0) return coverage;
  const matches = pathMatcher(patterns);
  const isCopied = ({ path, reason }: Exclusion): boolean => {
    const isFolder = /\/"?$/.test(path);
    return reason === "ignored" && matches(withoutSlash(path), isFolder);
  };
  // They know more about the reason.
  const known = new Set(leftOut.map(({ path }) => path));
  const gaps = [
    ...excluded.filter((exclusion) => !isCopied(exclusion) && !known.has(exclusion.path)),
    ...leftOut,
  ];
  return { ...coverage, excluded: listedExclusions(gaps), excluded_total: gaps.length };
}

function withoutSlash(shown: string): BytePath {
  return parsePath(shown.replace(/\/("?)$/, "$1"));
}
