/** Why a checkpoint does not hold a file, in words. */
import type { Exclusion, ExclusionReason } from "../../domain/checkpoint.ts";
import { secretText, type SecretReason } from "../../domain/secrets/secret-text.ts";
import { humanBytes } from "./units.ts";

const WORDS: Readonly<Record<Exclude<ExclusionReason, SecretReason["reason"]>, string>> = {
  ignored: "ignored",
  nested_repository: "a nested repository",
  submodule: "a submodule",
  over_budget: "too large",
  excluded: "excluded by the settings",
  special_file: "not a regular file",
  unreadable: "cannot be read",
  own_files: "belongs to Waymark",
  in_database: "captured as a database",
  out_of_scope: "not in the scope",
  withheld: "only on the machine where the checkpoint was taken",
};

const COUNTED: Readonly<Record<keyof typeof WORDS, readonly [one: string, many: string]>> = {
  ignored: ["ignored path", "ignored paths"],
  nested_repository: ["nested repository", "nested repositories"],
  submodule: ["submodule", "submodules"],
  over_budget: ["file that is too large", "files that are too large"],
  excluded: ["path excluded by the settings", "paths excluded by the settings"],
  special_file: ["path that is not a regular file", "paths that are not regular files"],
  unreadable: ["path that cannot be read", "paths that cannot be read"],
  own_files: ["file of Waymark", "files of Waymark"],
  in_database: ["file captured as a database", "files captured as a database"],
  out_of_scope: ["path outside the scope", "paths outside the scope"],
  withheld: ["withheld file that is not here", "withheld files that are not here"],
};

/** How many there are, beside secrets that are named. */
export function exclusionCount(reason: ExclusionReason, count: number): string {
  const [one, many] =
    reason === "sensitive" || reason === "sensitive_content"
      ? ["more that looks like a secret", "more that look like secrets"]
      : COUNTED[reason];
  return `${count} ${count === 1 ? one : many}`;
}

export function exclusionText(exclusion: Exclusion): string {
  const { size } = exclusion;
  return exclusionWords(exclusion) + (size === null ? "" : `, ${humanBytes(size)}`);
}

/** The reason alone. */
export function exclusionWords({ reason, detail }: Pick<Exclusion, "reason" | "detail">): string {
  return reason === "sensitive" || reason === "sensitive_content"
    ? secretText({ reason, ...(detail === undefined ? {} : { detail }) })
    : WORDS[reason];
}
