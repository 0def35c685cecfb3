/** Runs a program that dumps a database and writes what it prints to a file, up to a limit. */
import { closeSync, openSync } from "node:fs";
import { writeAll } from "../files/durable-write.ts";
import type { DumpLimits } from "./database.ts";
import { overBudget } from "./over-budget.ts";
import { runTool, type Tool } from "./run-tool.ts";

export async function dumpToFile(
  tool: Tool,
  file: string,
  label: string,
  limits: DumpLimits,
): Promise<void> {
  const fd = openSync(file, "wx", 0o600);
  let bytes = 0;
  try {
    await runTool(tool, {
      onData: (chunk) => {
        bytes += chunk.length;
        if (bytes > limits.maxBytes) throw overBudget(label, limits.maxBytes);
        writeAll(fd, chunk);
        limits.onBytes(chunk.length);
      },
    });
  } finally {
    closeSync(fd);
  }
}
