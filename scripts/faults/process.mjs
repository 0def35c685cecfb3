// Runs one child process to its end and hands back everything it said. Never throws on an exit code: the caller judges it.
import { spawn } from "node:child_process";

/**
 * @typedef {object} Result
 * @property {number} code exit code, 128+N when a signal ended it
 * @property {Buffer} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, input?: string | Buffer, timeoutMs?: number }} [options]
 * @returns {Promise<Result>}
 */
export function run(command, args, { cwd, env, input, timeoutMs = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    /** @type {Buffer[]} */ const out = [];
    /** @type {Buffer[]} */ const err = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.stdin.on("error", () => {}); // a child that died before it read its input is no news here
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const signalled = signal ? 128 + (SIGNALS[signal] ?? 0) : 0;
      resolve({
        code: code ?? signalled,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString(),
        timedOut,
      });
    });
    child.stdin.end(input ?? "");
  });
}

/** @type {Record<string, number>} */
const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/**
 * The same, for steps that must work: fixtures and oracles.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2] & { accept?: readonly number[] }} [options]
 */
export async function must(command, args, options = {}) {
  const result = await run(command, args, options);
  if (!(options.accept ?? [0]).includes(result.code))
    throw new Error(
      `${command} ${args.join(" ")} ended with ${result.code}: ${result.stderr || result.stdout.toString()}`,
    );
  return result;
}

/**
 * The environment of everything that runs here: no settings of this machine's user, a home of its own, and nothing that
 * slows node's start (extra certificates triple it).
 * @param {string} home
 * @returns {Record<string, string>}
 */
export function cleanEnvironment(home) {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    NO_COLOR: "1",
    UV_USE_IO_URING: "0",
  };
}

/** Who the fixtures' commits are by. The program under test gets none of this: it must not need an identity. */
export const IDENTITY = {
  GIT_AUTHOR_NAME: "Fixture",
  GIT_AUTHOR_EMAIL: "fixture@example.invalid",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Fixture",
  GIT_COMMITTER_EMAIL: "fixture@example.invalid",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
};
