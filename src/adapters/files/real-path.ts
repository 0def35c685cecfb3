import { realpathSync } from "node:fs";

/** The path without links, or as it is where that cannot be found out. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
