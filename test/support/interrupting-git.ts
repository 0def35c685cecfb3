/**
 * A git that presses Ctrl+C: the first times that a rollback which changes something calls it, it sends SIGINT to the process
 * group of its parent, as a terminal does.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TempRepository } from "./temp-repository.ts";

/** A project for commands that are to call it. */
export interface Among {
  readonly repo: Pick<TempRepository, "root" | "env" | "exists">;
}

export async function interruptingGit(repo: TempRepository, times: number): Promise<Among> {
  const folder = join(repo.base, "interrupting-git");
  await mkdir(folder);
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const press = `[ -e '${repo.root}/.git/waymark/rollback-intent.json' ] && for armed in '${folder}'/armed-*; do rm "$armed" 2>&- && kill -INT -$PPID; break; done`;
  await writeFile(join(folder, "git"), `#!/bin/sh\n${press}\nexec '${git}' "$@"\n`);
  for (let at = 0; at < times; at++) await writeFile(join(folder, `armed-${at}`), "");
  await chmod(join(folder, "git"), 0o755);
  return {
    repo: {
      root: repo.root,
      env: { ...repo.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` },
      exists: (path) => repo.exists(path),
    },
  };
}
