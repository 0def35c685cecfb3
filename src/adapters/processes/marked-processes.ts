/**
 * Finds what a command started, wherever it went: each process carries the mark of its command in its environment, also
 * after its parents have ended or it got a session of its own. Where there is no /proc it finds nothing.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Marks of all commands around, the outermost first, separated by colons. */
export const MARK_VARIABLE = "WAYMARK_COMMAND";

export function withMark(inherited: string | undefined, mark: string): string {
  return inherited === undefined || inherited === "" ? mark : `${inherited}:${mark}`;
}

export function markedProcesses(isWanted: (mark: string) => boolean): number[] {
  return processIds().filter((pid) => marksOf(pid).some(isWanted));
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

const PREFIX = `${MARK_VARIABLE}=`;

/** Processes of others cannot be read and are none of ours; one that has ended has no environment. */
function marksOf(pid: number): string[] {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return [];
  }
  const found = environment.split("\0").find((entry) => entry.startsWith(PREFIX));
  return found?.slice(PREFIX.length).split(":") ?? [];
}
