/** What makes two moments the same when more than the work tree is held, and what git may say about databases. */
import { showPath } from "../domain/byte-path.ts";
import { databaseFiles, type ExtraPart, type Part } from "../domain/parts.ts";
import type { Capture } from "../ports/work-tree.ts";
import type { CapturedParts } from "./part-work.ts";
import type { Project } from "./project.ts";

export function samenessWith(project: Project, capture: Capture, { parts }: CapturedParts): string {
  if (parts.length === 0) return capture.sameness;
  const counted = parts.map((part) => [part.type, part.digest, subjectOf(part)]);
  return project.sha256(JSON.stringify([capture.sameness, ...counted]));
}

/** What a part is about: two databases with the same rows are two databases. */
function subjectOf(part: ExtraPart): readonly string[] {
  switch (part.type) {
    case "file_backup":
      return [...part.patterns, "", ...part.outside];
    case "state_snapshot":
      return part.documents.map(({ name, path }) => `${name} ${path ?? ""}`);
    case "database_savepoint":
      return [part.engine, part.source, part.label];
  }
}

/** Git compares bytes, and a database with the same rows may have others. */
export function trackedDatabases(parts: readonly Part[], capture: Capture): string[] {
  const leftToThem = new Set(
    capture.details.excluded
      .filter(({ reason }) => reason === "in_database")
      .map(({ path }) => path),
  );
  return parts.flatMap((part) => {
    const [file] = databaseFiles([part]);
    const isTracked =
      part.type === "database_savepoint" &&
      part.bytes > 0 &&
      file !== undefined &&
      !leftToThem.has(showPath(file));
    return isTracked
      ? [
          `${part.label} is tracked by git: after a rollback its rows are right, but git may show it as modified`,
        ]
      : [];
  });
}
