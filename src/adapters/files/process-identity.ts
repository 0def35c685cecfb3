/** Who runs this process, precisely enough to tell later whether it is still alive. */
import { hostname } from "node:os";
import { bootId, lifeInOther, ownNamespace, parentOf, startTime } from "./process-table.ts";

export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** Process ids are used again; the start time tells two of them apart. Empty: the system does not tell. */
  readonly started: string;
  /** Where the id counts. Missing: the system does not tell, or an earlier version wrote this. */
  readonly pid_namespace?: string;
}

export type Liveness = "alive" | "dead" | "unknown";

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= readOwn();
  return own;
}

function readOwn(): ProcessIdentity {
  const { pid } = process;
  const namespace = ownNamespace();
  return {
    host: hostname(),
    boot: bootId(),
    pid,
    started: startTime(pid) ?? "",
    ...(namespace === undefined ? {} : { pid_namespace: namespace }),
  };
}

export function isAlive(identity: ProcessIdentity): Liveness {
  const { host, boot, pid, started } = identity;
  // What is left of a record that cannot be read.
  if (pid === 0) return "dead";
  const isHostSame = host === hostname();
  const here = ownIdentity().boot;
  // Where /proc cannot be read, nothing is known about starts of the machine.
  if (boot !== here) return isHostSame && boot !== "" && here !== "" ? "dead" : "unknown";
  const where = namespaceOf(identity);
  if (where === "other") return lifeInOther(pid, started);
  // The same start of the same machine, which may have got another name since. Containers on it have names of their own, too.
  if (where === "unknown" && !(isHostSame && identity.pid_namespace === undefined)) {
    return "unknown";
  }
  if (isGone(pid)) return "dead";
  if (started === "" || ownIdentity().started === "") return "alive";
  return startTime(pid) === started ? "alive" : "dead";
}

/** Whether a process that runs since the same start of the machine is in the namespace of this one. */
function namespaceOf({ pid_namespace }: ProcessIdentity): "own" | "other" | "unknown" {
  const { pid_namespace: here } = ownIdentity();
  if (pid_namespace === undefined || here === undefined) return "unknown";
  return pid_namespace === here ? "own" : "other";
}

/** It runs on this machine, in a namespace that cannot be looked into from here. */
export function isOutOfSight(identity: ProcessIdentity): boolean {
  const isHere = identity.boot === ownIdentity().boot;
  return isHere && namespaceOf(identity) === "other" && isAlive(identity) === "unknown";
}

export function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return (
    one.pid === other.pid &&
    one.started === other.started &&
    one.boot === other.boot &&
    one.host === other.host &&
    one.pid_namespace === other.pid_namespace
  );
}

/** By the number alone, in the namespace of this process; one that is used again counts as alive. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: somebody else's process, so it exists.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Process ids from the parent of this one up; undefined where the system does not tell. */
export function ancestors(): number[] | undefined {
  const found: number[] = [];
  let pid = process.ppid;
  while (pid > 0 && !found.includes(pid)) {
    found.push(pid);
    const parent = parentOf(pid);
    if (parent === undefined) return found.length === 1 ? undefined : found;
    pid = parent;
  }
  return found;
}
