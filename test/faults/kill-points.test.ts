// A sample of the fault matrix, small enough for every run of the tests. `npm run faults` tries every point.
import { beforeAll, describe, expect, test } from "vitest";
import { prepareKillpoint } from "../../scripts/faults/killpoint.mjs";
import { runMatrix, spread } from "../../scripts/faults/matrix.mjs";
import { DEFAULT_BIN, missingProgram } from "../../scripts/faults/waymark.mjs";

const killpoint = await prepareKillpoint();
const why = killpoint.kind === "ready" ? "" : ` (skipped: ${killpoint.reason})`;
// Reporters hide the names of skipped tests.
if (why !== "") console.warn(`fault tests${why}`);

/** What is tried, how often, and the promise that it is about. */
const SAMPLE = {
  create: [
    ["kill", 8, "killed anywhere, it changes nothing and leaves no half checkpoint"],
    ["enospc", 4, "on a full disk it fails cleanly or copes"],
  ],
  rollback: [
    ["kill", 8, "killed anywhere, it is finished or taken back by the next command"],
    ["enospc", 4, "on a full disk it leaves everything as before"],
    ["save-over", 4, "a file that somebody saves meanwhile is not lost"],
    // The first call and the last one, which removes a lock.
    ["eacces", 2, "what fails when it is done does not make it a failure"],
  ],
  undo: [
    ["kill", 8, "killed anywhere, it is finished or taken back by the next command"],
    ["enospc", 4, "on a full disk it leaves everything as before"],
    // How many files are opened differs from run to run, so the last one cannot be named.
    ["emfile", 1, "without free file descriptors it is undone or as before"],
  ],
  cleanup: [
    [
      "kill",
      4,
      "killed anywhere, each checkpoint is in the list or in the trash, and nothing is locked",
    ],
  ],
} as const;

/** The store has a project of its own, whatever the files are like. */
const SCENARIO = { create: "mixed", rollback: "mixed", undo: "mixed", cleanup: "plain" } as const;

describe.skipIf(killpoint.kind === "unavailable")(`faults at any moment${why}`, () => {
  for (const command of ["create", "rollback", "undo", "cleanup"] as const) {
    describe(command, () => {
      let rows: Awaited<ReturnType<typeof runMatrix>> = [];

      // All faults of one command in one go, because they start from the same project.
      beforeAll(async () => {
        expect(missingProgram(DEFAULT_BIN)).toBeUndefined();
        const sample = SAMPLE[command];
        rows = await runMatrix(
          sample.map(([fault]) => ({ scenario: SCENARIO[command], command, fault })),
          {
            bin: DEFAULT_BIN,
            killpoint: killpoint.kind === "ready" ? killpoint.path : "",
            choose: (points, row) =>
              spread(points, sample.find(([fault]) => fault === row.fault)?.[1] ?? 1),
          },
        );
      }, 180_000);

      for (const [fault, , promise] of SAMPLE[command]) {
        test(promise, () => {
          const row = rows.find((candidate) => candidate.fault === fault);
          expect(row?.failures).toEqual([]);
          expect(row?.fired).toBeGreaterThan(0);
        });
      }
    });
  }
});
