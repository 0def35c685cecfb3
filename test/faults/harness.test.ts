// The harness is only worth something if it finds what is known to be wrong: these tests show that it can fail.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareKillpoint, runTraced } from "../../scripts/faults/killpoint.mjs";
import { runMatrix, spread } from "../../scripts/faults/matrix.mjs";
import { cleanEnvironment } from "../../scripts/faults/process.mjs";

const killpoint = await prepareKillpoint();
const path = killpoint.kind === "ready" ? killpoint.path : "";
const why = killpoint.kind === "ready" ? "" : ` (skipped: ${killpoint.reason})`;
// Reporters hide the names of skipped tests.
if (why !== "") console.warn(`fault tests${why}`);

describe.skipIf(killpoint.kind === "unavailable")(`the fault harness${why}`, () => {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "waymark-killpoint-test-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const traced = (script: string, what: Partial<Parameters<typeof runTraced>[1]> = {}) =>
    runTraced(
      path,
      { root, ...what },
      [process.execPath, "-e", `const fs = require("node:fs"); ${script}`],
      { cwd: root, env: cleanEnvironment(root) },
    );

  test("counts calls through anchored folder descriptors, and none outside the root", async () => {
    const log = join(tmpdir(), `waymark-killpoint-test-${process.pid}.log`);
    const { points } = await traced(
      "const d = fs.openSync('.'); fs.mkdirSync(`/proc/self/fd/${d}/a`); fs.symlinkSync('x', `/proc/${process.pid}/fd/${d}/a/l`);" +
        "fs.renameSync(`/proc/self/fd/${d}/a`, `/proc/self/fd/${d}/b`); fs.readFileSync(process.execPath, { length: 1 }); fs.writeFileSync('/dev/null', 'x')",
      { log },
    );
    const calls = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t").slice(3).join(" ").replaceAll(root, "ROOT"));
    rmSync(log);
    expect({ points, calls }).toEqual({
      points: 3,
      calls: ["mkdir ROOT/a", "symlink ROOT/a/l", "rename ROOT/a -> ROOT/b"],
    });
  });

  test("tears a write in half and then kills everything", async () => {
    const result = await traced("fs.writeFileSync('torn', '12345678')", {
      inject: { at: 2, action: "torn" },
    });
    expect({ died: result.died, content: readFileSync(join(root, "torn"), "utf8") }).toEqual({
      died: true,
      content: "1234",
    });
  });

  test("makes a call fail once, or from then on", async () => {
    const script =
      "for (const n of ['p', 'q', 'r']) try { fs.mkdirSync(n); fs.rmdirSync(n) } catch (e) { console.log(n, e.code) }";
    const once = await traced(script, { inject: { at: 3, action: "errno", errno: "ENOSPC" } });
    const always = await traced(script, {
      inject: { at: 3, action: "errno", errno: "EROFS", sticky: true },
    });
    expect([once.stdout.toString(), always.stdout.toString()]).toEqual([
      "q ENOSPC\n",
      "q EROFS\nr EROFS\n",
    ]);
  });

  test("holds every process of the tree while another command runs, and lets them go on", async () => {
    const ticks = join(root, "..", `${basename(root)}-ticks`);
    const count = `wc -l < '${ticks}' >> '${ticks}-counted'`;
    const { code, stdout } = await traced(
      `const child = require("node:child_process").spawn("sh", ["-c", "while :; do echo x >> '${ticks}'; done"]);` +
        `const lines = () => { try { return fs.readFileSync('${ticks}', 'utf8').length } catch { return 0 } };` +
        "while (lines() === 0); fs.mkdirSync('paused'); const then = lines(); while (lines() === then); child.kill(); console.log('went on')",
      { inject: { at: 1, action: "pause", command: `${count}; sleep 0.2; ${count}` } },
    );
    const [first, second] = readFileSync(`${ticks}-counted`, "utf8").trim().split("\n");
    for (const path of [ticks, `${ticks}-counted`]) rmSync(path);
    expect({ code, said: stdout.toString(), second }).toEqual({
      code: 0,
      said: "went on\n",
      second: first,
    });
  });

  test("finds what git stash push -u is known to leave behind", { timeout: 120_000 }, async () => {
    const [crash, save] = await runMatrix(
      [
        { scenario: "plain", command: "stash", fault: "kill" },
        { scenario: "plain", command: "stash", fault: "save-new" },
      ],
      { bin: "", killpoint: path, choose: (points) => spread(points, 24) },
    );
    expect(crash?.counts.lost).toBe(0);
    expect(crash?.counts.half).toBeGreaterThan(0);
    expect(crash?.counts.locks).toBeGreaterThan(0);
    expect(save?.counts.lost).toBeGreaterThan(0);
  });
});
