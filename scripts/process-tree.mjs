// What /proc tells of a process and of those below it. Any of them may end while it is looked at.
import { readdirSync, readFileSync } from "node:fs";

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** @param {number} pid @returns {number[]} */
export function childrenOf(pid) {
  /** @type {string[]} */ let threads = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // it ended meanwhile
  }
  return threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

/** Kilobytes; 0 when it ended meanwhile. @param {number} pid @param {"VmHWM" | "VmRSS"} field @returns {number} */
export function memoryKb(pid, field) {
  const status = read(`/proc/${pid}/status`);
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}

/** Of a process and all below it, now. Pages that they share count for each. @param {number} pid @returns {number} */
export function residentKb(pid) {
  return childrenOf(pid).reduce((sum, child) => sum + residentKb(child), memoryKb(pid, "VmRSS"));
}
