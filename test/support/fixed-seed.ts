/**
 * Random properties try the same examples in every run of the tests, so that a run says something about the change and not about luck.
 * WAYMARK_TEST_SEED=random looks for new ones; a failure prints its seed.
 */
import { readFileSync } from "node:fs";
import { expect } from "vitest";

const SEED = 20_261_115;

const file = expect.getState().testPath;
const isRandom = process.env["WAYMARK_TEST_SEED"] === "random";
// It takes its time to load, and most files do not use it.
if (!isRandom && file !== undefined && readFileSync(file, "utf8").includes("fast-check")) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: SEED });
}
