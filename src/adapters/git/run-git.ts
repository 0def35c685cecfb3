/**
 * The one place that starts git. Callers say which exit codes they understand; any other is a failure. Git gets a session of its
 * own: a Ctrl+C in the terminal is for us, who decide what it means, and would end git in the middle of a rollback. Where it comes
 * before git has left our session, git ends before it has begun, and is started again.
 */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Failure } from "../../domain/failure.ts";
import type { Progress } from "../../ports/progress.ts";
import {
  alternates,
  ALTERNATES_VARIABLE,
  cleanEnvironment,
  fixedSettings,
  type Durability,
} from "./git-environment.ts";
import { gitProgress, withoutProgress } from "./git-progress.ts";

/** `rev-parse --path-format` came with 2.31, `pack-objects --stdin-packs` with 2.32. */
export const MIN_GIT_VERSION = "2.32";

export interface GitLocation {
  readonly directory: string;
  /** Set once the repository is known; git then looks nowhere else. */
  readonly gitDir?: string;
  readonly workTree?: string;
  /** Objects that git reads beside those of the repository. It never reads them in a folder of objects of its own. */
  readonly lender?: string | undefined;
}

export interface GitOptions {
  readonly accept?: readonly number[];
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly durability?: Durability;
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  /** For commands that say on stderr how far they are. */
  readonly progress?: Progress | undefined;
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
  const child = spawn("git", allArgs(args, options), {
    ...surroundings(location, options),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Until the next tick, kill() of a child that could not be started would signal the caller's whole process group.
  if (child.pid !== undefined) {
    running.add(child);
    child.on("exit", () => running.delete(child));
  } else if ((child.stdout as unknown) === undefined) {
    // Node gives a child no streams if no file descriptor is left, and its error comes too late for those who read them.
    child.on("error", () => undefined);
    throw cannotStart(new Error("too many open files"));
  }
  return child;
}

const running = new Set<ChildProcessWithoutNullStreams>();

/** For a process that is about to end and does not wait for them. Git removes its locks when it is asked to end. */
export function endAllGit(): void {
  for (const child of running) child.kill("SIGTERM");
}

process.on("exit", endAllGit);

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
  if (signal === "SIGINT") return runGitSync(location, args, options);
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
  return {
    cwd: location.directory,
    env: { ...env, ...options.env, ...lentObjects(location, options.env) },
    detached: true,
    windowsHide: true,
  };
}

function lentObjects({ lender }: GitLocation, env: GitOptions["env"] = {}): NodeJS.ProcessEnv {
  const others = env[ALTERNATES_VARIABLE];
  const isAlone = others === undefined && env["GIT_OBJECT_DIRECTORY"] !== undefined;
  if (lender === undefined || isAlone) return {};
  const lent = alternates(lender)[ALTERNATES_VARIABLE];
  return { [ALTERNATES_VARIABLE]: others === undefined ? lent : `${others}:${lent}` };
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
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      options.onStdout?.(chunk);
    });
    const said = options.progress && gitProgress(options.progress);
    child.stderr.on("data", (chunk: Buffer) => {
      const text = chunk.toString("utf8");
      said?.read(text);
      if (stderr.length < MOST_STDERR) stderr += said === undefined ? text : withoutProgress(text);
    });
    child.on("error", (error) => reject(cannotStart(error)));
    // A child that exits early breaks the pipe; its exit code says more than EPIPE does.
    child.stdin.on("error", () => undefined);
    child.on("close", (code, signal) => {
      said?.end();
      if (signal === "SIGINT") {
        resolve(runGit(location, args, options));
        return;
      }
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
      hint: `Install git ${MIN_GIT_VERSION} or newer and make sure that it is on the PATH.`,
      cause: error,
    });
  }
  return new Failure("git_failed", `git could not be started: ${error.message}`, {
    hint: "Check whether `git --version` works in this folder, and how many processes (`ulimit -u`) and open files (`ulimit -n`) your user may have.",
    cause: error,
  });
}

/** What git's own words mean for whoever reads them. */
function hintFor(said: string): string {
  if (/Permission denied|Read-only file system|insufficient permission/i.test(said)) {
    return "Make the repository writable for your user and run the command again; nothing was changed.";
  }
  if (/\.lock': File exists/.test(said)) {
    return "Another git process is running. Wait for it; if none is running, delete the named lock.";
  }
  return "Run `git fsck` and `git status` to see what is wrong with the repository, then run the command again.";
}

/** Git's answer to an option that it does not know. Asking for its version each time would cost a process. */
const USAGE_ERROR = 129;

export function gitTooOld(said: string): Failure {
  return new Failure("git_too_old", "this git lacks options that Waymark needs", {
    hint: `Install git ${MIN_GIT_VERSION} or newer; \`waymark doctor\` shows which one is used.`,
    details: { said },
  });
}

export function gitFailed(
  args: readonly string[],
  result: { readonly exitCode: number; readonly stderr: string },
  signal: NodeJS.Signals | null = null,
): Failure {
  const said = result.stderr.trim();
  if (/No space left on device|Disk quota exceeded/.test(said)) {
    return new Failure("disk_full", `git ${args[0] ?? ""} ran out of disk space: ${said}`, {
      hint: "Free some space on the disk of the repository and run the command again; nothing was changed.",
    });
  }
  if (result.exitCode === USAGE_ERROR) return gitTooOld(`git ${args[0] ?? ""}: ${said}`);
  const how = signal === null ? `exit code ${result.exitCode}` : `signal ${signal}`;
  return new Failure("git_failed", `git ${args[0] ?? ""} failed (${how}): ${said}`, {
    hint: hintFor(said),
    details: { exit_code: result.exitCode, stderr: said },
  });
}
