/** Ignored files that are held as copies are no gap in what a checkpoint covers. */
import { parsePath, type BytePath } from "./byte-path.ts";
import type { Coverage, Exclusion } from "./checkpoint.ts";
import type { ExtraPart } from "./parts.ts";
import { pathMatcher } from "./path-pattern.ts";

/** `excluded` is the whole list, of which the coverage may have only the beginning. */
export function withoutCopied(
  coverage: Coverage,
  excluded: readonly Exclusion[],
  parts: readonly ExtraPart[],
): Coverage {
  const patterns = parts.flatMap((part) => (part.type === "file_backup" ? part.patterns : []));
  if (patterns.length === 0) return coverage;
  const matches = pathMatcher(patterns);
  const isCopied = ({ path, reason }: Exclusion): boolean => {
    const isFolder = /\/"?$/.test(path);
    return reason === "ignored" && matches(withoutSlash(path), isFolder);
  };
  return {
    ...coverage,
    excluded: coverage.excluded.filter((exclusion) => !isCopied(exclusion)),
    excluded_total: coverage.excluded_total - excluded.filter(isCopied).length,
  };
}

function withoutSlash(shown: string): BytePath {
  return parsePath(shown.replace(/\/("?)$/, "$1"));
}
