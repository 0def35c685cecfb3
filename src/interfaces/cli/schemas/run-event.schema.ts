import * as z from "zod";
import { TRIGGERS } from "../../../domain/checkpoint.ts";
import { CHECKPOINT_ANSWERS, type RunEventName } from "../../../domain/workflow/run-event.ts";
import { ROLLBACK_KINDS } from "../../../domain/session.ts";
import { SESSION_STATUSES } from "../../../domain/workflow/session-status.ts";
import { printedDocument } from "./published-schema.ts";
import { keptMeanwhile, leavingCommits } from "./rollback-plan-schema.ts";

const EVENTS: Readonly<Record<RunEventName, string>> = {
  session_started: "a new session starts",
  session_resumed: "a session continues",
  phase_started: "an attempt of a phase starts",
  checkpoint_created: "a checkpoint was created",
  checkpoint_failed: "a checkpoint could not be created",
  batch_started: "nodes that may run in parallel start",
  node_started: "an attempt of a node starts",
  node_output: "the latest output line of a node, from time to time",
  node_finished: "an attempt of a node ended",
  node_retrying: "a node is retried",
  verify_started: "a check starts",
  verify_finished: "a check ended",
  conflict_found: "the result of an isolated node conflicts with the rest",
  conflict_resolved: "the conflicts are resolved",
  state_conflict: "two nodes set one key of the state to different values",
  breakpoint: "a breakpoint was passed or answered",
  request_obeyed: "a request from another terminal is carried out",
  request_refused: "a request from another terminal was refused",
  rolled_back: "the project was rolled back",
  phase_finished: "a phase ended",
  warning: "a warning for the user",
  session_ended: "always the last one",
};

const names = Object.keys(EVENTS) as [RunEventName, ...RunEventName[]];
const text = z.string().optional();
const maybeText = z.string().nullable().optional();
const number = z.number().int().nonnegative().optional();

export const published = printedDocument(
  "run_event",
  "One line of what `waymark run --json` prints. Which fields an event has besides the first ones depends on `event`.",
  {
    event: z
      .enum(names)
      .describe(names.map((name) => `${name}: ${EVENTS[name]}`).join("; ")),
    at: z.string().describe("When, in UTC."),
    session_id: z.string(),
    phase: maybeText,
    step: z.number().int().positive().nullable().optional(),
    node: text,
    attempt: z.number().int().positive().optional(),
    of: number.describe("How many phases there are."),
    workflow: text.describe("The name of the workflow."),
    phases: z
      .array(z.looseObject({ name: z.string(), step: z.number().int(), status: z.string() }))
      .optional(),
    nodes: z.array(z.string()).optional(),
    batch: number,
    checkpoint_id: maybeText,
    undo_checkpoint_id: text.describe("The state before a rollback."),
    rollback_kind: z.enum(ROLLBACK_KINDS).optional().describe("Of one that `observe` saw."),
    commits_left: leavingCommits
      .optional()
      .describe("Commits that a rollback dropped from a branch; the checkpoint contains them."),
    kept: keptMeanwhile.optional().describe("What other programs saved during a rollback."),
    trigger: z.enum(TRIGGERS).optional(),
    answer: z
      .union([z.enum(CHECKPOINT_ANSWERS), z.string()])
      .optional()
      .describe("What is done about it; at a breakpoint, the command of the observer."),
    reason: maybeText,
    error: maybeText,
    hint: maybeText,
    message: text,
    command: text,
    by: maybeText,
    ok: z.boolean().optional(),
    status: z
      .enum([...SESSION_STATUSES, "timed_out", "skipped"])
      .optional()
      .describe("The outcome of the session, the phase, or the attempt of the node."),
    exit_code: z.number().int().nullable().optional(),
    duration_ms: z.number().nonnegative().optional(),
    delay_ms: number,
    log: text.describe("The file with the full output, relative to the root of the project."),
    line: text,
    paths: z.array(z.string()).optional(),
    key: maybeText.describe("A key of the state; null: all of it."),
    winner: text.describe("The node whose value is used."),
    restore_command: text,
    rollback_command: maybeText.describe("Undoes what the failed phase did."),
    resume_command: maybeText.describe("Continues from here."),
  },
);
