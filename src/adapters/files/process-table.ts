/** What Linux says about processes in /proc. Nothing is known where there is none, or where it is not about this process's namespace. */
import { readFileSync, readlinkSync } from "node:fs";
import { namesIn } from "./names-in.ts";

/** The namespace that a machine starts with: Linux gives it this number, and whoever is in it sees every process. */
export const FIRST_NAMESPACE = "4026531836";

export function bootId(): string {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

/** Processes of one namespace know each other by their ids; a container or a sandbox has its own. */
export function ownNamespace(): string | undefined {
  return /^pid:\[(\d+)\]$/.exec(linkOf("/proc/self/ns/pid") ?? "")?.[1];
}

/** Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
export function startTime(pid: number): string | undefined {
  return isOwnTable() ? startedAt(pid) : undefined;
}

export function parentOf(pid: number): number | undefined {
  const parent = isOwnTable() ? Number(statFields(pid)?.[1]) : Number.NaN;
  return Number.isNaN(parent) ? undefined : parent;
}

/** A sandbox may show the table of the namespace around it, where the same numbers are other processes. */
function isOwnTable(): boolean {
  return linkOf("/proc/self") === String(process.pid);
}

/** A process of another namespace on this machine. Whoever is not in the first one does not see it, unless it is further inside. */
export function lifeInOther(pid: number, started: string): "alive" | "dead" | "unknown" {
  if (started === "") return "unknown";
  const isThere = namesIn("/proc").some(
    (name) => /^\d+$/.test(name) && startedAt(Number(name)) === started && innerId(name) === pid,
  );
  if (isThere) return "alive";
  // Where the processes of others are hidden, the first of all is.
  const seesAll = ownNamespace() === FIRST_NAMESPACE && statFields(1) !== undefined;
  return seesAll ? "dead" : "unknown";
}

/** The id of a process in its own namespace. */
function innerId(pid: string): number {
  const ids = /^NSpid:\s*(.*)$/m.exec(textOf(`/proc/${pid}/status`) ?? "")?.[1];
  return Number(ids?.split(/\s+/).at(-1));
}

function startedAt(pid: number): string | undefined {
  const fields = statFields(pid);
  // A zombie has ended, whatever the table of processes says.
  return fields?.[0] === "Z" || fields?.[0] === "X" ? undefined : fields?.[19];
}

/** What comes after the name, which may hold anything: state, parent … */
function statFields(pid: number): string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
