/** Runs the built command line the way an agent does: `node dist/bin.cjs -C DIR … --json`. */
import { fileURLToPath } from "node:url";
import { field } from "./json.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

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
}

export async function waymark(
  project: string,
  args: readonly string[],
  options: CliOptions,
): Promise<CliResult> {
  const result = await runCommand(process.execPath, waymarkArguments(project, ...asJson(args)), {
    ...options,
    env: cliEnvironment(options.env),
  });
  return { ...result, json: parse(result.stdout) };
}

/** What comes after `--` is not ours. */
function asJson(args: readonly string[]): string[] {
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
