/** Why a file counts as a secret, in words; the value is never part of them. */
import { secretTitle } from "./secret-rules.ts";

export interface SecretReason {
  /** By its name, or by its content. */
  readonly reason: "sensitive" | "sensitive_content";
  /** The id of the rule that found something in the content. */
  readonly detail?: string;
}

export function secretText({ reason, detail }: SecretReason): string {
  if (reason === "sensitive") return "looks like a secret by its name";
  return detail === undefined
    ? "looks like a secret"
    : `looks like a secret: ${secretTitle(detail)}`;
}
