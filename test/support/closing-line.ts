// Ends a test run with one line that people and scripts can read: `12 passed, 0 failed`.

import type { Reporter, SerializedError, TestModule } from "vitest/node";

export class ClosingLine implements Reporter {
  private line: string | undefined;

  onInit(): void {
    // At exit, because the other reporters print their summaries when they like.
    process.once("exit", () => {
      if (this.line !== undefined) process.stdout.write(`${this.line}\n`);
    });
  }

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    unhandledErrors: ReadonlyArray<SerializedError>,
  ): void {
    this.line = closingLine(modules, unhandledErrors.length);
  }
}

/** An error outside of every test (a file that does not load, a failed hook) counts as one failure. */
export function errorsOutsideTests(
  modules: ReadonlyArray<TestModule>,
  errorsOutsideModules: number,
): number {
  const suites = modules.flatMap((module) => [...module.children.allSuites()]);
  return [...modules, ...suites].reduce(
    (sum, place) => sum + place.errors().length,
    errorsOutsideModules,
  );
}

function closingLine(modules: ReadonlyArray<TestModule>, errorsOutsideModules: number): string {
  const failed = errorsOutsideTests(modules, errorsOutsideModules);
  const count = { passed: 0, failed, skipped: 0, pending: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) count[test.result().state] += 1;
  }
  // Pending now means that the run was cut off before the test ended.
  const line = `${count.passed} passed, ${count.failed + count.pending} failed`;
  return count.skipped === 0 ? line : `${line}, ${count.skipped} skipped`;
}
