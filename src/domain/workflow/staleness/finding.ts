/** One thing that is other than a session left it. */
import { STALENESS_RULES, type FindingKind, type Severity } from "./rules.ts";

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly message: string;
  readonly what_happens_if_ignored: string;
  /** What it is about, for machines: lists of files, commits, labels. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function finding(
  kind: FindingKind,
  message: string,
  details: Finding["details"] = {},
): Finding {
  const { severity, ifIgnored } = STALENESS_RULES[kind];
  return { kind, severity, message, what_happens_if_ignored: ifIgnored, details };
}
