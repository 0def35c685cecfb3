/** Which files of the work tree differ between a checkpoint and another moment, and of which nobody can tell. */
import { showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument, Exclusion } from "../domain/checkpoint.ts";
import { scopeFilter } from "../domain/scope.ts";
import { unknownPaths } from "../domain/work-tree-details.ts";
import type { FileDifference, Moment } from "../ports/differ.ts";
import type { Project } from "./project.ts";

export interface FilesBetween {
  readonly files: readonly FileDifference[];
  /** Files that one of the two holds and the other left out: whether they differ is not known. */
  readonly notCompared: readonly Exclusion[];
  /** Only files of a scope were compared. */
  readonly isScoped: boolean;
}

/** No paths: all of them. */
export async function filesBetween(
  project: Project,
  from: CheckpointDocument,
  end: Moment,
  paths: readonly BytePath[],
): Promise<FilesBetween> {
  const to = end.kind === "checkpoint" ? end.document : undefined;
  // What a checkpoint with a scope holds of other files says nothing about them.
  const covers = [from, to].flatMap((side) => scopeFilter(side?.scope?.files) ?? []);
  const start: Moment = { kind: "checkpoint", document: from };
  const found = (await project.differ.files(start, end, paths)).filter(({ path }) =>
    covers.every((filter) => filter.covers(path, false)),
  );
  const unknown = {
    atStart: [...from.coverage.excluded, ...(await project.differ.notHere(from))],
    atEnd:
      end.kind === "now"
        ? end.capture.details.excluded
        : [...end.document.coverage.excluded, ...(await project.differ.notHere(end.document))],
  };
  return { ...splitUnknown(found, unknown), isScoped: covers.length > 0 };
}

/** What a moment left out is neither there nor gone at that moment. */
function splitUnknown(
  found: readonly FileDifference[],
  unknown: Readonly<Record<"atStart" | "atEnd", readonly Exclusion[]>>,
): Pick<FilesBetween, "files" | "notCompared"> {
  const atStart = unknownPaths(unknown.atStart);
  const atEnd = unknownPaths(unknown.atEnd);
  const files: FileDifference[] = [];
  const notCompared: Exclusion[] = [];
  for (const file of found) {
    const exclusion =
      file.change === "added"
        ? atStart(file.path)
        : file.change === "removed"
          ? atEnd(file.path)
          : undefined;
    if (exclusion === undefined) files.push(file);
    // Compared as a database.
    else if (exclusion.reason !== "in_database")
      notCompared.push({ ...exclusion, path: showPath(file.path) });
  }
  return { files, notCompared };
}
