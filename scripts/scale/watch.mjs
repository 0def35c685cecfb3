// Runs one command, one at a time, and looks at the time and memory of it and everything that it starts.
import { spawn } from "node:child_process";
import { cpuOfChildren } from "../bench/measure.mjs";
import { memoryKb, residentKb } from "../process-tree.mjs";

/**
 * @typedef {object} Watched
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} code exit code; -1: ended by a signal
 * @property {number} ms
 * @property {number} cpuMs of it and all its children, to their end, as the kernel counted it: what it takes whatever else the machine does
 * @property {number} ownMb most memory that the process itself ever had, as the kernel counted it
 * @property {number} treeMb most memory that it and all its children had at one moment
 */

/** @typedef {{ cwd: string, env: Record<string, string>, input?: string }} WatchOptions */

/** Between two looks. The peak of the process itself is the kernel's count, so nothing of it is missed in between. */
const EVERY_MS = 15;
const MB = 1024;

/** @param {string} command @param {readonly string[]} args @param {WatchOptions} options @returns {Promise<Watched>} */
export function watch(command, args, { cwd, env, input = "" }) {
  return new Promise((resolve, reject) => {
    const cpuBefore = cpuOfChildren();
    const start = process.hrtime.bigint();
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    const { pid } = child;
    let ownKb = 0;
    let treeKb = 0;
    const timer = setInterval(() => {
      if (pid === undefined) return;
      ownKb = Math.max(ownKb, memoryKb(pid, "VmHWM"));
      treeKb = Math.max(treeKb, residentKb(pid));
    }, EVERY_MS);
    /** @type {Buffer[]} */ const out = [];
    /** @type {Buffer[]} */ const err = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.stdin.on("error", () => {}); // whoever does not read its input says so by its exit code
    child.on("error", reject);
    let ms = NaN;
    let cpuMs = NaN;
    child.on("exit", () => {
      ms = Number(process.hrtime.bigint() - start) / 1e6;
      // Nothing else is started meanwhile, so all that came to it is this child and those that it waited for. Looks at the
      // running child would miss its last part: the more of it, the busier the machine.
      cpuMs = cpuOfChildren() - cpuBefore;
    });
    child.on("close", (code) => {
      clearInterval(timer);
      resolve({
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
        code: code ?? -1,
        ms,
        cpuMs,
        ownMb: ownKb / MB,
        treeMb: Math.max(ownKb, treeKb) / MB,
      });
    });
    child.stdin.end(input);
  });
}
