/** `waymark create` */
import { resolve } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { PartType } from "../../../domain/parts.ts";
import { createCheckpoint, type CreateRequest } from "../../../operations/create-checkpoint.ts";
import { createdDocument } from "../../../operations/documents/created-document.ts";
import { shortened, type BytePath } from "../../../domain/byte-path.ts";
import { isPlain, type CheckpointDocument } from "../../../domain/checkpoint.ts";
import type { Project } from "../../../operations/project.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { leavesOutMore, leftOutTalk } from "../exclusion-warnings.ts";
import { oneLine } from "../printable.ts";
import { counted } from "../units.ts";
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
  const leftOut = leftOutTalk(
    checkpoint,
    result.kind === "unchanged" ? checkpoint : result.previous,
  );
  const warnings = [...result.warnings, ...leftOut.warnings];
  if (options.pin === true) {
    const { pinCheckpoints } = await import("../../../operations/pin-checkpoints.ts");
    await pinCheckpoints(project, [checkpoint], checkpoint.reason);
  }
  for (const warning of warnings) output.warn(warning);
  const document = output.options.json
    ? await createdDocument(project, { ...result, warnings })
    : {};
  output.result("checkpoint_created", document, [
    result.kind === "created"
      ? `${output.paint("green", "Created")} ${output.id(checkpoint.id)}${summaryOf(checkpoint)}`
      : `Nothing ${leavesOutMore(checkpoint) ? "that is captured " : ""}changed since ${output.id(checkpoint.id)}; no checkpoint created`,
  ]);
  for (const note of leftOut.notes) output.say(note);
  if (result.kind === "unchanged" && givenReason(options, context) !== undefined) {
    output.say("the message was not stored; --force creates one anyway");
  }
  if (result.kind === "created") startAutoCleanup(project);
}

/** What it is about: `"my wip" (3 files changed, step 2 plan, commit 228aff47)`. */
function summaryOf(checkpoint: CheckpointDocument): string {
  const { reason, name, description, previous_id, files, coverage, step, phase, git } = checkpoint;
  const about = oneLine(reason ?? name ?? description ?? "");
  const place = [step === null ? undefined : `step ${step}`, phase ?? undefined];
  // What was staged, a mode or a copied file may be all that changed.
  const changed = files.total === 0 ? "" : `${counted(files.total, "file")} changed`;
  const facts = [
    previous_id === null ? counted(coverage.files, "file") : changed,
    place.filter((part) => part !== undefined).join(" "),
    git.commit === null || isPlain(git) ? "" : `commit ${git.commit.slice(0, 8)}`,
  ];
  const said = facts.filter((fact) => fact !== "").join(", ");
  return `${about === "" ? "" : ` "${shortened(about)}"`}${said === "" ? "" : ` (${said})`}`;
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
    reason: givenReason(options, context),
    description: options.description,
    phase: options.phase,
    step: options.step,
    taskId: options.task,
    issueNumber: options.issue,
    workflowState: options.workflowState,
    metrics:
      options.metrics === undefined ? undefined : readMetrics(context.directory, options.metrics),
    expiresAt: options.expires === "never" ? undefined : options.expires,
    durability: options.durability,
    // A pinned one is kept for its own sake.
    force: options.force === true || options.pin === true ? true : undefined,
    type: options.type,
    ...heldBesides(options, context, project),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function givenReason({ reason }: Options, { args }: Context): string | undefined {
  const [word] = args as [string | undefined];
  if (word === undefined || reason === undefined) return word ?? reason;
  throw new Failure("usage", `two reasons were given: ${word}, and ${reason} with -m`, {
    hint: "A reason of several words needs quotes. No checkpoint was created.",
  });
}

function readMetrics(directory: string, source: string): Record<string, unknown> {
  const path = source === STANDARD_INPUT ? source : resolve(directory, source);
  const text = readGiven("metrics", path);
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Said below.
  }
  throw new Failure("usage", `--metrics: ${source} is not a JSON object`, {
    hint: 'It must be like {"tests": 12, "coverage": 81.5}. No checkpoint was created.',
  });
}
