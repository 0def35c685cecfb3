/** What the tracer reports is whole, also when the one who reads it is late. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { prepareKillpoint } from "../../scripts/faults/killpoint.mjs";

const killpoint = await prepareKillpoint();
const LATE_MS = 2000;

it.skipIf(killpoint.kind === "unavailable")(
  "reports all of a long path to a reader that is late",
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "waymark-test-")));
    try {
      const name = join(folder, "n".repeat(200));
      await writeFile(name, "");
      // Writing to stderr makes the pipe non-blocking for all who share it.
      const program = `process.stderr.write("x\\n"); require("fs").renameSync(${JSON.stringify(name)}, ${JSON.stringify(`${name}${"m".repeat(50)}`)})`;
      const path = killpoint.kind === "ready" ? killpoint.path : "";
      const options = ["--root", folder, "--class", "name", "--at", "1", "--do", "kill"];
      const child = spawn(path, [...options, "--", process.execPath, "-e", program], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
      const closed = once(child, "close");
      // Nothing is read meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
      await closed;
      expect(said).toContain(`call=rename:${name}->${name}${"m".repeat(50)}\npoints=1\n`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
