/** `waymark rebuild` */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { rebuildCheckpoint, type RebuildResult } from "../../../operations/rebuild-checkpoint.ts";
import type { Context } from "../command-spec.ts";
import { firstLines } from "../first-lines.ts";
import type { Output } from "../output.ts";

interface Options {
  from?: string;
}

export async function run(context: Context): Promise<void> {
  const { output, sessionId } = context;
  const [selector] = context.args as [string];
  const { from } = context.options as Options;
  const result = await rebuildCheckpoint(await context.openProject(), {
    selector,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(from === undefined ? {} : { from: placeOf(context.directory, from) }),
  });
  if (result.notJournaled !== null) {
    output.warn(`not recorded in the journal: ${result.notJournaled} (\`waymark help recovery\`)`);
  }
  output.result("rebuild", document(result), lines(result, output));
}

/** What is no path may be the name of a remote. */
function placeOf(directory: string, from: string): string {
  const path = resolve(directory, from);
  return existsSync(path) ? path : from;
}

function document({
  id,
  state,
  repaired,
  missing,
  remade,
  notJournaled,
}: RebuildResult): Record<string, unknown> {
  return {
    id,
    state,
    rebuilt: remade !== null,
    repaired,
    missing,
    remade: remade?.parts ?? [],
    unknown: remade?.unknown ?? [],
    unverified: remade?.unverified ?? [],
    journaled: notJournaled === null,
  };
}

const MOST_SHOWN = 20;

function lines({ id, state, repaired, remade }: RebuildResult, output: Output): string[] {
  if (state === "whole") return [`${id} is ${output.paint("green", "intact")}; nothing to do`];
  return [
    `${output.paint("green", state)} ${id}`,
    ...firstLines(
      repaired.map(({ path, source }) => `  found     ${path} (${source})`),
      MOST_SHOWN,
    ),
    ...(remade?.parts ?? []).map((part) => `  rebuilt ${part}`),
    ...(remade === null || remade.unknown.length === 0
      ? []
      : [`  not known ${remade.unknown.join(", ")}`]),
    ...(remade === null || remade.unverified.length === 0
      ? []
      : [`  unchecked ${remade.unverified.join(", ")}`]),
  ];
}
