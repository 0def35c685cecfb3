// Starts a command, and lets something happen to it after a while: killed with everything it started, one child killed, Ctrl+C.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

/** @typedef {"tree" | "child" | "interrupt" | "small-files"} Blow */

/**
 * @typedef {object} Crashed
 * @property {number} code exit code; -1: a signal ended it
 * @property {Buffer} stdout
 * @property {string} stderr
 * @property {boolean} hit it still ran when the blow came
 */

/**
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string>, input?: string, blow: Blow, afterMs: number }} options
 * @returns {Promise<Crashed>}
 */
export function runWithBlow(command, { cwd, env, input, blow, afterMs }) {
  const [program = "", ...args] =
    blow === "small-files" ? ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", ...command] : command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    /** @type {Buffer[]} */ const out = [];
    /** @type {Buffer[]} */ const err = [];
    let hit = blow === "small-files";
    const timer = setTimeout(() => {
      hit = strike(blow, child.pid ?? 0);
    }, afterMs);
    const limit = setTimeout(() => kill(-(child.pid ?? 0), "SIGKILL"), 120_000);
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      clearTimeout(limit);
      // Whatever of its group still runs (a child whose parent was killed alone) is over before anybody looks.
      kill(-(child.pid ?? 0), "SIGKILL");
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString(),
        hit,
      });
    });
    child.stdin.end(input ?? "");
  });
}

/** @param {Blow} blow @param {number} pid the leader of the group @returns {boolean} */
function strike(blow, pid) {
  if (blow === "tree") return kill(-pid, "SIGKILL");
  if (blow === "interrupt") return kill(-pid, "SIGINT");
  if (blow === "child") {
    const children = groupOf(pid).filter((member) => member !== pid);
    const victim = children.at(-1);
    return victim !== undefined && kill(victim, "SIGKILL");
  }
  return true;
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function kill(pid, signal) {
  if (pid === 0) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} group @returns {number[]} */
function groupOf(group) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]) === group;
      } catch {
        return false;
      }
    });
}
