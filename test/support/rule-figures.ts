/** With WAYMARK_WRITE_FIGURES=1 a whole test run writes down, for docs/reliability.md, how many tests of each rule passed. */
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { type Figure, writeFigures } from "../../scripts/proof/figures.mjs";
import { errorsOutsideTests } from "./closing-line.ts";

export class RuleFigures implements Reporter {
  readonly #begun = Date.now();

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    unhandledErrors: ReadonlyArray<SerializedError>,
  ): void {
    const outside = errorsOutsideTests(modules, unhandledErrors.length);
    const counts = new Map<string, Figure>([
      ["all", { id: "all", what: "all", tried: outside, wrong: outside }],
    ]);
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "skipped") continue;
        for (const id of ["all", ...rulesOf(test.fullName)]) {
          const so = counts.get(id) ?? { id, what: id, tried: 0, wrong: 0 };
          const wrong = so.wrong + (state === "passed" ? 0 : 1);
          counts.set(id, { ...so, tried: so.tried + 1, wrong });
        }
      }
    writeFigures({
      name: "tests",
      command: "npm test",
      seconds: Math.round((Date.now() - this.#begun) / 1000),
      figures: [...counts.values()],
    });
  }
}

/** Suites and tests name their rules at the start: `writers > [R7] save in place`. */
function rulesOf(fullName: string): Set<string> {
  const titles = fullName.split(" > ").map((title) => /^(?:\[R\d+\]\s*)+/.exec(title)?.[0] ?? "");
  return new Set(titles.flatMap((numbers) => numbers.match(/R\d+/g) ?? []));
}
