/** Sessions on real git: what a checkpoint holds of them, what a rollback brings back, and who may write. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import type { CheckpointDocument } from "../../src/domain/checkpoint.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../../src/domain/workflow/progress.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { listCheckpoints } from "../../src/operations/list-checkpoints.ts";
import { acquireSession, type OwnedSession } from "../../src/operations/owned-session.ts";
import type { Project } from "../../src/operations/project.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { rollbackId } from "../../src/operations/rollback-id.ts";
import { startSession } from "../../src/operations/start-session.ts";
import { undo } from "../../src/operations/undo.ts";
import type { SessionStore } from "../../src/ports/session-store.ts";
import { withDirty } from "../spec/project.ts";

const START = { workflowType: "Implement", projectName: "Auth System" };

async function withProject(work: (project: Project, root: string) => Promise<void>): Promise<void> {
  await withDirty(async ({ repo }) => {
    const project = await openGitProject({ directory: repo.root });
    try {
      await work(project, repo.root);
    } finally {
      project.close();
    }
  });
}

async function goTo(project: Project, target: CheckpointDocument): Promise<void> {
  await rollBack(project, {
    kind: "rollback",
    target,
    sessionId: target.session_id,
    scope: { filesOnly: false, keepHead: false, paths: null },
    discardCommits: true,
    reason: null,
    confirmed: true,
    confirm: () => Promise.resolve(true),
    id: rollbackId(project),
  });
}

function at(step: number): WorkflowProgress {
  return { ...NO_PROGRESS, current_phase: `p${step}`, current_step: step, state: { step } };
}

async function progressed(owned: OwnedSession, step: number): Promise<void> {
  await owned.update(`step ${step}`, (session) => ({ ...session, workflow: at(step) }));
}

function bound(sessions: SessionStore): SessionStore {
  return {
    read: (id) => sessions.read(id),
    list: () => sessions.list(),
    listAll: () => sessions.listAll(),
    write: (...given) => sessions.write(...given),
    remove: (...given) => sessions.remove(...given),
    repair: (name) => sessions.repair(name),
    leftStandIns: () => sessions.leftStandIns(),
  };
}

async function documentOf(project: Project, id: string) {
  return (await project.sessions.read(id))?.document;
}

describe("a session", () => {
  it("is named after its type, project and time, and its checkpoints are its own until it ends", async () => {
    await withProject(async (project) => {
      const before = await createCheckpoint(project, { force: true });
      const session = await startSession(project, START);
      expect(session.id).toMatch(/^implement_auth_system_\d{8}_\d{6}$/);
      const { checkpoint } = await createCheckpoint(project, { force: true });
      expect(before.checkpoint.session_id).toBe("worktree-main");
      expect(checkpoint.session_id).toBe(session.id);
      expect((await listCheckpoints(project, {})).sessionId).toBe(session.id);
      const { owned } = await acquireSession(project, session.id, { purpose: "test" });
      await owned.update("ends", (document) => ({ ...document, status: "completed" }));
      // Until something newer is taken, people look at what it left.
      expect((await listCheckpoints(project, {})).sessionId).toBe(session.id);
      const after = await createCheckpoint(project, { force: true });
      expect(after.checkpoint.session_id).toBe("worktree-main");
      expect((await listCheckpoints(project, {})).sessionId).toBe("worktree-main");
    });
  });

  it("comes back with the files, and with undo", async () => {
    await withProject(async (project, root) => {
      const { id } = await startSession(project, START);
      const { owned } = await acquireSession(project, id, { purpose: "test" });
      await progressed(owned, 1);
      const { checkpoint } = await createCheckpoint(project, { trigger: "post_phase", step: 1 });
      await writeFile(join(root, "later.txt"), "later\n");
      await progressed(owned, 2);
      await goTo(project, checkpoint);
      expect(await documentOf(project, id)).toMatchObject({ workflow: at(1), status: "paused" });
      await undo(project, {
        discardCommits: true,
        reason: null,
        confirmed: true,
        confirm: () => Promise.resolve(true),
      });
      expect(await documentOf(project, id)).toMatchObject({ workflow: at(2) });
    });
  });

  it("is written by its owner only, and by nobody with an old token", async () => {
    await withProject(async (project) => {
      const { id } = await startSession(project, START);
      const { owned } = await acquireSession(project, id, { purpose: "first" });
      await expect(acquireSession(project, id, { purpose: "second" })).rejects.toMatchObject({
        code: "session_held",
      });
      const other: Project = {
        ...project,
        liveness: { own: () => project.liveness.own(), lifeOf: () => "dead", isBelow: () => false },
      };
      const { owned: heir, from } = await acquireSession(other, id, { purpose: "second" });
      expect(from?.token).toBe(owned.token);
      expect(heir.token).toBe(owned.token + 1);
      await expect(progressed(owned, 3)).rejects.toMatchObject({ code: "lease_lost" });
      await owned.release();
      await progressed(heir, 4);
      await heir.release();
      await expect(progressed(heir, 5)).rejects.toMatchObject({ code: "lease_lost" });
      expect(await documentOf(project, id)).toMatchObject({
        workflow: { current_step: 4 },
        lease: { holder: null, token: heir.token },
      });
    });
  });

  it("never goes back to an older document, however slow a read is", async () => {
    await withProject(async (project) => {
      const { id } = await startSession(project, START);
      const delays = [50, 0, 30, 0, 0, 20];
      const slow: Project = {
        ...project,
        sessions: {
          ...bound(project.sessions),
          read: async (sessionId) => {
            const stored = await project.sessions.read(sessionId);
            await new Promise((resolve) => setTimeout(resolve, delays.pop() ?? 0));
            return stored;
          },
        },
      };
      const { owned } = await acquireSession(slow, id, { purpose: "test" });
      for (let step = 1; step <= 5; step++) {
        const look = owned.read();
        await progressed(owned, step);
        await look;
        expect(owned.document.workflow?.current_step).toBe(step);
      }
      await owned.release();
    });
  });

  it("is not made anew by its owner when somebody deletes it, and that is what is said", async () => {
    await withProject(async (project) => {
      const { id } = await startSession(project, START);
      const { owned } = await acquireSession(project, id, { purpose: "first" });
      const stored = await project.sessions.read(id);
      await project.sessions.remove(id, stored?.version ?? "");
      await expect(progressed(owned, 1)).rejects.toMatchObject({
        code: "session_not_found",
        message: `session ${id} was deleted while it ran`,
      });
      expect(await project.sessions.read(id)).toBeUndefined();
    });
  });

  it("keeps others from rolling back under its owner, except files", async () => {
    await withProject(async (project, root) => {
      const { id } = await startSession(project, START);
      const { checkpoint } = await createCheckpoint(project, { trigger: "pre_phase", step: 1 });
      const { owned } = await acquireSession(project, id, { purpose: "run" });
      await progressed(owned, 2);
      await writeFile(join(root, "later.txt"), "later\n");
      const stranger: Project = {
        ...project,
        liveness: {
          own: () => ({ ...project.liveness.own(), pid: 1 }),
          lifeOf: () => "alive",
          isBelow: () => false,
        },
      };
      await expect(goTo(stranger, checkpoint)).rejects.toMatchObject({ code: "session_held" });
      // People name a session in the environment; only what the owner started is part of the run.
      await expect(goTo({ ...stranger, within: id }, checkpoint)).rejects.toMatchObject({
        code: "session_held",
      });
      const child = { ...stranger.liveness, isBelow: () => true };
      await goTo({ ...stranger, within: id, liveness: child }, checkpoint);
      expect(await documentOf(project, id)).toMatchObject({ workflow: at(2), status: "active" });
    });
  });
});
