// node memory-watch.mjs REPORT COMMAND ARGS…: runs the command and writes to REPORT how many bytes it and all its children had in memory at most.
//
// It looks every other millisecond at /proc: there is no call that tells the sum over a tree of processes, and what `time` prints is the largest of
// them. Pages that processes share are counted for each.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const INTERVAL_MS = 2;
const [report = "", command = "", ...args] = process.argv.slice(2);
let peak = 0;

/** A process may be gone at any moment. @template T @param {() => T} read @param {T} otherwise @returns {T} */
function ifThere(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** @param {number} pid @returns {number} */
function memoryOf(pid) {
  const status = ifThere(() => readFileSync(`/proc/${pid}/status`, "latin1"), "");
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  return childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), own);
}

/** @param {number} pid @returns {number[]} */
function childrenOf(pid) {
  const threads = ifThere(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) =>
    ifThere(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "")
      .split(" ")
      .filter((text) => text !== "")
      .map(Number),
  );
}

const child = spawn(command, args, { stdio: "inherit" });
const look = () => {
  if (child.pid !== undefined) peak = Math.max(peak, memoryOf(child.pid));
};
look();
const timer = setInterval(look, INTERVAL_MS);
child.on("error", (error) => {
  throw error;
});
child.on("exit", (code) => {
  clearInterval(timer);
  writeFileSync(report, String(peak));
  process.exitCode = code ?? 1;
});
