// Runs the tests that try a sample of something endless (`test/support/sample.ts`), with more of it.
//
//   npm run test:long                             500 runs, 60 points
//   npm run test:long -- --runs 2000 --points 200 [file …]
//
// With WAYMARK_TEST_SEED=random the runs are others each time; a failure prints its seed.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "500" },
    points: { type: "string", default: "60" },
  },
});

/** Files that use it, or something in `test/` that does. */
function sampled() {
  const files = ["test", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  const uses = (/** @type {string} */ file) =>
    /from "[^"]*\/(sample|killed)\.ts"/.test(readFileSync(join(root, file), "utf8"));
  return files.filter((file) => file.endsWith(".test.ts") && uses(file));
}

const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const files = positionals.length > 0 ? positionals : sampled();
const run = spawnSync(process.execPath, [vitest, "run", "--testTimeout=0", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, WAYMARK_TEST_RUNS: values.runs, WAYMARK_TEST_POINTS: values.points },
});
process.exitCode = run.status ?? 1;
