/** How much of a project a rollback is about, and by which rules. */
import { type Fingerprint } from "../support/fingerprint.ts";
import { type CreateKind, type Extent } from "./steps.ts";

export interface Reach {
  readonly kind: CreateKind;
  readonly extent: Extent;
  readonly copies: ReadonlySet<string>;
}

export function effective({ kind, extent }: Reach): Extent | "scoped" {
  return kind === "scoped" ? "scoped" : extent;
}

/** The rules of the whole project, which a rollback of a part leaves alone. */
function ruleFile({ paths }: Fingerprint): string | undefined {
  return paths.get(".gitignore")?.content;
}

export function isUnderOtherRules(one: Fingerprint, other: Fingerprint): boolean {
  return ruleFile(one) !== ruleFile(other);
}
