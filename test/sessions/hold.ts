/** Sessions that somebody runs: this process, one that has ended since, or one on another machine. */
import { openGitProject } from "../../src/app.ts";
import type { LeaseHolder } from "../../src/domain/workflow/lease.ts";
import { acquireSession } from "../../src/operations/owned-session.ts";

/** As long as the tests run, the session is run by their process. */
export async function holdSession(root: string, id: string): Promise<void> {
  await holdAs(root, id, (own) => own);
}

/** The session was run by a process that is gone. */
export async function loseOwner(root: string, id: string): Promise<void> {
  await holdAs(root, id, (own) => ({ ...own, started: `${own.started}-before` }));
}

export async function holdElsewhere(root: string, id: string): Promise<void> {
  await holdAs(root, id, (own) => ({ ...own, host: "elsewhere", boot: "another" }));
}

async function holdAs(
  root: string,
  id: string,
  who: (own: LeaseHolder) => LeaseHolder,
): Promise<void> {
  const project = await openGitProject({ directory: root });
  try {
    const holder = who(project.liveness.own());
    const liveness = { own: () => holder, lifeOf: () => "alive" as const, isBelow: () => false };
    await acquireSession({ ...project, liveness }, id, { purpose: "test" });
  } finally {
    project.close();
  }
}
