/** The tool `create_checkpoint`. */
import { outsidePatterns } from "../../../domain/scope.ts";
import { Failure } from "../../../domain/failure.ts";
import { createCheckpoint, type CreateRequest } from "../../../operations/create-checkpoint.ts";
import { createdDocument } from "../../../operations/documents/created-document.ts";
import { pinCheckpoints } from "../../../operations/pin-checkpoints.ts";
import type { Project } from "../../../operations/project.ts";
import type { StateAskDocument } from "../../../ports/part-keepers.ts";
import { startAutoCleanup } from "../../cli/auto-cleanup.ts";
import { BadValue } from "../../cli/command-spec.ts";
import { leftOutTalk } from "../../cli/exclusion-warnings.ts";
import { expiry } from "../../cli/options.ts";
import { scopePatterns } from "../../cli/scope-patterns.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { createInput } from "../input-schemas.ts";
import type { Call, Tool } from "../tool.ts";

type Input = ReturnType<typeof createInput.parse>;

export const createCheckpointTool: Tool<Input> = {
  name: "create_checkpoint",
  title: "Create checkpoint",
  description:
    "Saves the whole project as it is now (tracked, staged and untracked files, HEAD, index; with `state` also the workflow's state) so that it " +
    "can be restored exactly. Use it before risky work: refactorings, migrations, deleting or moving files, dependency upgrades, git operations. " +
    "It is fast and does not change files, the index, HEAD or the stash. Ignored files and files that are certainly secrets are not captured. " +
    "Creates none if nothing changed since the last one (`unchanged: true`), unless you give a name, a phase or another state.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  input: createInput,
  kinds: ["checkpoint_created"],
  opens: { makeProject: true },
  run: create,
};

async function create({ project, host }: Call, input: Input): Promise<Answer> {
  const result = await createCheckpoint(project, requestOf(project, input, host.sessionId));
  const { checkpoint } = result;
  const warnings = [...result.warnings, ...leftOutTalk(checkpoint).warnings];
  if (input.pin === true) await pinCheckpoints(project, [checkpoint], checkpoint.reason);
  if (result.kind === "created") startAutoCleanup(project);
  const document = await createdDocument(project, { ...result, warnings });
  return {
    kind: "checkpoint_created",
    document,
    lines: [
      result.kind === "created"
        ? `created ${checkpoint.id}`
        : `nothing changed since ${checkpoint.id}; no checkpoint created`,
      document.pre_mutation_state.summary,
      `To go back: roll_back with checkpoint ${checkpoint.id}.`,
      ...warnings.map((warning) => `warning: ${warning}`),
    ],
  };
}

function requestOf(project: Project, input: Input, sessionId: string | undefined): CreateRequest {
  const expiresAt = input.expires === undefined ? undefined : expiryOf(input.expires);
  return {
    trigger: "manual",
    ...given({
      sessionId: input.session ?? sessionId,
      reason: input.reason,
      name: input.name,
      description: input.description,
      phase: input.phase,
      step: input.step,
      taskId: input.task,
      issueNumber: input.issue,
      workflowState: input.workflow_state,
      metrics: input.metrics,
      force: input.force === true || input.pin === true ? true : undefined,
      scope: input.scope === undefined ? undefined : scopeOf(project, input.scope),
      expiresAt: expiresAt === "never" ? undefined : expiresAt,
    }),
    ...partsOf(input),
  };
}

function expiryOf(text: string): string {
  try {
    return expiry(text);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new Failure("usage", `expires: ${error.message}`, { hint: "No checkpoint was created." });
  }
}

/** Files outside the project are for people to decide about. */
function scopeOf({ workTree: { root } }: Project, texts: readonly string[]): string[] {
  const patterns = scopePatterns(root, root, texts);
  const [outside] = outsidePatterns(patterns);
  if (outside === undefined) return patterns;
  throw new Failure("usage", `scope: ${outside} is outside the project`, {
    hint: "MCP tools capture files of the project only; `waymark create --scope` can capture others. No checkpoint was created.",
  });
}

function partsOf({ state, state_keys, outputs }: Input): Pick<CreateRequest, "parts"> {
  if (state_keys !== undefined && state === undefined) {
    throw new Failure("usage", "state_keys needs state", {
      hint: "Add state. No checkpoint was created.",
    });
  }
  const documents: StateAskDocument[] = [
    ...(state === undefined ? [] : [{ name: "state", kind: "value", value: state } as const]),
    ...(outputs === undefined ? [] : [{ name: "outputs", kind: "value", value: outputs } as const]),
  ];
  if (documents.length === 0) return {};
  return { parts: [{ type: "state_snapshot", documents, keys: state_keys ?? null }] };
}
