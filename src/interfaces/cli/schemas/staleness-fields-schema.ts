/** What the documents `staleness` and `resume_plan` have in common. */
import * as z from "zod";
import { FINDING_KINDS, SEVERITIES, STALENESS_ACTIONS } from "../../../domain/workflow/staleness/rules.ts";

const text = z.string().nullable();
const number = z.number().int().positive().nullable();

const finding = z.looseObject({
  kind: z.enum(FINDING_KINDS),
  severity: z
    .enum(SEVERITIES)
    .describe(
      "blocking: prevents a resume. decision: needs an answer. warning: for information only.",
    ),
  message: z.string(),
  what_happens_if_ignored: z.string(),
  details: z
    .record(z.string(), z.unknown())
    .describe("Details: files, commits, labels, paths, the process that runs the session."),
});

const point = z.looseObject({
  name: z.string(),
  phase: text,
  step: number,
  batch: number,
  task: number.describe("Its place in the batch."),
  node: text.describe("Its id: `phase/name`."),
  words: z.string().describe("For people: `phase implement (node api)`."),
});

export const STALENESS_FIELDS = {
    session_id: z.string(),
    checkpoint_id: text.describe("The checkpoint it continues from; null: none."),
    can_resume: z.boolean(),
    resume_from: text.describe("`batch_3_task_1`, `phase_2` or `end`; null: it is no workflow."),
    resume_point: point.nullable(),
    prerequisites_met: z.boolean().describe("Everything that the session needs exists."),
    warnings: z.array(z.string()).describe("The messages of all findings."),
    action: z.enum(STALENESS_ACTIONS).describe("The most severe action of all findings."),
    state_label: text.describe(
      "The state of the workflow by the present labels of its issue.",
    ),
    findings: z.array(finding),
};
