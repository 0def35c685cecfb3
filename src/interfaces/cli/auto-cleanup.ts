/** Starts a cleanup in the background after a checkpoint, now and then. Never makes the checkpoint wait or fail. */
import { spawn } from "node:child_process";
import type { Project } from "../../operations/project.ts";

/** Each start costs a process; what a checkpoint adds in this time does not matter. */
const EVERY_MS = 3_600_000;

export function startAutoCleanup(project: Project): void {
  if (!project.config.retention.autoCleanup) return;
  if (process.env["WAYMARK_NO_AUTO_CLEANUP"] === "1") return;
  const log = project.cleanupLog;
  try {
    const last = log.read();
    const now = project.clock.now();
    if (last !== undefined && Math.abs(now.getTime() - Date.parse(last.at)) < EVERY_MS) return;
    // Written before it starts, so that the next checkpoint does not start another one.
    const at = now.toISOString();
    log.write({ at, outcome: last === undefined ? "waiting" : "started" });
    // In a project that begins there is nothing to clean up.
    if (last !== undefined) {
      start(project.workTree.root, (error) => log.write({ at, outcome: "failed", error }));
    }
  } catch {
    // The checkpoint is complete; `waymark doctor` tells how long ago the last cleanup was.
  }
}

function start(root: string, failed: (error: string) => void): void {
  const [node, bin = ""] = process.argv;
  const child = spawn(node ?? process.execPath, [bin, "-C", root, "--quiet", "cleanup", "--auto"], {
    cwd: root,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", (error) => failed(error.message));
  child.unref();
}
