/** Who runs this process, precisely enough to tell later whether it is still alive. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** Process ids are used again; the start time tells two of them apart. */
  readonly started: string;
}

export type Liveness = "alive" | "dead" | "unknown";

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    host: hostname(),
    boot: bootId(),
    pid: process.pid,
    started: startTime(process.pid) ?? "",
  };
  return own;
}

export function isAlive(identity: ProcessIdentity): Liveness {
  if (identity.host !== hostname()) return "unknown";
  if (identity.boot !== bootId()) return "dead";
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: somebody else's process, so it exists.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "dead";
  }
  return startTime(identity.pid) === (identity.started === "" ? undefined : identity.started)
    ? "alive"
    : "dead";
}

/** By the number alone; one that is used again counts as alive. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Process ids from the parent of this one up; undefined where the system does not tell. */
export function ancestors(): number[] | undefined {
  const found: number[] = [];
  let pid = process.ppid;
  while (pid > 0 && !found.includes(pid)) {
    found.push(pid);
    const parent = Number(statFields(pid)?.[1]);
    if (Number.isNaN(parent)) return found.length === 1 ? undefined : found;
    pid = parent;
  }
  return found;
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
function startTime(pid: number): string | undefined {
  const fields = statFields(pid);
  // A zombie has ended, whatever the table of processes says.
  return fields?.[0] === "Z" || fields?.[0] === "X" ? undefined : fields?.[19];
}

/** What comes after the name, which may hold anything: state, parent … */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
