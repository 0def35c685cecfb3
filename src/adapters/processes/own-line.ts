/** This process and those that it was started by. Where there is no /proc it is alone. */
import { readFileSync } from "node:fs";

export function ownLine(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 1 && !line.has(pid); pid = parentOf(pid)) line.add(pid);
  return line;
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may have anything in it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
