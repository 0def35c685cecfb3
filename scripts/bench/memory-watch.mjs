// node memory-watch.mjs REPORT COMMAND ARGS…: runs the command and writes to REPORT how many bytes it and all its children had in memory at most.
//
// It looks every other millisecond at /proc: there is no call that tells the sum over a tree of processes, and what `time` prints is the largest of
// them. Pages that processes share are counted for each.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { residentKb } from "../process-tree.mjs";

const INTERVAL_MS = 2;
const [report = "", command = "", ...args] = process.argv.slice(2);
let peak = 0;

const child = spawn(command, args, { stdio: "inherit" });
const look = () => {
  if (child.pid !== undefined) peak = Math.max(peak, residentKb(child.pid) * 1024);
};
look();
const timer = setInterval(look, INTERVAL_MS);
child.on("error", (error) => {
  throw error;
});
child.on("exit", (code) => {
  clearInterval(timer);
  writeFileSync(report, String(peak));
  process.exitCode = code ?? 1;
});
