/** One command with `--json` in a project of a certain state, and what it prints. */
import type { FailureCode } from "../../../src/domain/failure.ts";
import type { RuleProject } from "../../spec/project.ts";

export interface JsonCase {
  readonly title: string;
  /** Brings the project (seeded, with changes of every kind) into the state that the case needs. */
  readonly prepare?: (project: RuleProject) => Promise<void>;
  readonly args: readonly string[];
  readonly prints:
    /** `areLines`: many documents, each on a line of its own. */
    | { readonly kind: string; readonly exit?: number; readonly areLines?: true }
    | { readonly error: FailureCode }
    /** No document of ours: a script, a schema. */
    | { readonly text: (stdout: string) => void };
}
