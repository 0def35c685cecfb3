// A sample of the faults that are there before the command: a damaged object, a damaged session document, a clock of whole seconds.
// `npm run faults -- --kind damage` tries them all.
import { describe, expect, test } from "vitest";
import { prepareKillpoint } from "../../scripts/faults/killpoint.mjs";
import { runMatrix, spread } from "../../scripts/faults/matrix.mjs";
import { DEFAULT_BIN, missingProgram } from "../../scripts/faults/waymark.mjs";

type RowName = Parameters<typeof runMatrix>[0][number];

const killpoint = await prepareKillpoint();
const why = killpoint.kind === "ready" ? "" : ` (skipped: ${killpoint.reason})`;

/** The rows, how many points of each are tried, and what they are about. */
const SAMPLE: readonly (readonly [string, readonly (readonly [RowName, number])[]])[] = [
  [
    "create writes what is lost anew, or refuses",
    [[{ scenario: "plain", command: "create", fault: "object-lost" }, 3]],
  ],
  [
    "what a rollback overwrites or removes comes back, whatever the history has lost",
    [[{ scenario: "committed", command: "rollback", fault: "object-flipped" }, 5]],
  ],
  [
    "checkpoints are taken and come back without a session document that can be read",
    [
      [{ scenario: "plain", command: "create", fault: "session-damaged" }, 1],
      [{ scenario: "committed", command: "rollback", fault: "session-damaged" }, 1],
    ],
  ],
];

describe.skipIf(killpoint.kind === "unavailable")(
  `a repository that is damaged already${why}`,
  () => {
    for (const [promise, rows] of SAMPLE)
      test(promise, { timeout: 180_000 }, async () => {
        expect(missingProgram(DEFAULT_BIN)).toBeUndefined();
        const found = await runMatrix(
          rows.map(([name]) => name),
          {
            bin: DEFAULT_BIN,
            killpoint: killpoint.kind === "ready" ? killpoint.path : "",
            slots: 1,
            choose: (points, row) =>
              spread(points, rows.find(([name]) => name.fault === row.fault)?.[1] ?? 1),
          },
        );
        expect(found.flatMap(({ failures }) => failures)).toEqual([]);
        expect(found.every(({ fired }) => fired > 0)).toBe(true);
      });
  },
);

describe.skipIf(killpoint.kind === "unavailable")(`time stamps of whole seconds${why}`, () => {
  test(
    "what is staged again within the second is in the checkpoint",
    { timeout: 180_000 },
    async () => {
      const [row] = await runMatrix(
        [{ scenario: "plain", command: "create", fault: "clock-second" }],
        {
          bin: DEFAULT_BIN,
          killpoint: killpoint.kind === "ready" ? killpoint.path : "",
          slots: 1,
          // git add, a checkpoint, git add again and again.
          choose: () => [2],
        },
      );
      expect(row?.failures).toEqual([]);
      expect(row?.fired).toBe(1);
    },
  );
});
