/** The library on a real repository, with a clock and settings of the test's own. */
import { openGitProject } from "../../src/app.ts";
import type { Retention } from "../../src/domain/config.ts";
import type { Project } from "../../src/operations/project.ts";
import { copySeed } from "../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface TimedProject {
  readonly repo: TempRepository;
  readonly project: Project;
  /** Lets time pass. */
  readonly wait: (ms: number) => void;
}

export async function withTimedProject(
  retention: Partial<Retention>,
  body: (timed: TimedProject) => Promise<void>,
): Promise<void> {
  await withTempProject(async (repo) => {
    await copySeed(repo);
    const opened = await openGitProject({ directory: repo.root });
    let now = Date.now();
    const project: Project = {
      ...opened,
      clock: { ...opened.clock, now: () => new Date(now) },
      config: {
        ...opened.config,
        retention: { ...opened.config.retention, ...retention },
      },
    };
    try {
      await body({ repo, project, wait: (ms) => void (now += ms) });
    } finally {
      opened.close();
    }
  });
}
