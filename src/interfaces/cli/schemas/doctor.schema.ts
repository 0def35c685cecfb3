import * as z from "zod";
import type { HealthStatus } from "../../../domain/health.ts";
import { printedDocument } from "./published-schema.ts";

const count = z.number().int().nonnegative();

const check = z.looseObject({
  name: z.string().describe("What was checked: git, node, repository, store, disk and others."),
  status: z.enum(["ok", "warning", "problem"] satisfies HealthStatus[]),
  message: z.string(),
  items: z.array(z.string()).describe("The paths or checkpoints that the message is about, all of them."),
  hint: z.string().nullable().describe("What to do about it."),
  fixable: z.boolean().describe("`waymark doctor --fix` can fix it."),
  fixed: z.boolean().describe("With --fix: it was fixed by this command."),
});

export const published = printedDocument(
  "doctor",
  "What `waymark doctor --json` prints; the exit code is 1 when there are problems.",
  {
    checks: z.array(check).describe("One entry for each finding; a check may have several."),
    problems: count.describe("How many of them have the status problem."),
    warnings: count.describe("How many of them have the status warning."),
  },
);
