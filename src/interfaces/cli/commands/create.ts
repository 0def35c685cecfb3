/** `waymark create` */
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import type { PartType } from "../../../domain/parts.ts";
import { createdGrounding, nextSafeActions, restoreOrder } from "../../../domain/agent-contract.ts";
import {
  createCheckpoint,
  type CreateRequest,
  type CreateResult,
} from "../../../operations/create-checkpoint.ts";
import { describeParts } from "../../../operations/part-work.ts";
import type { PartDescription } from "../../../ports/part-keeper.ts";
import type { BytePath } from "../../../domain/byte-path.ts";
import type { Project } from "../../../operations/project.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { exclusionText } from "../exclusion-text.ts";
import type { Output } from "../output.ts";
import { heldBesides, readGiven, STANDARD_INPUT, type PartOptions } from "../part-asks.ts";

interface Options extends PartOptions {
  reason?: string;
  name?: string;
  description?: string;
  phase?: string;
  step?: number;
  task?: string;
  issue?: number;
  workflowState?: string;
  metrics?: string;
  type?: PartType;
  trigger?: CreateRequest["trigger"];
  expires?: string;
  includeSecrets?: string[];
  pin?: boolean;
  force?: boolean;
  durability?: "safe" | "fast";
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const result = await createCheckpoint(project, {
    ...request(options, context, project),
    ...(options.includeSecrets === undefined
      ? {}
      : { includeSecrets: await namedSecrets(context, project, options.includeSecrets) }),
  });
  const { checkpoint, warnings } = result;
  if (options.pin === true) {
    const { pinCheckpoints } = await import("../../../operations/pin-checkpoints.ts");
    await pinCheckpoints(project, [checkpoint], checkpoint.reason);
  }
  for (const warning of warnings) output.warn(warning);
  sayExcluded(output, checkpoint);
  const parts = output.options.json ? await describeParts(project, checkpoint) : [];
  output.result("checkpoint_created", () => document(result, parts), [
    result.kind === "created"
      ? `${output.paint("green", "created")} ${checkpoint.id}`
      : `${output.paint("dim", "unchanged")} ${checkpoint.id}`,
  ]);
  if (result.kind === "created") startAutoCleanup(project);
}

async function namedSecrets(
  context: Context,
  project: Project,
  paths: readonly string[],
): Promise<BytePath[]> {
  const { existingAnywhere } = await import("../project-path.ts");
  const files = paths.filter((path) => path !== STANDARD_INPUT);
  return files.map((path) =>
    existingAnywhere(project.workTree.root, context.directory, path, "--include-secrets"),
  );
}

function request(options: Options, context: Context, project: Project): CreateRequest {
  const all = {
    trigger: options.trigger,
    sessionId: context.sessionId,
    name: options.name,
    reason: options.reason,
    description: options.description,
    phase: options.phase,
    step: options.step,
    taskId: options.task,
    issueNumber: options.issue,
    workflowState: options.workflowState,
    metrics: options.metrics === undefined ? undefined : readMetrics(options.metrics),
    expiresAt: options.expires === "never" ? undefined : options.expires,
    durability: options.durability,
    force: options.force,
    type: options.type,
    ...heldBesides(options, context, project),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function readMetrics(source: string): Record<string, unknown> {
  const text = readGiven("metrics", source);
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Said below.
  }
  throw new Failure("usage", `--metrics: ${source} is not a JSON object`, {
    hint: 'It must be like {"tests": 12, "coverage": 81.5}. No checkpoint was made.',
  });
}

function document(result: CreateResult, parts: readonly PartDescription[]) {
  const { checkpoint } = result;
  const { stats } = checkpoint.git;
  const isNew = result.kind === "created";
  const state = checkpoint.parts.find((part) => part.type === "state_snapshot");
  return {
    checkpoint_created: isNew,
    unchanged: !isNew,
    checkpoint: {
      ...checkpoint,
      type: checkpoint.type ?? "git_stash",
      scope: { files: checkpoint.scope?.files ?? ["."], state_keys: state?.keys ?? [] },
      expiry: checkpoint.expires_at,
    },
    pre_mutation_state: {
      hash: checkpoint.content_hash,
      summary:
        `${checkpoint.coverage.files} files, ${stats.staged} staged, ${stats.unstaged} modified, ` +
        `${stats.untracked} untracked, ${stats.deleted} deleted, ${stats.conflicted} conflicted`,
    },
    restore: {
      command: checkpoint.restore_command,
      order: restoreOrder(checkpoint),
      prerequisites: [...new Set(parts.flatMap(({ prerequisites }) => prerequisites))],
    },
    next_safe_actions: nextSafeActions(checkpoint),
    ...createdGrounding(checkpoint, isNew),
    warnings: result.warnings,
  };
}

const QUIET_REASONS = new Set([
  "ignored",
  "excluded",
  "own_files",
  "submodule",
  "out_of_scope",
  "in_database",
]);

function sayExcluded(output: Output, checkpoint: CheckpointDocument): void {
  const { coverage } = checkpoint;
  // A plain folder always has some.
  const own = coverage.excluded.filter(({ reason }) => reason === "own_files").length;
  const loud = coverage.excluded.filter((exclusion) => !QUIET_REASONS.has(exclusion.reason));
  for (const exclusion of loud.slice(0, 10)) {
    output.warn(`not captured: ${exclusion.path} (${exclusionText(exclusion)})`);
  }
  if (loud.some(({ reason }) => reason === "sensitive" || reason === "sensitive_content")) {
    output.say(
      "--include-secrets PATH holds one of the secrets all the same, on this machine only",
    );
  }
  const rest = coverage.excluded_total - own - Math.min(loud.length, 10);
  if (rest > 0) {
    const more = loud.length === 0 ? "" : " more";
    output.say(
      `not captured: ${rest}${more}, mostly ignored: \`waymark show ${checkpoint.id}\` lists them`,
    );
  }
  for (const path of coverage.unstable) output.warn(`changed while it was read: ${path}`);
}
