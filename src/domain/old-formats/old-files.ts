/** Lists of paths in old records. */
import { asBytePath, encodeUtf8 } from "../byte-path.ts";
import type { FileChanges } from "../checkpoint.ts";
import { isHostilePath } from "../hostile-path.ts";
import type { FieldReader } from "./field-reader.ts";

export const NO_FILES: FileChanges = { created: [], modified: [], deleted: [], total: 0 };

/** Names a file of the project: not one above it, not one of git's own. */
export function isProjectPath(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !isHostilePath(asBytePath(encodeUtf8(path)), true);
}

/** Checkpoint documents stay small: every list reads them. */
const MOST_PATHS = 100;

export function fileChanges(files: FieldReader): { files: FileChanges; leftOut: number } {
  const named = (name: string): readonly string[] => files.texts(name);
  const all = [named("created"), named("modified"), named("deleted")];
  const inside = all.map((paths) => paths.filter(isProjectPath));
  const [created = [], modified = [], deleted = []] = inside.map((paths) =>
    paths.slice(0, MOST_PATHS),
  );
  const total = inside.flat().length;
  return { files: { created, modified, deleted, total }, leftOut: all.flat().length - total };
}
