/** `waymark export` */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { exportCheckpoints, type ExportResult } from "../../../operations/export-checkpoints.ts";
import { secretDocument, withheldText } from "../../../operations/check-secrets.ts";
import { showPath } from "../../../domain/byte-path.ts";
import { secretText } from "../../../domain/secrets/secret-text.ts";
import { quoteForShell } from "../../../domain/shell-quote.ts";
import { contentLines } from "../archive-contents.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { inProject } from "../project-path.ts";
import { counted, humanBytes } from "../units.ts";

interface Options {
  output?: string;
  force?: boolean;
  since?: string[];
  thin?: boolean;
  skipDamaged?: boolean;
  includeSecrets?: string[];
  includeDatabases?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output, sessionId } = context;
  const [selectors] = context.args as [string[]];
  const options = context.options as Options;
  const project = await context.openProject();
  const result = await exportCheckpoints(project, {
    selectors,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(options.output === undefined ? {} : { file: fileFor(context.directory, options.output) }),
    overwrite: options.force === true,
    since: options.since ?? [],
    sinceRemotes: options.thin === true,
    skipDamaged: options.skipDamaged === true,
    includeSecrets: (options.includeSecrets ?? []).map((path) =>
      inProject(project.workTree.root, context.directory, path, "--include-secrets"),
    ),
    includeDatabases: options.includeDatabases === true,
  });
  for (const line of skippedLines(result.skipped)) output.warn(line);
  if (result.optionsToLeave !== "") {
    output.say(`to export all of it anyway: waymark export ${result.optionsToLeave}`);
  }
  for (const secret of result.includedSecrets) {
    output.warn(
      `${secret.checkpointId} was exported with ${showPath(secret.path)} (${secretText(secret)})`,
    );
  }
  for (const { checkpointId, label } of result.includedDatabases) {
    output.warn(`${checkpointId} was exported with the whole content of the database ${label}`);
  }
  for (const line of leftHereLines(result.leftHere)) output.warn(line);
  for (const id of result.withoutCopies) {
    output.warn(`the copied files of ${id} are not included: they stay on this machine`);
  }
  if (result.needsMaxSizeMb !== null) {
    output.warn(`the archive is large: importing it needs --max-size-mb ${result.needsMaxSizeMb}`);
  }
  output.result("export", document(result), lines(result, output));
}

function fileFor(directory: string, path: string): string {
  const file = resolve(directory, path);
  if (existsSync(dirname(file))) return file;
  throw new Failure("usage", `no such folder: ${dirname(path)}`, {
    hint: "Create it first, or name a file in another folder. Nothing was written.",
  });
}

/** One file keeps many checkpoints here; each reason is told once. */
function skippedLines(skipped: ExportResult["skipped"]): string[] {
  const ids = new Map<string, string[]>();
  for (const { id, problem } of skipped) ids.set(problem, [...(ids.get(problem) ?? []), id]);
  return [...ids].map(([problem, [first = "", ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${counted(others.length, "other")}`;
    return `not exported: ${first}${more} (${problem})`;
  });
}

/** One file stays out of many checkpoints; it is told once. */
function leftHereLines(left: ExportResult["leftHere"]): string[] {
  const ids = new Map<string, string[]>();
  for (const { id, ...each } of left) {
    const what = withheldText({ id, ...each });
    ids.set(what, [...(ids.get(what) ?? []), id]);
  }
  return [...ids].map(([what, [first = "", ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${counted(others.length, "other")}`;
    return `${first}${more} exported without what stays on this machine: ${what}`;
  });
}

function document(result: ExportResult): Record<string, unknown> {
  return {
    file: result.file,
    bytes: result.bytes,
    sha256: result.sha256,
    checkpoints: result.checkpoints.map(({ id, sessionId, createdAt }) => ({
      id,
      session_id: sessionId,
      created_at: createdAt,
    })),
    sessions: result.sessionIds,
    basis: result.basis,
    skipped: result.skipped,
    included_secrets: result.includedSecrets.map((secret) => ({
      id: secret.checkpointId,
      ...secretDocument(secret),
    })),
    included_databases: result.includedDatabases.map(({ checkpointId, engine, label }) => ({
      id: checkpointId,
      engine,
      label,
    })),
    left_here: result.leftHere.map(({ id, secrets, databases }) => ({
      id,
      files: secrets.map(secretDocument),
      databases: databases.map(({ label }) => label),
    })),
    without_copies: result.withoutCopies,
    needs_max_size_mb: result.needsMaxSizeMb,
  };
}

function lines(result: ExportResult, output: Output): string[] {
  return [
    `${output.paint("green", "exported")} ${result.file}`,
    `  size      ${humanBytes(result.bytes)}`,
    `  sha256    ${result.sha256}`,
    ...contentLines(result),
    `  import    waymark import ${quoteForShell(result.file)} && waymark validate`,
  ];
}
