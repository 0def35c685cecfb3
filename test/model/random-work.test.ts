/**
 * Random work, create, more random work, roll back, undo, redo: identical each time. What is compared is written down in
 * support/fingerprint.ts and support/expected-after-rollback.ts.
 *
 * WAYMARK_MODEL_RUNS (40) sets how many, WAYMARK_MODEL_SEED and WAYMARK_MODEL_PATH repeat a run that failed. The normal tests
 * always do the same work, so that a change is never blamed for what it did not do; `npm run test:model` searches elsewhere
 * each time.
 */
import fc from "fast-check";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { stateDriver } from "../support/state-driver.ts";
import { roundTrip } from "../support/round-trip.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";
import { operation, type Operation, perform } from "./operations.ts";
import { copyStart, makeStart, type Start } from "./start.ts";

const runs = Number(process.env["WAYMARK_MODEL_RUNS"] ?? 40);
const seed = Number(process.env["WAYMARK_MODEL_SEED"] ?? 20_261_115);
const path = process.env["WAYMARK_MODEL_PATH"];

/** Two lanes keep two cores busy; each has a seed of its own. A repeated run needs only one. */
const lanes = path === undefined && runs > 1 ? [0, 1] : [0];

/** Generous: shrinking a failure takes many runs more. */
const timeLimitMs = Math.max(180_000, runs * 10_000);

interface Work {
  readonly start: Start;
  readonly before: readonly Operation[];
  readonly after: readonly Operation[];
}

const work: fc.Arbitrary<Work> = fc.record({
  start: fc.oneof(
    { weight: 3, arbitrary: fc.constant("history" as const) },
    { weight: 3, arbitrary: fc.constant("settled" as const) },
    { weight: 1, arbitrary: fc.constant("unborn" as const) },
  ),
  before: fc.array(operation, { maxLength: 8 }),
  after: fc.array(operation, { minLength: 1, maxLength: 8 }),
});

async function check(starts: TempRepository, { start, before, after }: Work): Promise<void> {
  await withTempProject(async (run) => {
    const repo = copyStart(starts, start, run);
    await mkdir(join(run.base, "outside"));
    await perform(repo, before);
    await roundTrip(repo, stateDriver(repo), {
      wreck: async () => await perform(repo, after),
      accepts: (difference) =>
        // A file that was clean by its time stamp alone, under attributes that came later, is compared by content once it
        // has been written again: git then calls it modified. Its bytes, mode and index entry are still compared.
        changesAttributes([...before, ...after]) && difference.startsWith("status:"),
    });
  });
}

const changesAttributes = (operations: readonly Operation[]): boolean =>
  operations.some((one) => one.do === "attributes");

describe("random work", () => {
  it.concurrent.each(lanes)(
    `comes back identical (lane %i of ${runs} runs, seed ${seed})`,
    async (lane) => {
      await withTempProject(async (starts) => {
        await makeStart(starts, "history");
        await makeStart(starts, "settled");
        await makeStart(starts, "unborn");
        await fc.assert(
          fc.asyncProperty(work, (one) => check(starts, one)),
          {
            numRuns: Math.ceil(runs / lanes.length),
            seed: seed + lane,
            ...(path === undefined ? {} : { path }),
            interruptAfterTimeLimit: timeLimitMs - 20_000,
            markInterruptAsFailure: true,
            reporter: report,
          },
        );
      });
    },
    timeLimitMs,
  );
});

/** The shortest way back to a failure comes first, the differences after it. */
function report(details: fc.RunDetails<[Work]>): void {
  if (!details.failed) {
    return;
  }
  const repeat = `WAYMARK_MODEL_SEED=${details.seed} WAYMARK_MODEL_PATH=${details.counterexamplePath ?? ""} npm run test:model`;
  const example = JSON.stringify(details.counterexample?.[0] ?? null);
  const cause =
    details.errorInstance instanceof Error ? details.errorInstance.message : "interrupted";
  throw new Error(
    `failed after ${details.numRuns} runs and ${details.numShrinks} shrinks\nrepeat: ${repeat}\nwork: ${example}\n${cause}`,
  );
}
