/** `waymark create` */
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { createCheckpoint, type CreateRequest } from "../../../operations/create-checkpoint.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import type { Project } from "../../../operations/project.ts";
import { partAsks, readGiven } from "../part-asks.ts";
import { scopePatterns } from "../scope-patterns.ts";

interface Options {
  reason?: string;
  name?: string;
  description?: string;
  phase?: string;
  step?: number;
  task?: string;
  issue?: number;
  workflowState?: string;
  metrics?: string;
  state?: string;
  stateKey?: string[];
  outputs?: string;
  database?: string[];
  scope?: string[];
  trigger?: CreateRequest["trigger"];
  expires?: string;
  pin?: boolean;
  force?: boolean;
  durability?: "safe" | "fast";
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const result = await createCheckpoint(project, request(options, context, project));
  const { checkpoint, warnings } = result;
  if (options.pin === true) {
    const { pinCheckpoints } = await import("../../../operations/pin-checkpoints.ts");
    await pinCheckpoints(project, [checkpoint], checkpoint.reason);
  }
  for (const warning of warnings) output.warn(warning);
  sayExcluded(output, checkpoint);
  output.result("checkpoint_created", document(result), [
    result.kind === "created"
      ? `${output.paint("green", "created")} ${checkpoint.id}`
      : `${output.paint("dim", "unchanged")} ${checkpoint.id}`,
  ]);
  if (result.kind === "created") startAutoCleanup(project);
}

function request(options: Options, context: Context, project: Project): CreateRequest {
  const parts = partAsks(options, context.directory);
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
    expiresAt: options.expires,
    durability: options.durability,
    force: options.force,
    parts: parts.length === 0 ? undefined : parts,
    scope:
      options.scope === undefined
        ? undefined
        : scopePatterns(project.workTree.root, context.directory, options.scope),
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

function document(result: Awaited<ReturnType<typeof createCheckpoint>>) {
  const { checkpoint } = result;
  const { stats } = checkpoint.git;
  return {
    checkpoint_created: result.kind === "created",
    unchanged: result.kind === "unchanged",
    checkpoint: { ...checkpoint, type: checkpoint.parts[0]?.type ?? null },
    pre_mutation_state: {
      hash: checkpoint.content_hash,
      summary:
        `${checkpoint.coverage.files} files, ${stats.staged} staged, ${stats.unstaged} modified, ` +
        `${stats.untracked} untracked, ${stats.deleted} deleted, ${stats.conflicted} conflicted`,
    },
    warnings: result.warnings,
  };
}

const QUIET_REASONS = new Set(["ignored", "excluded", "own_files", "submodule", "out_of_scope"]);

function sayExcluded(output: Output, checkpoint: CheckpointDocument): void {
  const { coverage } = checkpoint;
  if (coverage.excluded_total === 0 && coverage.unstable.length === 0) return;
  const loud = coverage.excluded.filter((exclusion) => !QUIET_REASONS.has(exclusion.reason));
  for (const { path, reason, size } of loud.slice(0, 10)) {
    output.warn(`not captured: ${path} (${reason}${size === null ? "" : `, ${size} bytes`})`);
  }
  const rest = coverage.excluded_total - Math.min(loud.length, 10);
  if (rest > 0) {
    const more = loud.length === 0 ? "" : " more";
    output.say(
      `not captured: ${rest}${more}, mostly ignored: \`waymark show ${checkpoint.id}\` lists them`,
    );
  }
  for (const path of coverage.unstable) output.warn(`changed while it was read: ${path}`);
}
