/** Whether a file can come back to its place without anything else having to leave it. */
import { readdirSync } from "node:fs";
import { ancestorsOf, joinPath, type BytePath } from "../../../domain/byte-path.ts";
import { onDisk, type RootFolder } from "../../files/byte-names.ts";
import { statOf } from "../../files/file-stat.ts";

export function isTaken(
  root: RootFolder,
  path: BytePath,
  /** Files that will not be there any more. */
  going: ReadonlySet<BytePath>,
): boolean {
  for (const above of ancestorsOf(path)) {
    const stat = statOf(onDisk(root, above));
    if (stat !== undefined && !stat.isDirectory() && !going.has(above)) return true;
  }
  const there = statOf(onDisk(root, path));
  if (there === undefined || going.has(path)) return false;
  return !there.isDirectory() || !becomesEmpty(root, path, going);
}

/** An empty folder does not: somebody made it, and nobody takes it away. */
function becomesEmpty(root: RootFolder, folder: BytePath, going: ReadonlySet<BytePath>): boolean {
  const entries = readdirSync(onDisk(root, folder), { encoding: "buffer", withFileTypes: true });
  return (
    entries.length > 0 &&
    entries.every((entry) => {
      const path = joinPath(folder, entry.name.toString("latin1"));
      return entry.isDirectory() ? becomesEmpty(root, path, going) : going.has(path);
    })
  );
}
