/** `waymark doctor` */
import { openDoctor } from "../../../app.ts";
import type { HealthStatus } from "../../../domain/health.ts";
import { diagnose, type Diagnosis } from "../../../operations/diagnose.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { packagePath } from "../package-files.ts";
import { progressOn } from "../progress.ts";
import type { Style } from "../style.ts";
import { oneLine } from "../printable.ts";
import { counted } from "../units.ts";

const UNHEALTHY = 1;
const MAX_LISTED = 4;

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const { fix, all } = context.options as { fix?: boolean; all?: boolean };
  const progress = progressOn(output);
  const { checks, close } = await openDoctor(
    { directory: context.directory, progress },
    packagePath(),
  );
  let found: Diagnosis[];
  try {
    found = await diagnose(checks, fix === true, progress);
  } finally {
    close();
  }
  const count = (status: HealthStatus): number =>
    found.filter((diagnosis) => diagnosis.status === status).length;
  const problems = count("problem");
  const warnings = count("warning");
  output.result("doctor", { checks: found.map(toJson), problems, warnings }, [
    ...lines(found, output, all === true ? Infinity : MAX_LISTED),
    "",
    problems + warnings === 0
      ? "no problems found"
      : `${counted(problems, "problem")}, ${counted(warnings, "warning")}`,
  ]);
  return problems === 0 ? 0 : UNHEALTHY;
}

function toJson({ name, status, message, items = [], hint, fixable, fixed }: Diagnosis) {
  return { name, status, message, items, hint: hint ?? null, fixable: fixable === true, fixed };
}

const STYLES: Readonly<Record<HealthStatus, Style>> = {
  ok: "green",
  warning: "yellow",
  problem: "red",
};

function lines(found: readonly Diagnosis[], output: Output, maxListed: number): string[] {
  const width = Math.max(...found.map(({ name }) => name.length));
  const indent = " ".repeat(8 + width + 2);
  return found.flatMap(({ name, status, message, items = [], hint, fixed }) => {
    const word = output.paint(STYLES[status], (fixed ? "fixed" : status).padEnd(8));
    const listed = items.slice(0, maxListed).map((item) => `${indent}  ${oneLine(item)}`);
    const more = items.length - listed.length;
    return [
      `${word}${name.padEnd(width)}  ${oneLine(message)}${items.length === 0 ? "" : `: ${items.length}`}`,
      ...listed,
      ...(more > 0 ? [`${indent}  and ${more} more (--all or --json lists them)`] : []),
      ...(hint === undefined ? [] : [indent + output.paint("dim", hint)]),
    ];
  });
}
