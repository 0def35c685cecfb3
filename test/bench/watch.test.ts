/** What `npm run scale` counts as the processor time of a command. */
import { execPath } from "node:process";
import { expect, test } from "vitest";
import { watch } from "../../scripts/scale/watch.mjs";

const WORK =
  "while (process.cpuUsage().user < 100_000); const { user, system } = process.cpuUsage();";
const OWN = `${WORK} console.log((user + system) / 1000);`;
const BELOW = `process.stdout.write(require("child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(OWN)}]))`;
/** One tick of the kernel's count, which is cut off. */
const TICK_MS = 10;

test.runIf(process.platform === "linux").each([
  ["its own", OWN],
  ["that of a process it starts", BELOW],
])("processor time to the very end is counted: %s", async (_whose, code) => {
  const { cpuMs, stdout } = await watch(execPath, ["-e", code], { cwd: ".", env: {} });
  expect(Number(stdout)).toBeGreaterThan(TICK_MS);
  expect(cpuMs).toBeGreaterThanOrEqual(Number(stdout) - 2 * TICK_MS);
});
