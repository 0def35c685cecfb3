/** Which parts a request asks for beside the work tree. */
import { showPath } from "../domain/byte-path.ts";
import { literalPattern } from "../domain/path-pattern.ts";
import { redactValue } from "../domain/secrets/redact.ts";
import { heldWorkflow } from "../domain/workflow/held-workflow.ts";
import type { SessionDocument } from "../domain/session.ts";
import { insidePatterns, outsidePatterns } from "../domain/scope.ts";
import type { PartAsk, StateAskDocument } from "../ports/part-keepers.ts";
import type { CreateRequest } from "./create-request.ts";
import type { Project } from "./project.ts";

/** With how far the session had come, where it is a workflow: a rollback brings that back with the files. */
export function withWorkflow(
  project: Project,
  request: CreateRequest,
  session: SessionDocument | undefined,
): PartAsk[] {
  const asks = partAsks(project, request);
  const held = heldWorkflow(session);
  if (held === undefined) return asks;
  const workflow: StateAskDocument = {
    name: "workflow",
    kind: "value",
    value: redactValue(held),
    isRedacted: true,
  };
  const state = asks.find((ask) => ask.type === "state_snapshot");
  const rest = asks.filter((ask) => ask !== state);
  return [
    ...rest,
    {
      type: "state_snapshot",
      keys: null,
      ...state,
      documents: [...(state?.documents ?? []), workflow],
    },
  ];
}

function partAsks(project: Project, request: CreateRequest): PartAsk[] {
  return [...fileAsks(project, request), ...(request.parts ?? []).map(withSecretsOf(request))];
}

/** Files that git ignores or that are outside: those of the scope, or those that the settings name. */
function fileAsks(
  project: Project,
  { scope, trigger, includeSecrets = [] }: CreateRequest,
): PartAsk[] {
  // A safety checkpoint holds what its rollback changes.
  if (trigger === "pre_rollback") return [];
  const secrets = includeSecrets.map(showPath);
  // Whoever names a secret means it, also where git ignores it, as it mostly does.
  const named = secrets.filter((path) => !path.startsWith("/")).map(literalPattern);
  const asked = scope === undefined ? project.config.capture.includeIgnored : insidePatterns(scope);
  const patterns = [...asked, ...insidePatterns(named)];
  const outside = outsidePatterns(scope ?? []);
  if (patterns.length + outside.length === 0) return [];
  // The patterns of the settings count for files that come later, too: a rollback removes those.
  const isOptional = scope !== undefined || asked.length === 0;
  return [{ type: "file_backup", patterns, outside, includeSecrets: secrets, isOptional }];
}

/** Whoever names a secret file means it as a state, too. */
function withSecretsOf({ includeSecrets }: CreateRequest): (ask: PartAsk) => PartAsk {
  return (ask) =>
    ask.type === "state_snapshot" && includeSecrets !== undefined
      ? { ...ask, includeSecrets: [...(ask.includeSecrets ?? []), ...includeSecrets] }
      : ask;
}
