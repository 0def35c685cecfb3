/** Watches and disturbs the git processes that a step starts, with a `git` of our own in front of the real one. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TempRepository } from "../../../test/support/temp-repository.ts";

export async function countGitProcesses<T>(
  repo: TempRepository,
  step: () => Promise<T>,
): Promise<{ result: T; processes: string[] }> {
  const log = join(repo.base, "git.log");
  await writeFile(log, "");
  const result = await withGitInFront(repo, `echo "$*" >> '${log}'`, step);
  const processes = (await readFile(log, "utf8")).split("\n").filter(Boolean);
  return { result, processes };
}

/** The first few git processes are killed by a signal, as by Ctrl+C in a terminal. */
export async function withKilledGit<T>(
  repo: TempRepository,
  kills: number,
  step: () => Promise<T>,
): Promise<T> {
  const log = join(repo.base, "kills.log");
  await writeFile(log, "");
  const lines = `[ "$(wc -l < '${log}')" -ge ${kills} ] || { echo >> '${log}'; kill -INT $$; }`;
  return await withGitInFront(repo, lines, step);
}

async function withGitInFront<T>(
  repo: TempRepository,
  lines: string,
  step: () => Promise<T>,
): Promise<T> {
  const folder = join(repo.base, "bin");
  const path = process.env["PATH"] ?? "";
  await mkdir(folder, { recursive: true });
  const script = `#!/bin/sh\nPATH='${path}'\n${lines}\nexec git "$@"\n`;
  await writeFile(join(folder, "git"), script);
  await chmod(join(folder, "git"), 0o755);
  process.env["PATH"] = `${folder}:${path}`;
  try {
    return await step();
  } finally {
    process.env["PATH"] = path;
  }
}
