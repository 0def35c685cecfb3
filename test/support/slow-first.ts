/** Starts the files first that take longest, so that no worker is left with one of them at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By what they took; the order of the rest does not matter. */
const SLOW = [
  "test/model/random-work-1.test.ts",
  "test/model/random-work-2.test.ts",
  "test/states/repository-states.test.ts",
  "test/cli/json-output.test.ts",
  "test/backlog/rollback-task.test.ts",
  "src/adapters/database/postgresql-database.test.ts",
  "test/hostile/hostile-archives.test.ts",
  "test/faults/kill-points.test.ts",
  "test/states/odd-names.test.ts",
  "test/resume/resume.test.ts",
  "test/run/interrupted.test.ts",
  "src/adapters/database/mysql-database.test.ts",
  "test/guard/guard.test.ts",
  "test/sessions/session-commands.test.ts",
  "test/plugin/pages.test.ts",
  "test/run/workflows-page.test.ts",
  "test/mcp/confirmation.test.ts",
  "test/run/control.test.ts",
  "test/resume/elsewhere.test.ts",
  "test/states/no-code-is-run.test.ts",
  "test/rebuild/rebuild.test.ts",
  "test/archive/kill-points.test.ts",
  "test/isolation/killed-merge.test.ts",
  "test/parts/leaving.test.ts",
  "test/mcp/protocol.test.ts",
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rank(left) - rank(right));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((file) => moduleId.endsWith(file));
  return place < 0 ? SLOW.length : place;
}
