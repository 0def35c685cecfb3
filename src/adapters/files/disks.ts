/**
 * Tells disks apart: renames and hard links work within one only. On Linux each place that a file system is mounted at counts as one, so a bind mount
 * of the same file system is another disk.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { errorCode, isDenied, isMissing } from "./errors.ts";

export interface Disks {
  /** Undefined where nothing is, or nothing that can be looked at. */
  readonly of: (path: Buffer | string) => string | undefined;
  /** A file may be one too, as containers have it. The path has no links in it. */
  readonly isMountPoint: (path: Buffer) => boolean;
}

/** As they are mounted now. */
export function disks(): Disks {
  const points = new Set(mountPoints());
  return {
    of: (path) => {
      try {
        const real = realpathSync.native(path, { encoding: "buffer" });
        return `${statSync(real).dev} ${nearest(points, real.toString("latin1"))}`;
      } catch (error) {
        if (isMissing(error) || isDenied(error)) return undefined;
        throw error;
      }
    },
    isMountPoint: (path) => points.has(path.toString("latin1")),
  };
}

function nearest(points: ReadonlySet<string>, path: string): string {
  let above = path;
  while (above !== "" && !points.has(above)) above = above.slice(0, above.lastIndexOf("/"));
  return above;
}

const AT = 4;

/** One character per byte. */
function mountPoints(): string[] {
  let table: string;
  try {
    table = readFileSync("/proc/self/mountinfo", "latin1");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
  return table.split("\n").flatMap((line) => {
    const point = line.split(" ")[AT];
    if (point === undefined) return [];
    return [
      point.replaceAll(/\\(\d{3})/g, (_all, octal: string) =>
        String.fromCharCode(parseInt(octal, 8)),
      ),
    ];
  });
}
