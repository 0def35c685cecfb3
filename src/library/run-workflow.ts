/** Workflows as programs run and resume them: from a file, or as a value with the same keys. */
import { Failure } from "../domain/failure.ts";
import type { Workflow } from "../domain/workflow/definition.ts";
import type { WorkflowShape } from "../domain/workflow/file-shape.ts";
import type { Project } from "../operations/project.ts";
import type { ResumeRequest } from "../operations/resume/plan-resume.ts";
import { resumeWorkflow, type WorkflowResume } from "../operations/resume/resume-workflow.ts";
import type { RunOptions } from "../operations/run/run-options.ts";
import type { RunResult } from "../operations/run/run-workflow.ts";
import { startWorkflow, type StartOptions } from "../operations/run/start-workflow.ts";

export interface RunWorkflowOptions extends Omit<RunOptions, "isResumed">, StartOptions {
  /** A workflow file, from the folder that the project was opened in. */
  readonly file?: string;
  /** Or the workflow itself, with the keys of such a file. The session keeps no text of it: to resume it, give it again. */
  readonly workflow?: WorkflowShape;
}

/**
 * Starts a session for a workflow and runs it. Nobody is asked anything unless there is an `observer`: a breakpoint then pauses the
 * session. What comes of the workflow, a failure of it included, is the result; what keeps it from being run is thrown.
 */
export async function runWorkflow(
  project: Project,
  { workflow, ...options }: RunWorkflowOptions,
): Promise<RunResult> {
  return startWorkflow(project, { ...options, ...(await definitionOf(project, workflow)) });
}

export interface ResumeSessionOptions
  extends Omit<WorkflowResume, "isResumed" | "session" | "definition">, ResumeWorkflow {}

interface ResumeWorkflow extends Pick<ResumeRequest, "issue"> {
  /** An id or a part of one. Undefined: the one of this work tree, or that of `issue`. */
  readonly id?: string;
  /** For a session that was not run from a file. */
  readonly workflow?: WorkflowShape;
}

/**
 * Goes on with a session of a workflow. What `waymark resume` would ask about (files that changed, nodes of unknown end) is said in the
 * options, or is a `Failure` with the code `needs_confirmation`; `planResume` looks without changing anything.
 */
export async function resumeSession(
  project: Project,
  { id, workflow, ...options }: ResumeSessionOptions = {},
): Promise<RunResult> {
  return resumeWorkflow(project, {
    ...options,
    ...(id === undefined ? {} : { session: id }),
    ...(await definitionOf(project, workflow)),
  });
}

/** Checked as a file is: JSON is YAML. */
async function definitionOf(
  project: Project,
  workflow: WorkflowShape | undefined,
): Promise<{ readonly definition?: Workflow }> {
  if (workflow === undefined) return {};
  const text = JSON.stringify(workflow, null, 2);
  if (typeof text !== "string") {
    throw new Failure("usage", "a workflow is an object with the keys of a workflow file", {
      hint: "docs/workflow-file.md describes them. Nothing was run.",
    });
  }
  return { definition: await project.workflowFiles.parse(text, "workflow") };
}
