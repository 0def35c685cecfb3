/**
 * Every repository state makes the same trip: create changes nothing at all; then somebody spoils the project; rollback
 * brings the checkpoint back, undo brings the spoiled state back, redo the checkpoint again. What is compared is written
 * down in support/fingerprint.ts, what a rollback leaves alone in support/expected-after-rollback.ts.
 */
import { describe, expect, it } from "vitest";
import { stateDriver } from "../support/state-driver.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { roundTrip } from "../support/round-trip.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";
import { conversions } from "./rows/conversions.ts";
import { heads } from "./rows/heads.ts";
import { ignoreRules } from "./rows/ignore-rules.ts";
import { indexStates } from "./rows/index-states.ts";
import { operations } from "./rows/operations.ts";
import { ordinaryWork } from "./rows/ordinary-work.ts";
import { plainFolders } from "./rows/plain-folders.ts";
import { repositories } from "./rows/repositories.ts";
import { type Row } from "./rows/row.ts";

const table: Readonly<Record<string, readonly Row[]>> = {
  "ordinary work": ordinaryWork,
  "index states": indexStates,
  "operations in progress": operations,
  "HEAD, branches and work trees": heads,
  "kinds of repositories": repositories,
  "plain folders": plainFolders,
  "ignore rules": ignoreRules,
  conversions,
};

for (const [kind, rows] of Object.entries(table)) {
  describe(kind, () => {
    for (const row of rows) {
      it.concurrent(row.name, async ({ skip }) => {
        if ((await row.possible?.()) === false) {
          skip("this git cannot make the state");
        }
        await withTempProject((project) => trip(project, row));
      });
    }
  });
}

async function trip(project: TempRepository, row: Row): Promise<void> {
  const repo = (await row.prepare(project)) ?? project;
  const bystander = await takeFingerprint(project);
  await roundTrip(repo, stateDriver(repo), {
    wreck: row.wreck,
    ...(row.afterCreate === undefined ? {} : { afterCreate: row.afterCreate }),
    accepts: (difference) => row.exempt?.differences.test(difference) === true,
  });
  await row.goesOn?.(repo);
  if (repo !== project) {
    // Refs are shared with a linked work tree; files, index and HEAD are not.
    const touched = differences(await takeFingerprint(project), bystander);
    expect(touched.filter((line) => !line.startsWith("ref "))).toEqual([]);
  }
}
