import type { CommandSpec } from "../command-spec.ts";
import { notBlank } from "../options.ts";
import { RUN_OPTIONS } from "../run/run-flags.ts";

export const runSpec: CommandSpec = {
  name: "run",
  group: "Workflows",
  summary: "run a workflow file, with checkpoints between its steps",
  description:
    "Starts a session and runs the phases of the file in order; independent nodes run in parallel. Checkpoints are created before and " +
    "after phases and after each batch, depending on the settings. A node that fails is retried from the checkpoint before its batch, " +
    "up to `retries` times.\n\n" +
    "On a terminal it shows a live view; otherwise it prints lines. The output of nodes is stored in .git/waymark/runs/, and printed " +
    "where there is no live view. With --json each event is one line, and the output of nodes goes to stderr.\n\n" +
    "Ctrl+C ends the nodes and creates a checkpoint; `waymark resume` continues the session. The exit code is 0 when the workflow is " +
    "completed, 1 when something failed, 5 when it waits for an answer, 6 when another process runs it, and 130 when it was " +
    "interrupted.",
  arguments: [{ name: "<file>", text: "the workflow file (YAML)", completes: "file" }],
  options: [
    { flags: "-y, --yes", text: "continue at breakpoints without asking" },
    { flags: "--check", text: "only check the file" },
    {
      flags: "-n, --dry-run",
      text: "show what would run and where checkpoints would be created; change nothing",
    },
    { flags: "--session-id <id>", text: "the id of the new session", parse: notBlank },
    { flags: "--fresh", text: "archive an unfinished session of this workflow and start over" },
    { flags: "--resume", text: "continue an unfinished session of this workflow" },
    ...RUN_OPTIONS,
  ],
  examples: [
    { command: "waymark run workflow.yml", text: "run it" },
    { command: "waymark run workflow.yml --dry-run", text: "preview only" },
    { command: "waymark run workflow.yml --yes --json", text: "for a program: one event per line" },
    { command: "waymark run workflow.yml --fresh", text: "archive the unfinished session" },
  ],
  makesProject: true,
  kinds: ["run_event", "run_plan", "workflow_check"],
  audits: "run",
  whenInterrupted: "Nothing was run.",
  load: () => import("./run.ts"),
};
