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

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, whatever the table of processes says.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
