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

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const { fix } = context.options as { fix?: boolean };
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
    ...lines(found, output),
    "",
    problems + warnings === 0
      ? "all is well"
      : `${counted(problems, "problem")}, ${counted(warnings, "warning")}`,
  ]);
  return problems === 0 ? 0 : UNHEALTHY;
}

function toJson({ name, status, message, hint, fixable, fixed }: Diagnosis) {
  return { name, status, message, hint: hint ?? null, fixable: fixable === true, fixed };
}

const STYLES: Readonly<Record<HealthStatus, Style>> = {
  ok: "green",
  warning: "yellow",
  problem: "red",
};

function lines(found: readonly Diagnosis[], output: Output): string[] {
  const width = Math.max(...found.map(({ name }) => name.length));
  return found.flatMap(({ name, status, message, hint, fixed }) => {
    const word = output.paint(STYLES[status], (fixed ? "fixed" : status).padEnd(8));
    const start = `${word}${name.padEnd(width)}  `;
    const tip =
      hint === undefined ? [] : [`${" ".repeat(8 + width)}  ${output.paint("dim", hint)}`];
    return [start + oneLine(message), ...tip];
  });
}
