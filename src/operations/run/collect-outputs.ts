/** What a node or a phase leaves: files with their digests, JSON of files, and what was printed. */
import type { Outputs, OutputSource } from "../../domain/workflow/definition.ts";
import { redact, redactValue } from "../../domain/secrets/redact.ts";
import type { RunFiles } from "../../ports/run-files.ts";

export interface Collected {
  /** By name, without secrets. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What is missing or wrong, each with its name. */
  readonly problems: readonly string[];
}

/** What is printed becomes part of the session document, which is written with every step. */
export const MOST_STDOUT_BYTES = 1_048_576;

type One =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "bad"; readonly problem: string };

export async function collectOutputs(
  files: RunFiles,
  folder: string,
  outputs: Outputs,
  stdout: Uint8Array | null,
): Promise<Collected> {
  const values: [string, unknown][] = [];
  const problems: string[] = [];
  for (const [name, source] of Object.entries(outputs)) {
    const found = await collect(files, folder, source, stdout);
    if (found.kind === "bad") problems.push(`output ${name}: ${found.problem}`);
    else values.push([name, redactValue(found.value)]);
  }
  return { values: Object.fromEntries(values), problems };
}

async function collect(
  files: RunFiles,
  folder: string,
  source: OutputSource,
  stdout: Uint8Array | null,
): Promise<One> {
  if (source.kind === "stdout") return source.format === "json" ? jsonOf(stdout) : textOf(stdout);
  const { path, json } = source;
  const found = await files.find(folder, path);
  if (found.kind === "bad") return { kind: "bad", problem: `${path}: ${found.problem}` };
  const { size, sha256 } = found;
  if (!json) return { kind: "value", value: { path, sha256, size } };
  const read = await files.findJson(folder, path);
  if (read.kind === "bad") return { kind: "bad", problem: `${path}: ${read.problem}` };
  return { kind: "value", value: { path, sha256, size, value: read.value } };
}

/** What was printed, as JSON. */
export function jsonOf(stdout: Uint8Array | null): One {
  const text = textOf(stdout);
  if (text.kind === "bad") return text;
  try {
    return { kind: "value", value: JSON.parse(String(text.value)) as unknown };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { kind: "bad", problem: `its output is not JSON: ${redact(problem)}` };
  }
}

function textOf(stdout: Uint8Array | null): One {
  if (stdout === null) return { kind: "bad", problem: "it printed more than 1 MiB" };
  return { kind: "value", value: new TextDecoder().decode(stdout).trim() };
}
