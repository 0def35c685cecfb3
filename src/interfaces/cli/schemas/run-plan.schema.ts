import * as z from "zod";
import { ON_FAIL } from "../../../domain/workflow/definition.ts";
import { printedDocument } from "./published-schema.ts";

const phase = z.looseObject({
  name: z.string(),
  step: z.number().int().positive(),
  modifies: z.boolean(),
  pre_checkpoint: z
    .enum(["yes", "no", "if_dirty"])
    .describe("if_dirty: only if there are uncommitted changes."),
  post_checkpoint: z.boolean(),
  batch_checkpoints: z.boolean(),
  batches: z.array(z.array(z.string())).describe("Names of nodes that may run in parallel."),
  isolated: z.array(z.string()).describe("Nodes that get a work tree of their own."),
  verify: z.number().int().nonnegative().describe("How many checks there are."),
  retries: z.number().int().nonnegative(),
  timeout_ms: z.number().nullable(),
  breakpoint: z.boolean(),
  on_fail: z.enum(ON_FAIL),
  commands: z
    .array(
      z.looseObject({
        node: z.string().nullable().describe("null: a command of the whole phase."),
        kind: z.enum(["run", "verify", "resolver", "metrics"]),
        line: z.string(),
        cwd: z.string().describe("Relative to the root of the project."),
        env: z.record(z.string(), z.string()),
      }),
    )
    .describe("Every shell command that it may run."),
});

export const published = printedDocument(
  "run_plan",
  "What `waymark run --dry-run --json` prints: what would run.",
  {
    dry_run: z.literal(true),
    file: z.string().nullable(),
    name: z.string(),
    type: z.string(),
    concurrency: z.number().int().positive(),
    phases: z.array(phase).min(1),
  },
);
