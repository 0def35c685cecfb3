/** Sessions as programs open them, on real git. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createCheckpoint,
  listCheckpoints,
  openProject,
  openSession,
  type AskedOfSession,
  type OpenSession,
  type OpenSessionOptions,
} from "../../src/index.ts";
import { askOwner } from "../../src/operations/session-request.ts";
import { holdElsewhere, holdSession, loseOwner } from "../sessions/hold.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const START = { type: "implement", projectName: "shop" };

interface Scene {
  readonly root: string;
  readonly rules: RuleProject;
  readonly open: (options?: OpenSessionOptions) => Promise<OpenSession>;
}

/** Releases what a test left open. */
async function withScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  await withSeed(async (rules) => {
    const { root } = rules.repo;
    const opened: OpenSession[] = [];
    const open = async (options: OpenSessionOptions = {}): Promise<OpenSession> => {
      const session = await openSession({ directory: root, ...options });
      opened.push(session);
      return session;
    };
    try {
      await work({ root, rules, open });
    } finally {
      for (const session of opened) await session.release();
    }
  });
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe("openSession", () => {
  it("begins a session, and the next one goes on with what is left of it", async () => {
    await withScene(async ({ root, open }) => {
      const first = await open({ ...START, description: "log in", task: "task-1", issue: 7 });
      expect(first.isNew).toBe(true);
      expect(first.id).toMatch(/^implement_shop_\d{8}_\d{6}$/);
      expect(first.document).toMatchObject({
        description: "log in",
        task_id: "task-1",
        issue_number: 7,
        lease: { purpose: "library" },
      });
      await first.phase("plan", {}, () => writeFile(join(root, "plan.md"), "plan\n"));
      await first.save({ state: { step: 1 }, outputs: { plan: "plan.md" } });
      await first.release();
      const second = await open();
      expect(second.isNew).toBe(false);
      expect(second.id).toBe(first.id);
      expect([second.isCompleted("plan"), second.isCompleted("implement")]).toEqual([true, false]);
      expect(await second.state()).toEqual({ step: 1 });
      expect(await second.describe()).toMatchObject({ outputs: { plan: "plan.md" } });
      const { checkpoint } = await second.checkpoint({ reason: "planned" });
      expect(checkpoint).toMatchObject({
        session_id: first.id,
        phase: "plan",
        task_id: "task-1",
        issue_number: 7,
      });
    });
  });

  it("with an id and a type goes on with that session, or begins it", async () => {
    await withScene(async ({ open }) => {
      const first = await open({ ...START, id: "nightly" });
      await first.pause({ reason: "for the night" });
      await first.release();
      const second = await open({ ...START, id: "nightly" });
      expect([first.isNew, second.isNew]).toEqual([true, false]);
      expect(second.document.status).toBe("active");
      await second.complete();
      await second.release();
      await expect(open({ ...START, id: "nightly" })).rejects.toMatchObject({
        code: "session_status",
      });
      await expect(open({ id: "night" })).rejects.toMatchObject({ code: "session_status" });
      await expect(open({ ...START, id: " " })).rejects.toMatchObject({ code: "usage" });
      await expect(open({ id: "weekly" })).rejects.toMatchObject({ code: "session_not_found" });
    });
  });

  it("robs no live owner, and takes over from one that is gone", async () => {
    await withScene(async ({ open }) => {
      const { id } = await open(START);
      await expect(open({ id })).rejects.toMatchObject({ code: "session_held" });
    });
    await withScene(async ({ root, open }) => {
      const session = await open(START);
      await session.phase("plan", {}, () => undefined);
      await session.save({ phase: "implement", step: 5 });
      await session.release();
      await loseOwner(root, session.id);
      const again = await open({ id: session.id });
      expect(await again.describe()).toMatchObject({
        phases: [
          { name: "plan", status: "completed" },
          { name: "implement", status: "pending", error: "its process ended while it ran" },
        ],
      });
      await again.release();
      await holdElsewhere(root, session.id);
      const refused = await open({ id: session.id }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "session_held" });
      const { lease } = (refused as { details: { lease: { token: number } } }).details;
      await open({ id: session.id, takeOver: lease.token });
    });
  });

  it("says when the session is lost, and writes nothing more", async () => {
    await withScene(async ({ root, open }) => {
      const lost: Error[] = [];
      const session = await open({
        ...START,
        onRequest: () => undefined,
        onLost: (error) => lost.push(error),
      });
      const project = await openProject({ directory: root });
      const liveness = {
        own: () => project.liveness.own(),
        lifeOf: () => "dead" as const,
        isBelow: () => false,
      };
      const thief = { ...project, liveness };
      const other = await openSession({ project: thief, id: session.id });
      await expect(session.save({ state: 1 })).rejects.toMatchObject({ code: "lease_lost" });
      await until(() => session.signal.aborted);
      expect(lost).toMatchObject([{ code: "lease_lost" }]);
      await expect(session.checkpoint()).rejects.toMatchObject({ code: "lease_lost" });
      await session.release();
      await other.save({ state: 2 });
      expect(await other.state()).toBe(2);
      await other.release();
      project.close();
    });
  });

  it("is told what other terminals ask, each once", async () => {
    await withScene(async ({ root, rules, open }) => {
      const asked: AskedOfSession[] = [];
      const session = await open({ ...START, onRequest: (request) => asked.push(request) });
      const project = await openProject({ directory: root });
      await askOwner(project, session.id, "*skip-to:3");
      await until(() => asked.length > 0);
      await askOwner(project, session.id, "*dance");
      await until(() => asked.length > 1);
      project.close();
      expect(asked).toMatchObject([
        { command: "*skip-to:3", control: { kind: "skip_to", step: 3 } },
        { command: "*dance", control: undefined },
      ]);
      await session.pause();
      await session.release();
      const { json } = await rules.ok("session", "show", session.id);
      expect(json).toMatchObject({ session: { status: "paused", requests: [] } });
    });
  });

  it("rolls back files and progress, and goes on from there", async () => {
    await withScene(async ({ root, open }) => {
      const session = await open(START);
      await session.save({ state: { good: true } });
      const { checkpoint } = await session.checkpoint({ force: true });
      await session.phase("implement", {}, () => writeFile(join(root, "a.txt"), "worse\n"));
      await session.save({ state: { good: false } });
      const { becameInvalid, safety } = await session.rollBack(checkpoint.id, {
        reason: "it got worse",
      });
      expect(becameInvalid).toHaveLength(2);
      expect(safety.session_id).toBe(session.id);
      expect(await session.state()).toEqual({ good: true });
      expect(session.isCompleted("implement")).toBe(false);
      expect(await readFile(join(root, "a.txt"), "utf8")).not.toBe("worse\n");
      await session.phase("implement", {}, () => undefined);
      expect(await session.describe()).toMatchObject({
        status: "active",
        rollback_history: [{ kind: "rollback", reason: "it got worse" }],
      });
    });
  });

  it("ends failed with the error, and can be opened again", async () => {
    await withScene(async ({ open }) => {
      const session = await open(START);
      const thrown = new Error("no luck");
      const failed = session.phase("implement", {}, () => {
        throw thrown;
      });
      await expect(failed).rejects.toMatchObject({ code: "phase_failed", cause: thrown });
      const { session: ended, checkpointId } = await session.fail(thrown);
      expect(ended).toMatchObject({ status: "failed", last_error: { message: "no luck" } });
      expect(checkpointId).toMatch(/^cp-/);
      await expect(session.save({ state: 1 })).rejects.toMatchObject({ code: "session_status" });
      await session.release();
      await session.release();
      const again = await open({ id: session.id });
      expect(again.document).toMatchObject({ status: "active" });
      expect(again.document.ended_at).toBeUndefined();
    });
  });

  it("stays open when it could not be ended", async () => {
    await withScene(async ({ root, rules, open }) => {
      const session = await open(START);
      const lock = rules.repo.storePath(`refs/waymark/session/${session.id}.lock`);
      await rules.repo.folder(".git/waymark/store/refs/waymark/session");
      await writeFile(lock, "");
      await expect(session.complete({ checkpoint: false })).rejects.toMatchObject({
        code: "repository_busy",
      });
      await rules.repo.remove(lock.replace(`${root}/`, ""));
      await session.save({ state: "still here" });
      await session.complete();
      expect(await session.describe()).toMatchObject({ status: "completed", state: "still here" });
    });
  });

  it("runs one session at a time in a work tree, and keeps a project that is not its own open", async () => {
    await withScene(async ({ root, open }) => {
      const project = await openProject({ directory: root });
      const first = await open({ project, ...START });
      await first.release();
      await createCheckpoint(project, { force: true });
      expect((await listCheckpoints(project, {})).sessionId).toBe(first.id);
      await holdSession(root, first.id);
      const stranger = {
        ...project,
        liveness: {
          own: () => ({ ...project.liveness.own(), pid: 1 }),
          lifeOf: () => "alive" as const,
          isBelow: () => false,
        },
      };
      await expect(openSession({ project: stranger, type: "other" })).rejects.toMatchObject({
        code: "session_held",
      });
      project.close();
    });
  });
});
