/** Reads workflow files. */
import type { WorkflowDefinition } from "../domain/session.ts";
import type { Workflow } from "../domain/workflow/definition.ts";

export interface ReadWorkflow {
  readonly workflow: Workflow;
  /** What the session keeps of the file, so that it can be resumed by what it began with. */
  readonly source: WorkflowDefinition;
}

export interface WorkflowFiles {
  /**
   * The workflow in this file. The path is as the user gave it, from the folder that the command was called in, and may lead
   * out of the project. Fails with `workflow_invalid` and every problem with its line and column when it is wrong, also when
   * it is no file of text or looks like a secret; with `file_not_found` when it is not there.
   */
  read(path: string): Promise<ReadWorkflow>;
  /** The workflow in a text that was read earlier. `path` is for messages only. */
  parse(text: string, path: string): Promise<Workflow>;
  /** Whether a path that others wrote may be read: it leads to a file of the project, also through links, not into `.git`, and to no secret. */
  isHarmless(path: string): Promise<boolean>;
  /** The text of a file that a session recorded, as it is now; undefined: it is gone, or is no readable file any more. */
  currentText(path: string): Promise<string | undefined>;
}
