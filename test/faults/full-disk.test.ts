// A disk that somebody else fills in the middle, on a file system of its own. `npm run faults -- --power-cuts` tries every point.
import { describe, expect, test } from "vitest";
import { prepareKillpoint } from "../../scripts/faults/killpoint.mjs";
import { runMatrix, spread } from "../../scripts/faults/matrix.mjs";
import { openPowerSlot, powerCutsMissing } from "../../scripts/faults/power-slot.mjs";
import { DEFAULT_BIN } from "../../scripts/faults/waymark.mjs";

const killpoint = await prepareKillpoint();
const missing = killpoint.kind === "unavailable" ? killpoint.reason : await powerCutsMissing();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;
// Reporters hide the names of skipped tests.
if (why !== "") console.warn(`full disk${why}`);

describe.skipIf(missing !== undefined)(`a disk that fills in the middle${why}`, () => {
  test("[R22] leaves a rollback done, or everything as before", { timeout: 120_000 }, async () => {
    const [row] = await runMatrix(
      [{ scenario: "plain", command: "rollback", fault: "disk-fills" }],
      {
        bin: DEFAULT_BIN,
        killpoint: killpoint.kind === "ready" ? killpoint.path : "",
        // From the first change of a file to the check of the result.
        choose: (points) => spread(points, 9).slice(3, 8),
        open: openPowerSlot,
      },
    );
    expect(row?.failures).toEqual([]);
    expect(row?.before).toBeGreaterThan(0);
  });
});
