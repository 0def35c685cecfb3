/** Requests for a checkpoint that would not give what was meant. Nothing was made when one of these fails. */
import { Failure } from "../domain/failure.ts";
import { LAST_INSTANT } from "../domain/instant.ts";
import type { ExtraPart, PartType } from "../domain/parts.ts";
import { refuseAroundProject } from "../domain/scope.ts";
import { isNoName } from "../domain/selector.ts";
import { redact } from "../domain/secrets/redact.ts";
import type { Project } from "./project.ts";

const HOW_TO_HOLD: Readonly<Record<ExtraPart["type"], string>> = {
  file_backup: "Name the files with --scope.",
  state_snapshot: "Add --state FILE or --outputs FILE.",
  database_savepoint: "Add --database URL.",
};

/** Whoever says what a checkpoint is for relies on it. */
export function refuseOtherType(
  { type, scope }: { readonly type?: PartType; readonly scope?: readonly string[] },
  parts: readonly ExtraPart[],
): void {
  if (type === undefined || type === "git_stash") return;
  // What a scope names is held byte for byte: as copies where git does not have it, else in the checkpoint's tree.
  if (type === "file_backup" && scope !== undefined) return;
  const holds = parts.some(
    (part) => part.type === type && (part.type !== "file_backup" || part.files > 0),
  );
  if (holds) return;
  throw new Failure("usage", `--type ${type}: this checkpoint would not contain this part`, {
    hint: `${HOW_TO_HOLD[type]} No checkpoint was created.`,
  });
}

/** A typing error must not look like a checkpoint that holds what was meant. */
export async function refuseUnmatched(project: Project, scope: readonly string[]): Promise<void> {
  refuseAroundProject(scope, project.workTree.root);
  const unmatched = await project.workTree.unmatched(scope);
  if (unmatched.length === 0) return;
  const names = unmatched.map(({ pattern }) => pattern);
  const meant = unmatched.flatMap(({ nearest }) => nearest ?? []);
  throw new Failure("usage", `--scope: no file matches ${names.join(", ")}`, {
    hint:
      (meant.length === 0 ? "" : `Did you mean ${meant.join(", ")}? `) +
      "Name files, folders or patterns that match at least one file. No checkpoint was created.",
    details: { patterns: names },
  });
}

/** Nobody could name the checkpoint by it. */
export function refuseSelector(name: string | undefined): void {
  if (name === undefined || !isNoName(name)) return;
  throw new Failure("usage", `"${name}" cannot be a name: it already selects a checkpoint`, {
    hint: "Steps, `latest`, `start`, `phase:…`, `session:…` and parts of ids have a meaning of their own. Use another name. No checkpoint was created.",
  });
}

/** It becomes the name of a ref, so it cannot be replaced like other texts. */
export function refuseSecretSession(sessionId: string | undefined): void {
  if (sessionId === undefined || redact(sessionId) === sessionId) return;
  throw new Failure("usage", "the session's id looks like a secret", {
    hint: "Use another one: it is written into refs and documents. No checkpoint was created.",
  });
}

/** One that has expired when it is taken, or whose time nobody can read, is of no use to anybody. */
export function refuseBadExpiry(project: Project, expiresAt: string | undefined): void {
  if (expiresAt === undefined) return;
  const at = Date.parse(expiresAt);
  if (at > project.clock.now().getTime() && at <= LAST_INSTANT) return;
  throw new Failure("usage", `a checkpoint cannot expire at ${expiresAt}`, {
    hint: "Name a time in the future, such as 2030-01-31T18:00:00.000Z. No checkpoint was created.",
  });
}
