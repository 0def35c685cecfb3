import type { CommandSpec } from "../command-spec.ts";
import { notBlank } from "../options.ts";
import { RUN_OPTIONS } from "../run/run-flags.ts";

export const runSpec: CommandSpec = {
  name: "run",
  group: "Workflows",
  summary: "run a workflow file: phases and nodes, with checkpoints to go back to",
  description:
    "Starts a session and runs the phases of the file in their order; nodes that need nothing of each other run side by side. " +
    "Checkpoints are taken before and after phases and after each batch, as the settings say. A node that fails is tried again from the " +
    "checkpoint before its batch, as often as the file says.\n\n" +
    "On a terminal it shows how far it is; otherwise it prints lines. What nodes write is kept in .checkpoints/runs/, and is passed on where " +
    "there is no live view. With --json each event is one line, and what nodes write goes to stderr.\n\n" +
    "Ctrl+C ends the nodes, takes a checkpoint and leaves the session for `waymark resume`. The exit code is 0 when the workflow is completed, " +
    "1 when something failed, 5 when it waits for somebody, 6 when somebody else runs it, and 130 when it was interrupted.",
  arguments: [{ name: "<file>", text: "the workflow file (YAML)", completes: "file" }],
  options: [
    { flags: "-y, --yes", text: "go on at breakpoints without asking" },
    { flags: "--check", text: "only check the file" },
    {
      flags: "-n, --dry-run",
      text: "show what would run, and where checkpoints would be taken; change nothing",
    },
    { flags: "--session-id <id>", text: "the id of the new session", parse: notBlank },
    { flags: "--fresh", text: "put an unfinished session of this workflow away and begin anew" },
    { flags: "--resume", text: "go on with an unfinished session of this workflow" },
    ...RUN_OPTIONS,
  ],
  examples: [
    { command: "waymark run workflow.yml", text: "run it" },
    { command: "waymark run workflow.yml --dry-run", text: "only look" },
    { command: "waymark run workflow.yml --yes --json", text: "for a program: one event per line" },
    { command: "waymark run workflow.yml --fresh", text: "leave the unfinished one" },
  ],
  makesProject: true,
  kinds: ["run_event", "run_plan", "workflow_check"],
  audits: "run",
  whenInterrupted: "Nothing was run.",
  load: () => import("./run.ts"),
};
