/** The reason that a command was given, for the journal: without secrets, and with a word about it. */
import { redactReason } from "../../domain/secrets/redact.ts";
import type { Context } from "./command-spec.ts";

export function givenReason({ options, output }: Context): string | null {
  const given = typeof options["reason"] === "string" ? options["reason"] : null;
  const reason = redactReason(given);
  if (reason !== null && reason !== given)
    output.warn("text that looks like a secret was removed from: reason");
  return reason;
}
