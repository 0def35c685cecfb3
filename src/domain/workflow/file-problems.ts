/** What is wrong with a workflow file: all of it, with places. */
import type { Place } from "../config-check.ts";
import { Failure } from "../failure.ts";

export interface FileProblem extends Place {
  readonly message: string;
}

/** Nobody reads more of them, and one slip in a file of thousands of lines can make as many. */
const MOST_KEPT = 200;
const MOST_SHOWN = 20;

export class FileProblems {
  readonly #found: FileProblem[] = [];

  add({ line, column }: Place, message: string): void {
    this.#found.push({ line, column, message });
  }

  /** In the order of the file. */
  all(): FileProblem[] {
    return this.#found
      .toSorted((left, right) => left.line - right.line || left.column - right.column)
      .slice(0, MOST_KEPT);
  }
}

/** `path` as people know the file. */
export function workflowFailure(path: string, problems: readonly FileProblem[]): Failure {
  const more = problems.length - MOST_SHOWN;
  const shown = problems
    .slice(0, MOST_SHOWN)
    .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  return new Failure("workflow_invalid", shown.join("\n"), {
    hint:
      (more > 0 ? `There ${more === 1 ? "is 1 more" : `are ${more} more`}. ` : "") +
      "`waymark help workflow-file` describes every key; `waymark schema workflow` prints the JSON Schema for editors. Nothing was run.",
    details: { file: path, problems },
  });
}
