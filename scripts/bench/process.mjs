// Runs one child process to its end, in an environment that does not depend on who runs the benchmark.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, IDENTITY } from "../faults/process.mjs";

export const BIN = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

/** @typedef {{ cwd: string, input?: Buffer, accept?: readonly number[] }} RunOptions */

/**
 * @typedef {object} Tools
 * @property {(command: string, args: readonly string[], options: RunOptions) => string} run
 * @property {(cwd: string, ...args: string[]) => string} git
 * @property {(cwd: string, ...args: string[]) => string} node
 * @property {(cwd: string, ...args: string[]) => string} waymark
 */

/**
 * Everything throws on an unexpected exit code: a contender that failed must not look quick.
 * @param {string} home an empty folder
 * @returns {Tools}
 */
export function makeTools(home) {
  // Of the inherited variables only PATH is left, above all not NODE_EXTRA_CA_CERTS: it triples node's start.
  const env = { ...cleanEnvironment(home), ...IDENTITY };
  /** @type {Tools["run"]} */
  const run = (command, args, { cwd, input, accept = [0] }) => {
    const result = spawnSync(command, args, {
      cwd,
      env,
      input,
      encoding: "utf8",
      maxBuffer: Infinity,
    });
    if (result.error) throw result.error;
    if (result.status === null || !accept.includes(result.status))
      throw new Error(
        `${command} ${args.join(" ")} ended with ${result.status ?? result.signal}: ${result.stderr}`,
      );
    return result.stdout;
  };
  return {
    run,
    git: (cwd, ...args) => run("git", args, { cwd }),
    node: (cwd, ...args) => run(process.execPath, args, { cwd }),
    waymark: (cwd, ...args) => run(process.execPath, [BIN, ...args], { cwd }),
  };
}
