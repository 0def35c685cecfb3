import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { RuleFigures } from "./test/support/rule-figures.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

const figures = process.env["WAYMARK_WRITE_FIGURES"] === "1" ? [new RuleFigures()] : [];

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // With real agents: `npm run test:agents`.
    exclude: ["test/agents/**", "node_modules/**"],
    globalSetup: ["test/support/clean-environment.ts"],
    setupFiles: ["test/support/fixed-seed.ts"],
    sequence: { sequencer: SlowFirst },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", ...figures, new ClosingLine()],
  },
});
