/** What the benchmark says of a contender that failed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { firstLine } from "../../scripts/bench/measure.mjs";
import { makeTools } from "../../scripts/bench/process.mjs";

const home = mkdtempSync(join(tmpdir(), "waymark-bench-process-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  [
    "the end of stderr",
    "console.error('\\n' + 'x '.repeat(500) + '\\nat /a/b/c: too large')",
    "at … too large",
  ],
  ["of stdout where stderr is empty", "console.log('no room left')", "no room left"],
  ["that it said nothing", "", "ended with 1: it said nothing"],
])("why a program failed is in the first line: %s", (_what, code, reason) => {
  const fail = () => makeTools(home).node(home, "-e", `${code};process.exitCode = 1`);
  let said = "";
  try {
    fail();
  } catch (error) {
    said = firstLine(error);
  }
  expect(said.slice(-reason.length)).toBe(reason);
});
