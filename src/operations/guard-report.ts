/** What the next attempt of a guard can read about the one that failed. */
import { endOf, type StepReport } from "../domain/guard.ts";

export interface FailedSteps {
  readonly act: StepReport;
  readonly verify: readonly StepReport[];
  readonly failed: { readonly report: StepReport; readonly output: Uint8Array } | undefined;
}

/** A few lines of facts, an empty line, and the end of what the failed step wrote, byte for byte. */
export function failureReport(attempt: number, { act, verify, failed }: FailedSteps): Uint8Array {
  const error = failed?.report.error ?? "";
  const lines = [
    `attempt: ${attempt}`,
    `act: ${endOf(act)}`,
    ...verify.map((report, index) => `verify ${index + 1}: ${endOf(report)}`),
    "",
    ...(error === "" ? [] : [error]),
    "",
  ];
  const head = new TextEncoder().encode(lines.join("\n"));
  const output = failed?.output ?? new Uint8Array();
  const report = new Uint8Array(head.length + output.length);
  report.set(head);
  report.set(output, head.length);
  return report;
}
