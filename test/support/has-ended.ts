/** Whether a process has ended. One that has, and whose parent has not asked for it yet, still has its number. */
import { readFileSync } from "node:fs";
import { isGone } from "../../src/adapters/files/process-identity.ts";

export function hasEnded(pid: number): boolean {
  return isGone(pid) || isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in brackets and may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return isGone(pid);
  }
}
