/** Processes that work in a folder: their current one is it, or is below it. Where there is no /proc it finds nothing. */
import { readdirSync, readlinkSync, realpathSync } from "node:fs";

export function processesIn(folder: string): number[] {
  try {
    const real = realpathSync(folder);
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && isWithin(real, name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Processes of others cannot be looked at; one that has ended works nowhere. */
function isWithin(folder: string, pid: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}
