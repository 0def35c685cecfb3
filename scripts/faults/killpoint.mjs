// Builds killpoint.c on demand and runs commands under it.
import { compiled } from "./compile.mjs";
import { run } from "./process.mjs";

/**
 * Compiles the tracer and tries it: a sandbox may forbid ptrace or seccomp.
 * @returns {Promise<{ kind: "ready", path: string } | { kind: "unavailable", reason: string }>}
 */
export async function prepareKillpoint() {
  if (process.platform !== "linux" || process.arch !== "x64")
    return unavailable(
      `fault injection needs Linux on x86-64; this is ${process.platform} on ${process.arch}`,
    );
  const tracer = await compiled("killpoint");
  if (tracer.kind === "unavailable") return tracer;
  const { path, folder } = tracer;
  const probe = await run(path, [
    "--root",
    folder,
    "--timeout",
    "20",
    "--",
    process.execPath,
    "--version",
  ]);
  if (probe.code !== 0) return unavailable(`the tracer does not run here: ${probe.stderr.trim()}`);
  return { kind: "ready", path };
}

/** @param {string} reason @returns {{ kind: "unavailable", reason: string }} */
const unavailable = (reason) => ({ kind: "unavailable", reason });

/**
 * @typedef {object} Injection
 * @property {number} at the point, from 1
 * @property {"kill" | "kill-one" | "torn" | "errno" | "run" | "pause" | "signal" | "power-cut"} action
 * @property {string} [errno]
 * @property {boolean} [sticky]
 * @property {string} [command] a shell command for "run" and "pause"
 * @property {string} [signal]
 * @property {string} [mount] the file system whose power is cut
 * @property {boolean} [journal] its journal is committed just before
 */

/**
 * @typedef {import("./process.mjs").Result & { points: number, fired: number, call: string, died: boolean }} TracedResult
 * `died`: the command itself was ended by a signal, so it could not report anything.
 */

/**
 * @param {string} killpoint
 * @param {{ root: string, callClass?: string, fsync?: boolean, log?: string, inject?: Injection, timeoutS?: number }} what
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string>, input?: string }} where
 * @returns {Promise<TracedResult>}
 */
export async function runTraced(killpoint, what, command, where) {
  const { inject, timeoutS = 60 } = what;
  const args = [
    "--root",
    what.root,
    "--class",
    what.callClass ?? "all",
    "--timeout",
    String(timeoutS),
  ];
  if (what.fsync) args.push("--fsync");
  if (what.log !== undefined) args.push("--log", what.log);
  if (inject) {
    args.push("--at", String(inject.at), "--do", inject.action);
    if (inject.errno !== undefined) args.push("--errno", inject.errno);
    if (inject.sticky) args.push("--sticky");
    if (inject.command !== undefined) args.push("--run", inject.command);
    if (inject.signal !== undefined) args.push("--signal", inject.signal);
    if (inject.mount !== undefined) args.push("--mount", inject.mount);
    if (inject.journal) args.push("--journal");
  }
  const result = await run(killpoint, [...args, "--", ...command], {
    ...where,
    // Compiled code that one run keeps and the next one finds would make points of one that are none of the other.
    env: { ...where.env, NODE_DISABLE_COMPILE_CACHE: "1" },
    timeoutMs: (timeoutS + 20) * 1000,
  });
  const tail = /\nkillpoint: fired=(\d+) status=(\S+) call=(.*)\npoints=(\d+)\n$/.exec(
    result.stderr,
  );
  if (!tail) throw new Error(`killpoint did not report: ${result.stderr}`);
  const [text, fired, status = "", call = "", points] = tail;
  return {
    ...result,
    stderr: result.stderr.slice(0, -text.length),
    timedOut: result.timedOut || status === "timeout",
    died: status === "killed" || status.startsWith("signal:"),
    fired: Number(fired),
    points: Number(points),
    call,
  };
}
