/** The one place that starts git. Callers say which exit codes they understand; any other is a failure. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Failure } from "../../domain/failure.ts";
import { cleanEnvironment, fixedSettings, type Durability } from "./git-environment.ts";

export interface GitLocation {
  readonly directory: string;
  /** Set once the repository is known; git then looks nowhere else. */
  readonly gitDir?: string;
  readonly workTree?: string;
}

export interface GitOptions {
  readonly accept?: readonly number[];
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly durability?: Durability;
  /** Is given what git says on stderr, as it says it. */
  readonly onStderr?: (chunk: string) => void;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Bytes of stderr that are kept for a message. */
const MOST_STDERR = 8192;

export function startGit(
  location: GitLocation,
  args: readonly string[],
  options: GitOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn("git", allArgs(args, options), {
    ...surroundings(location, options),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Waits for git. Only for the rare step of a sweep, which is quick and has nobody to wait beside it. */
export function runGitSync(
  location: GitLocation,
  args: readonly string[],
  options: GitOptions = {},
): GitResult {
  const { status, stdout, stderr, error, signal } = spawnSync("git", allArgs(args, options), {
    ...surroundings(location, options),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  if (error !== undefined) throw cannotStart(error);
  const result = { exitCode: status ?? -1, stdout, stderr: stderr.toString("utf8") };
  if (status !== null && (options.accept ?? [0]).includes(status)) return result;
  throw gitFailed(args, result, signal);
}

function allArgs(args: readonly string[], options: GitOptions): string[] {
  return [...fixedSettings(options.durability ?? "safe"), ...args];
}

function surroundings(location: GitLocation, options: GitOptions) {
  const env = cleanEnvironment(process.env);
  if (location.gitDir !== undefined) env["GIT_DIR"] = location.gitDir;
  if (location.workTree !== undefined) env["GIT_WORK_TREE"] = location.workTree;
  return { cwd: location.directory, env: { ...env, ...options.env }, windowsHide: true };
}

export function runGit(
  location: GitLocation,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = startGit(location, args, options);
    const chunks: Buffer[] = [];
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      options.onStderr?.(chunk.toString("utf8"));
      if (stderr.length < MOST_STDERR) stderr += chunk.toString("utf8");
    });
    child.on("error", (error) => reject(cannotStart(error)));
    // A child that exits early breaks the pipe; its exit code says more than EPIPE does.
    child.stdin.on("error", () => undefined);
    child.on("close", (code, signal) => {
      const result = { exitCode: code ?? -1, stdout: Buffer.concat(chunks), stderr };
      if (code !== null && (options.accept ?? [0]).includes(code)) resolve(result);
      else reject(gitFailed(args, result, signal));
    });
    child.stdin.end(options.input);
  });
}

export function cannotStart(error: NodeJS.ErrnoException): Failure {
  if (error.code === "ENOENT") {
    return new Failure("git_missing", "git could not be started", {
      hint: "Install git 2.30 or newer and make sure that it is on the PATH.",
      cause: error,
    });
  }
  return new Failure("git_failed", `git could not be started: ${error.message}`, { cause: error });
}

export function gitFailed(
  args: readonly string[],
  result: { readonly exitCode: number; readonly stderr: string },
  signal: NodeJS.Signals | null = null,
): Failure {
  const said = result.stderr.trim();
  if (/No space left on device|Disk quota exceeded/.test(said)) {
    return new Failure("disk_full", `git ${args[0] ?? ""} ran out of disk space: ${said}`, {
      hint: "Free some space and run the command again; nothing was changed.",
    });
  }
  const how = signal === null ? `exit code ${result.exitCode}` : `signal ${signal}`;
  return new Failure("git_failed", `git ${args[0] ?? ""} failed (${how}): ${said}`, {
    details: { exit_code: result.exitCode, stderr: said },
  });
}
