/** Where the files are that a node promises, from the root of the project. None for what is printed, or is outside of it. */
import { parsePath, type BytePath } from "../byte-path.ts";
import type { Outputs, WorkflowPhase } from "./definition.ts";

export function outputPaths(outputs: Outputs): BytePath[] {
  return Object.values(outputs).flatMap((source) => {
    if (source.kind !== "file" || source.path.startsWith("/")) return [];
    const names = source.path.split("/").filter((name) => name !== "" && name !== ".");
    return names.length === 0 || names.includes("..") ? [] : [parsePath(names.join("/"))];
  });
}

/** Of the isolated nodes of a phase: they come into the project by a merge, which has to know what was there before. */
export function mergedOutputs({ nodes }: Pick<WorkflowPhase, "nodes">): BytePath[] {
  return nodes
    .filter(({ isolate }) => isolate !== null)
    .flatMap(({ outputs }) => outputPaths(outputs));
}
