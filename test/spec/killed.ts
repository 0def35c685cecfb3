/** Runs a command that is killed at points which are spread over all of it. */
import { cp, rm } from "node:fs/promises";
import { expect } from "vitest";
import { prepareKillpoint, runTraced } from "../../scripts/faults/killpoint.mjs";
import { spread } from "../../scripts/faults/matrix.mjs";
import { waymarkArguments } from "../support/cli.ts";
import { points } from "../support/sample.ts";
import { type RuleProject } from "./project.ts";

const killpoint = await prepareKillpoint();
export const canKill = killpoint.kind === "ready";
const POINTS = points(5);

/** Each time in a copy of the project; once it is not killed at all. */
export async function killed(
  project: RuleProject,
  args: readonly string[],
  judge: (copy: RuleProject) => Promise<void>,
): Promise<void> {
  const path = killpoint.kind === "ready" ? killpoint.path : "";
  const { repo } = project;
  const env = { ...repo.env } as Record<string, string>;
  const trace = async (at?: number): Promise<{ points: number; fired: number }> => {
    const copy = project.at("copy");
    await rm(copy.repo.root, { recursive: true, force: true });
    await cp(repo.root, copy.repo.root, { recursive: true, verbatimSymlinks: true });
    const result = await runTraced(
      path,
      { root: repo.base, ...(at === undefined ? {} : { inject: { at, action: "kill" as const } }) },
      [process.execPath, ...waymarkArguments(copy.repo.root, ...args)],
      { cwd: copy.repo.root, env },
    );
    await judge(copy);
    return result;
  };
  const all = (await trace()).points;
  let fired = 0;
  for (const at of spread(all, POINTS)) {
    fired += (await trace(at)).fired;
  }
  expect(fired).toBeGreaterThan(POINTS / 2);
}
