/** Why a checkpoint does not hold a file, in words. */
import type { Exclusion, ExclusionReason } from "../../domain/checkpoint.ts";
import { secretText, type SecretReason } from "../../domain/secrets/secret-text.ts";
import { humanBytes } from "./units.ts";

const WORDS: Readonly<Record<Exclude<ExclusionReason, SecretReason["reason"]>, string>> = {
  ignored: "ignored",
  nested_repository: "a repository of its own",
  submodule: "a submodule",
  over_budget: "too large",
  excluded: "kept out by the settings",
  special_file: "no ordinary file",
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
