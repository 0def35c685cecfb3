#!/usr/bin/env node
/** `npm run test:model -- --runs 20000 [--seed N] [--path P]`: the model test with as many runs as one likes. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "40" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});

const env = {
  ...process.env,
  WAYMARK_MODEL_RUNS: values.runs,
  WAYMARK_MODEL_SEED:
    values.seed ?? process.env.WAYMARK_MODEL_SEED ?? String(Date.now() % 0x7fff_ffff),
};
if (values.path !== undefined) {
  env.WAYMARK_MODEL_PATH = values.path;
}

const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const root = fileURLToPath(new URL("../..", import.meta.url));
const result = spawnSync(process.execPath, [vitest, "run", "test/model/random-work.test.ts"], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = result.status ?? 1;
