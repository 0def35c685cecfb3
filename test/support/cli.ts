/**
 * Runs the built command line the way an agent does: `node dist/bin.cjs -C DIR … --json`. Commands that are about checkpoints share a
 * process (`warm-cli.ts`); WAYMARK_TEST_PROCESSES=own gives each its own, which takes about twice as long.
 */
import { fileURLToPath } from "node:url";
import { field } from "./json.ts";
import { type CommandResult, runCommand } from "./run-command.ts";
import { runWarm } from "./warm-cli.ts";

export const bin = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

const compileCache = fileURLToPath(new URL("compile-cache.cjs", import.meta.url));

export interface CliResult extends CommandResult {
  /** The one document on stdout; undefined when stdout is not exactly one JSON document. */
  readonly json: unknown;
}

export interface CliOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  readonly cwd?: string;
  /** Where the process is what a test is about. */
  readonly hasOwnProcess?: boolean;
}

export async function waymark(
  project: string,
  args: readonly string[],
  { hasOwnProcess = false, ...given }: CliOptions,
): Promise<CliResult> {
  const options = { ...given, env: cliEnvironment(given.env) };
  const words = ["-C", project, ...asJson(args)];
  const result =
    hasOwnProcess || needsOwnProcess(args, options.env)
      ? await runCommand(process.execPath, ["--require", compileCache, bin, ...words], options)
      : await runWarm(bin, words, options);
  return { ...result, json: parse(result.stdout) };
}

/** They run other programs, hold a lease, or read stdin: the process that does it is part of what they do. */
const ABOUT_PROCESSES = new Set([
  "git",
  "guard",
  "hook",
  "mcp",
  "observe",
  "phase",
  "resume",
  "run",
]);

function needsOwnProcess(args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const [command = "", second = ""] = args;
  return (
    process.env["WAYMARK_TEST_PROCESSES"] === "own" ||
    ABOUT_PROCESSES.has(command) ||
    (command === "session" && second !== "list" && second !== "show") ||
    // Read from stdin.
    args.includes("-") ||
    // Read by Node or the loader when a process starts.
    Object.keys(env).some((name) => /^(NODE|LD)_/.test(name))
  );
}

/** What comes after `--` and `git` is not ours. */
function asJson(args: readonly string[]): string[] {
  if (args[0] === "git") return ["--json", ...args];
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.toSpliced(end, 0, "--json");
}

/** Everything that a command said, for the message of a failing test. */
export function said(result: CliResult): string {
  const end = result.timedOut ? "did not end in time" : `exit ${result.code ?? result.signal}`;
  return `${end}\n${result.stdout.toString("utf8")}\n${result.stderr}`.trimEnd();
}

/** Throws with all that was said unless the command ended with one of these codes. */
export function expectExit(result: CliResult, ...codes: readonly number[]): void {
  if (result.code === null || !codes.includes(result.code)) {
    throw new Error(`exit ${codes.join(" or ")} was expected: ${said(result)}`);
  }
}

/** Throws unless the command failed in an orderly way: not 0, not killed, and with an error document. */
export function expectFailure(result: CliResult): void {
  if (result.code === null || result.code === 0 || errorMessage(result) === "") {
    throw new Error(`a failure with an error document was expected: ${said(result)}`);
  }
}

export function errorMessage(result: CliResult): string {
  const message = field(result.json, "error", "message");
  return typeof message === "string" ? message : "";
}

/** What to start node with, where a test has to watch the command while it runs. */
export function waymarkArguments(project: string, ...args: readonly string[]): string[] {
  return ["--require", compileCache, bin, "-C", project, ...args];
}

/** The shell command that a hook or a script would use. */
export function waymarkShellCommand(...args: readonly string[]): string {
  return [process.execPath, bin, ...args].map(shellQuote).join(" ");
}

export const shellQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Node 20 parses NODE_EXTRA_CA_CERTS at every start, three times slower; a checkpoint uses no network. */
export function cliEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = env;
  return rest;
}

function parse(stdout: Buffer): unknown {
  try {
    return JSON.parse(stdout.toString("utf8"));
  } catch {
    return undefined;
  }
}
