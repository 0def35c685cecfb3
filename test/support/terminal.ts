/** Runs the built command in a pseudo terminal, as a person would, by `script` of util-linux. */
import { spawn, spawnSync } from "node:child_process";
import { waymarkShellCommand, cliEnvironment } from "./cli.ts";

export interface Turn {
  /** Text that must have appeared since the last keys. */
  readonly see: string;
  readonly type: string;
  readonly andThen?: () => void;
}

export interface TerminalResult {
  readonly code: number | null;
  /** All that the terminal showed, with its control sequences. */
  readonly screen: string;
}

export const hasTerminal = spawnSync("script", ["--version"]).status === 0;

const TIME_LIMIT_MS = 60_000;

export function inTerminal(
  project: string,
  args: readonly string[],
  turns: readonly Turn[],
  env: NodeJS.ProcessEnv,
  columns = 80,
): Promise<TerminalResult> {
  // `script` may lose what comes at the very end, so the terminal stays a moment longer; Ctrl+C is for the command alone.
  const run = waymarkShellCommand("-C", project, ...args);
  const command = `trap : INT; stty cols ${columns} rows 24; ${run}; code=$?; sleep 0.3; exit $code`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { TERM: "xterm-256color", ...cliEnvironment(env), SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const left = [...turns];
  let screen = "";
  let seen = 0;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`"${left[0]?.see ?? "the end"}" did not appear:\n${screen}`));
    }, TIME_LIMIT_MS);
    child.stdout.on("data", (chunk: Buffer) => {
      screen += chunk.toString("utf8");
      const turn = left[0];
      if (turn === undefined || !screen.slice(seen).includes(turn.see)) return;
      left.shift();
      seen = screen.length;
      child.stdin.write(turn.type);
      turn.andThen?.();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, screen });
    });
  });
}
