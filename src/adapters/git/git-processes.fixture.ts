/** Counts the git processes that a step starts, with a `git` of our own in front of the real one. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TempRepository } from "../../../test/support/temp-repository.ts";

export async function countGitProcesses<T>(
  repo: TempRepository,
  step: () => Promise<T>,
): Promise<{ result: T; processes: string[] }> {
  const folder = join(repo.base, "bin");
  const log = join(repo.base, "git.log");
  const path = process.env["PATH"] ?? "";
  await mkdir(folder, { recursive: true });
  await writeFile(log, "");
  const script = `#!/bin/sh\nPATH='${path}'\necho "$*" >> '${log}'\nexec git "$@"\n`;
  await writeFile(join(folder, "git"), script);
  await chmod(join(folder, "git"), 0o755);
  process.env["PATH"] = `${folder}:${path}`;
  try {
    const result = await step();
    const lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
    return { result, processes: lines };
  } finally {
    process.env["PATH"] = path;
  }
}
