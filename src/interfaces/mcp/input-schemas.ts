/** What tools take. Every text and list has a limit; a field that nobody knows is refused: a misspelled option must not be ignored. */
import * as z from "zod";
import { TRIGGERS } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { SESSION_STATUSES } from "../../domain/workflow/session-status.ts";

export type InputSchema<Input> = z.ZodType<Input>;

/** Throws what is wrong with it; a value that was given is not repeated. */
export function readInput<Input>(schema: InputSchema<Input>, given: unknown): Input {
  if (hasLostName(given)) {
    throw new Failure("usage", `a field is called ${LOST_NAME}, which cannot be kept`, {
      hint: "Give it another name. Nothing was changed.",
    });
  }
  const read = schema.safeParse(given ?? {});
  if (read.success) return read.data;
  const problems = read.error.issues
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw new Failure("usage", `invalid arguments: ${problems.join("; ")}`, {
    hint: "See the input schema of the tool. Nothing was changed.",
  });
}

const MOST_PROBLEMS = 5;

/** No file and no program has one in its name. */
const NUL = "it contains a NUL character";

function hasNoNul(given: string): boolean {
  return !given.includes("\0");
}

/** It would be lost on the way, and nobody would be told. */
function hasLostName(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.hasOwn(value, LOST_NAME) || Object.values(value).some(hasLostName);
}

const LOST_NAME = "__proto__";

const text = (most: number): z.ZodString => z.string().max(most).refine(hasNoNul, NUL);
const word = (most: number): z.ZodString =>
  z.string().trim().min(1).max(most).refine(hasNoNul, NUL);
/** Any JSON object. */
const fields = z.looseObject({});

const selector = word(300).describe(
  "A checkpoint: its id, a unique part of it, a step number, `latest`, `latest~2`, `start`, `phase:NAME` or `session:ID/4`.",
);
const session = word(200)
  .optional()
  .describe("Id of a session or a part of it. Default: the one of this work tree.");
const paths = z
  .array(word(4096))
  .min(1)
  .max(500)
  .describe("Files and folders of the project, from its root.");
const reason = text(1000).optional().describe("Why, for the journal. No secrets.");
const confirmToken = word(200)
  .optional()
  .describe(
    "The confirm_token that came with the plan, to carry out exactly that plan. Omit it in the first call; never invent one.",
  );
const discardCommits = z
  .boolean()
  .optional()
  .describe("Accept that commits are dropped from their branch. The safety checkpoint keeps them.");

const goingBack = {
  checkpoint: selector
    .optional()
    .describe(
      "The checkpoint to go back to: its id, a unique part of it, a step number, `latest`, `latest~2`, `start`, `phase:NAME` or `session:ID/4`. " +
        "With only_session or only_paths_of: undo steps since this one; default: all.",
    ),
  only_session: word(200)
    .optional()
    .describe(
      "Undo only what this session did (of an agent or a workflow; a part of its id). Others' edits stay, also in the same files.",
    ),
  only_paths_of: word(200)
    .optional()
    .describe("The same, but only whole files that no other session changed."),
  keep_head: z.boolean().optional().describe("Leave HEAD and branches where they are."),
  files_only: z.boolean().optional().describe("Restore files; leave HEAD and the index alone."),
  state_only: z.boolean().optional().describe("Restore the workflow's state and nothing else."),
  keep_task: z.boolean().optional().describe("Leave the task of Backlog.md as it is."),
  paths: paths.optional().describe("Restore only these files and folders, from the root."),
  even_if_expired: z.boolean().optional().describe("Accept an expired checkpoint."),
  discard_commits: discardCommits,
};

export const createInput = z.strictObject({
  reason: text(1000).optional().describe("Why it is created, in one sentence. No secrets."),
  name: word(100).optional().describe("A short name; becomes part of the id."),
  description: text(4000).optional(),
  phase: word(100).optional().describe("The phase of the workflow, such as implement."),
  step: z.number().int().min(1).max(9999).optional().describe("The number of the phase."),
  task: word(200).optional().describe("Id of the task that it belongs to."),
  issue: z.number().int().min(1).max(1_000_000_000).optional().describe("Number of the issue."),
  workflow_state: word(200).optional().describe("The workflow's own name for its state."),
  metrics: fields.optional().describe("What the workflow reports, such as tests or coverage."),
  expires: word(60).optional().describe("Like 24h or 7d, a date, or never (default)."),
  scope: z
    .array(word(4096))
    .min(1)
    .max(200)
    .optional()
    .describe("Capture only these files, folders or patterns of the project. Default: everything."),
  state: fields
    .optional()
    .describe("The workflow's state, as JSON: restored by a rollback. Secrets are refused."),
  state_keys: z
    .array(word(500))
    .min(1)
    .max(200)
    .optional()
    .describe("Capture only these keys of the state, as dotted names."),
  outputs: fields.optional().describe("What the workflow has produced so far, as JSON."),
  pin: z.boolean().optional().describe("Never remove it in a cleanup."),
  force: z.boolean().optional().describe("Create one even if nothing changed since the last one."),
  session: session.describe(
    "Id of the session that it belongs to; a new id starts one. Default: the one of this work tree.",
  ),
});

