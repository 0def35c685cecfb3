import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { RuleFigures } from "./test/support/rule-figures.ts";
import { SlowFirst } from "./test/support/slow-first.ts";
import { keepHeapsSmall, SMALL_PROCESS } from "./test/support/small-process.ts";

keepHeapsSmall();

const figures = process.env["WAYMARK_WRITE_FIGURES"] === "1" ? [new RuleFigures()] : [];

/** Rules without files, processes and state of their own: they need no process for each file. */
const PURE = ["src/domain/**/*.test.ts", "src/operations/**/*.test.ts"];

const common = {
  setupFiles: ["test/support/fixed-seed.ts"],
  pool: "forks" as const,
  execArgv: [...SMALL_PROCESS],
  // For what hangs. How busy the machine is must not decide.
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: "rules", include: PURE, isolate: false } },
      {
        test: {
          ...common,
          name: "work",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          // With real agents: `npm run test:agents`.
          exclude: [...PURE, "test/agents/**", "node_modules/**"],
          globalSetup: ["test/support/clean-environment.ts"],
        },
      },
    ],
    sequence: { sequencer: SlowFirst },
    // One more than the cores of a small machine: some tests wait for time to pass.
    maxWorkers: 3,
    reporters: ["default", ...figures, new ClosingLine()],
  },
});
