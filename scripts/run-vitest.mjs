// Runs vitest as the scripts do that give it more, or other, work than `npm test`.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Answers with its exit code.
 * @param {readonly string[]} args after `vitest run`
 * @param {NodeJS.ProcessEnv} [env] beside that of this process
 */
export function runVitest(args, env = {}) {
  const vitest = join(
    dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
    "vitest.mjs",
  );
  const { status } = spawnSync(process.execPath, [vitest, "run", ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
