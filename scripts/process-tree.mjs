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

/** Processor time of a process, those that it waited for, and those that still run. @param {number} pid @returns {number} */
export function ticksOf(pid) {
  const text = read(`/proc/${pid}/stat`);
  if (text === "") return 0;
  // The name in brackets may hold anything; after it come the state and then fields by number.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return childrenOf(pid).reduce((sum, child) => sum + ticksOf(child), own);
}
