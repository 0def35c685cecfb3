import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

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
    // For what hangs. How busy the machine is must not decide.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", new ClosingLine()],
  },
});
