/** `waymark import` */
import { resolve } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { OldFormat } from "../../../domain/old-formats/old-formats.ts";
import { importOldFormat } from "../../../operations/import-old-format.ts";
import { importArchive, type ImportResult } from "../../../operations/import-archive.ts";
import { contentLines } from "../archive-contents.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { counted } from "../units.ts";

interface Options {
  from?: OldFormat;
  dryRun?: boolean;
  maxSizeMb?: number;
}

export async function run(context: Context): Promise<number | void> {
  const { output } = context;
  const [file] = context.args as [string];
  const options = context.options as Options;
  if (options.from !== undefined) return runOldFormat(context, options.from, file);
  const dryRun = options.dryRun === true;
  const result = await importArchive(await context.openProject(), {
    file: resolve(context.directory, file),
    ...(options.maxSizeMb === undefined ? {} : { maxSizeMb: options.maxSizeMb }),
    dryRun,
  });
  output.result("import", document(result, dryRun), lines(result, dryRun, output));
  if (!dryRun && result.admission.newIds.length > 0) {
    output.say("`waymark list --all` shows them; `waymark rollback ID` restores one");
  }
}

async function runOldFormat(context: Context, format: OldFormat, file: string): Promise<number> {
  const { dryRun = false, maxSizeMb } = context.options as Options;
  if (maxSizeMb !== undefined) {
    throw new Failure(
      "usage",
      "--max-size-mb and --from cannot be used together: the limit is for archives",
      {
        hint: "Use one of them. Nothing was changed.",
      },
    );
  }
  const { reportOldFormat } = await import("../old-format-report.ts");
  const path = resolve(context.directory, file);
  const result = await importOldFormat(await context.openProject(), { format, path, dryRun });
  return reportOldFormat(context.output, { format, dryRun, result });
}

function document({ facts, admission }: ImportResult, dryRun: boolean): Record<string, unknown> {
  const sessions = (standings: readonly string[]): string[] =>
    admission.sessions.filter(({ standing }) => standings.includes(standing)).map(({ id }) => id);
  return {
    dry_run: dryRun,
    file: facts.file,
    bytes: facts.bytes,
    sha256: facts.sha256,
    project: facts.project,
    exported_at: facts.createdAt,
    imported: admission.newIds,
    already_there: admission.alreadyThere,
    refused: admission.conflicts,
    sessions: {
      imported: sessions(["new", "forward"]),
      already_there: sessions(["same"]),
      kept: sessions(["kept"]),
    },
    pinned: admission.pins.map(({ checkpointId }) => checkpointId),
    basis: facts.basis,
  };
}

function lines({ facts, admission }: ImportResult, dryRun: boolean, output: Output): string[] {
  const { newIds, alreadyThere, conflicts, pins } = admission;
  const kept = admission.sessions.filter(({ standing }) => standing === "kept");
  return [
    `${output.paint("green", dryRun ? "would import" : "imported")} ${counted(newIds.length, "checkpoint")} from ${facts.file}`,
    `  sha256    ${facts.sha256}`,
    ...contentLines(facts),
    ...newIds.map((id) => `  new       ${id}`),
    ...(alreadyThere.length === 0
      ? []
      : [`  skipped   ${counted(alreadyThere.length, "checkpoint")}, already here`]),
    ...conflicts.map(
      (id) =>
        `  ${output.paint("red", "refused")}   ${id}: a different checkpoint has this id here`,
    ),
    ...pins.map(({ checkpointId }) => `  pinned    ${checkpointId}, as in the archive`),
    ...kept.map(({ id }) => `  kept      the session ${id}, unchanged`),
  ];
}
