/** A rollback by the command that is killed at a random moment, and what the next changing command makes of it. */
import { spawn } from "node:child_process";
import { recover } from "../../src/operations/recover.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { inProject } from "./model-driver.ts";

/** How long the last one took that was not killed in time: moments are spread over it. */
let usualMs = 600;

/** True: it had ended, successfully, before it could be killed. */
export async function killedRollback(
  repo: TempRepository,
  id: string,
  share: number,
): Promise<boolean> {
  const args = ["rollback", id, "--yes", "--discard-commits", "--json"];
  const began = performance.now();
  const child = spawn(process.execPath, waymarkArguments(repo.root, ...args), {
    cwd: repo.root,
    env: cliEnvironment(repo.env),
    detached: true,
    stdio: "ignore",
  });
  const timer = setTimeout(
    () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    },
    (usualMs * share) / 100,
  );
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(timer);
  if (code === 0) usualMs = (usualMs + performance.now() - began) / 2;
  await inProject(repo, recover);
  return code === 0;
}
