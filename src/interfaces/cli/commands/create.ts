/** `waymark create` */
import { Failure } from "../../../domain/failure.ts";
import type { PartType } from "../../../domain/parts.ts";
import { createCheckpoint, type CreateRequest } from "../../../operations/create-checkpoint.ts";
import { createdDocument } from "../../../operations/documents/created-document.ts";
import { describeParts } from "../../../operations/part-work.ts";
import type { BytePath } from "../../../domain/byte-path.ts";
import type { Project } from "../../../operations/project.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { leftOutTalk } from "../exclusion-warnings.ts";
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
  const { checkpoint } = result;
  const leftOut = leftOutTalk(checkpoint);
  const warnings = [...result.warnings, ...leftOut.warnings];
  if (options.pin === true) {
    const { pinCheckpoints } = await import("../../../operations/pin-checkpoints.ts");
    await pinCheckpoints(project, [checkpoint], checkpoint.reason);
  }
  for (const warning of warnings) output.warn(warning);
  for (const note of leftOut.notes) output.say(note);
  const parts = output.options.json ? await describeParts(project, checkpoint) : [];
  output.result("checkpoint_created", () => createdDocument({ ...result, warnings }, parts), [
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
