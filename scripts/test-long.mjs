// Runs the tests that try a sample of something endless (`test/support/sample.ts`), with more of it.
//
//   npm run test:long                             500 runs, 60 points, all rows of the long tables
//   npm run test:long -- --runs 2000 --points 200 [file …]
//
// With WAYMARK_TEST_SEED=random the runs are others each time; a failure prints its seed.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runVitest } from "./run-vitest.mjs";

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

const files = positionals.length > 0 ? positionals : sampled();
process.exitCode = runVitest(["--testTimeout=0", ...files], {
  WAYMARK_TEST_RUNS: values.runs,
  WAYMARK_TEST_POINTS: values.points,
  WAYMARK_TEST_ROWS: "all",
});
