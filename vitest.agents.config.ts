// The tests with real agents (`npm run test:agents`): one after the other, because each agent takes a core for itself.

import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";

export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: ["test/support/clean-environment.ts"],
    pool: "forks",
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ["verbose", new ClosingLine()],
  },
});