export const listInput = z.strictObject({
  all: z.boolean().optional().describe("Every session, and safety checkpoints of rollbacks."),
  task: word(200).optional(),
  phase: word(100).optional(),
  trigger: z.enum(TRIGGERS).optional().describe("Only those with this trigger."),
  limit: z.number().int().min(1).max(200).optional().describe("Newest first; default 20."),
  session,
});

export const showInput = z.strictObject({ checkpoint: selector, session });

export const diffInput = z.strictObject({
  from: selector,
  to: selector.optional().describe("Another checkpoint. Default: the project as it is now."),
  patch: z.boolean().optional().describe("With the changed lines, not only names and counts."),
  paths: paths.optional().describe("Only these files and folders, from the project's root."),
  session,
});

export const previewInput = z.strictObject({ ...goingBack, session });

export const rollBackInput = z.strictObject({
  ...goingBack,
  reason,
  confirm_token: confirmToken,
  session,
});

export const undoInput = z.strictObject({
  preview: z
    .boolean()
    .optional()
    .describe("Only show the plan and its confirm_token, without asking."),
  discard_commits: discardCommits,
  reason,
  confirm_token: confirmToken,
  session,
});

export const validateInput = z.strictObject({
  checkpoints: z.array(selector).max(50).optional().describe("Which ones. Default: all."),
});

const seconds = z.number().int().min(1).max(86_400);

export const guardInput = z.strictObject({
  command: z
    .array(text(32_768))
    .min(1)
    .max(500)
    .describe("The program and its arguments; no shell is involved."),
  verify: z
    .array(word(8192))
    .max(20)
    .optional()
    .describe("Shell commands that have to succeed afterwards, in this order."),
  retries: z.number().int().min(0).max(10).optional().describe("Number of retries."),
  timeout_seconds: seconds.optional().describe("For the command and each check; default 600."),
  keep_on_fail: z.boolean().optional().describe("Keep the changes of the last attempt."),
  keep_head: z.boolean().optional().describe("Leave HEAD and branches where the command put them."),
  reason: text(1000).optional().describe("Why, for the checkpoint. No secrets."),
  session,
});

const agentOutput = z.strictObject({ agent: word(200), task: word(200), output: fields });

export const saveSessionInput = z.strictObject({
  session,
  state: fields.optional().describe("The state of the workflow, as JSON. Secrets are refused."),
  outputs: fields.optional().describe("What the workflow has produced so far, as JSON."),
  metrics: fields.optional().describe("Such as tests or coverage; later checkpoints contain them."),
  phase: word(100).optional().describe("The phase that is under way; the one before is completed."),
  step: z.number().int().min(1).max(9999).optional().describe("The number of the phase."),
  iteration: z
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe("The number of the attempt at the phase."),
  state_label: word(200).optional().describe("The workflow's own name for its state."),
  team: fields.optional().describe("Who works on it: `{team_id, members: [{agent, role}]}`."),
  messages: fields
    .optional()
    .describe("Ids of messages: `{pending: [], awaiting: [], conflicts: []}`."),
  knowledge: fields
    .optional()
    .describe("Ids of notes: `{injected: [], captured: [], pending: []}`."),
  agent_outputs: z.array(agentOutput).max(100).optional().describe("What each agent produced."),
  merge: z
    .boolean()
    .optional()
    .describe("Update the stored data field by field (RFC 7396) instead of replacing it."),
  checkpoint: z.boolean().optional().describe("Create a checkpoint afterwards."),
  reason: text(1000).optional().describe("Why, for that checkpoint. No secrets."),
});

export const showSessionInput = z.strictObject({ session });

export const listSessionsInput = z.strictObject({
  workflow: word(200).optional().describe("Only of this type of workflow."),
  project: word(200).optional(),
  status: z.enum(SESSION_STATUSES).optional(),
  all: z.boolean().optional().describe("Archived ones and the work tree's own, too."),
  limit: z.number().int().min(1).max(200).optional().describe("Latest first; default 20."),
});

export const resumeInfoInput = z.strictObject({
  session,
  issue: z.number().int().min(1).max(1_000_000_000).optional().describe("The session about it."),
  from: selector.optional().describe("Assume a rollback to this checkpoint first."),
});

/** What a user is asked before something is rolled back. */
export const confirmation = z.object({
  confirm: z.boolean().default(true).describe("Carry out what is shown above."),
});

/** What prompts take. */
export const riskyWorkArguments = z.object({
  task: text(2000).optional().describe("What is going to be done."),
});
export const rollBackArguments = z.object({
  problem: text(2000).optional().describe("What went wrong."),
});
export const resumeArguments = z.object({
  session: text(200).optional().describe("Id of the session, or a part of it."),
});
