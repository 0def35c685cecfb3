/** Sessions that somebody runs: this process, or one that has ended since. */
import { openGitProject } from "../../src/app.ts";
import { acquireSession } from "../../src/operations/owned-session.ts";

/** As long as the tests run, the session is run by their process. Answers with the token. */
export async function holdSession(root: string, id: string): Promise<number> {
  const project = await openGitProject({ directory: root });
  try {
    return (await acquireSession(project, id, { purpose: "test" })).owned.token;
  } finally {
    project.close();
  }
}

/** The session was run by a process that is gone. */
export async function loseOwner(root: string, id: string): Promise<void> {
  const project = await openGitProject({ directory: root });
  try {
    const own = project.liveness.own();
    const gone = { ...own, started: `${own.started}-before` };
    const liveness = { ...project.liveness, own: () => gone, lifeOf: () => "dead" as const };
    await acquireSession({ ...project, liveness }, id, { purpose: "run" });
  } finally {
    project.close();
  }
}
