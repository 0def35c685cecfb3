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
};

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
