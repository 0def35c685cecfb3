/** A rollback by the command that is killed at a random moment, and what the next changing command makes of it. */
import { spawn } from "node:child_process";
import { uniqueName } from "../../src/adapters/files/durable-write.ts";
import { markedProcesses, MARK_VARIABLE } from "../../src/adapters/processes/marked-processes.ts";
import { Failure } from "../../src/domain/failure.ts";
import { recover } from "../../src/operations/recover.ts";
import { undoTarget } from "../../src/operations/undo.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { text } from "../support/json.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { inProject, type RefusedOutcome } from "./model-driver.ts";

/** How long the last one took that was not killed in time: moments are spread over it. */
let usualMs = 600;

/** `isDone`: it counts as a rollback, which undo reverts; one that found nothing to do does not. Refused: it failed by itself, before it was killed. */
export type KilledOutcome =
  | { readonly kind: "killed" | "ended"; readonly isDone: boolean }
  | RefusedOutcome;

export async function killedRollback(
  repo: TempRepository,
  id: string,
  share: number,
): Promise<KilledOutcome> {
  const last = await lastRollback(repo);
  const began = performance.now();
  const { code, signal, stdout } = await runAndKill(repo, id, (usualMs * share) / 100);
  if (code === 0) usualMs = (usualMs + performance.now() - began) / 2;
  await inProject(repo, recover);
  if (signal === null && code !== 0) return { kind: "refused", reason: reasonIn(stdout) };
  const isDone = (await lastRollback(repo)) !== last;
  return { kind: signal === null ? "ended" : "killed", isDone };
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

async function runAndKill(repo: TempRepository, id: string, afterMs: number): Promise<End> {
  const args = ["rollback", id, "--yes", "--discard-commits", "--json"];
  const mark = uniqueName();
  const child = spawn(process.execPath, waymarkArguments(repo.root, ...args), {
    cwd: repo.root,
    env: { ...cliEnvironment(repo.env), [MARK_VARIABLE]: mark },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let stdout = "";
  child.stdout.on("data", (piece: Buffer) => (stdout += piece.toString("utf8")));
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    // Its gits have sessions of their own.
    for (const pid of markedProcesses((found) => found === mark)) kill(pid);
  }, afterMs);
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    // Nobody may be there any more to be killed.
    child.on("exit", () => clearTimeout(timer));
    child.on("close", (code, signal) => resolve({ code, signal, stdout }));
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function reasonIn(stdout: string): string {
  try {
    const document: unknown = JSON.parse(stdout);
    return `${text(document, "error", "code")}: ${text(document, "error", "message")}`;
  } catch {
    return `no document: ${stdout}`;
  }
}

/** The one that undo would take back. */
async function lastRollback(repo: TempRepository): Promise<string | undefined> {
  return await inProject(repo, async (project) => {
    try {
      return (await undoTarget(project, undefined, "undo")).entry.rollback_id;
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  });
}
