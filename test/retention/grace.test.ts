/** What happens as time passes: ages, grace times, size, sessions that end. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cleanUp, planCleanup, type CleanupPlan } from "../../src/operations/clean-up.ts";
import { createCheckpoint, type CreateRequest } from "../../src/operations/create-checkpoint.ts";
import { deleteCheckpoints, planDeletion } from "../../src/operations/delete-checkpoints.ts";
import type { Project } from "../../src/operations/project.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { sessionState } from "../../src/operations/session-state.ts";
import { viewSessions } from "../../src/operations/session-view.ts";
import { listDeleted, undeleteCheckpoints } from "../../src/operations/undelete-checkpoints.ts";
import { updateSession } from "../../src/operations/update-session.ts";
import { deleteObject } from "../support/damage.ts";
import { DAY, HOUR, type TimedProject, withTimedProject } from "./project.ts";

const BY_RULES = { limits: {}, now: false };
const yes = (): Promise<boolean> => Promise.resolve(true);

async function take({ project, wait }: TimedProject, request: CreateRequest = {}): Promise<string> {
  const result = await createCheckpoint(project, { trigger: "auto", force: true, ...request });
  wait(1000);
  return result.checkpoint.id;
}

async function clean(project: Project): Promise<CleanupPlan> {
  const done = await cleanUp(project, BY_RULES, yes);
  if (done === undefined) throw new Error("it was not done");
  return done;
}

const ids = (explained: readonly { readonly id: string }[]): string[] =>
  explained.map(({ id }) => id);

const listed = async (project: Project): Promise<string[]> => ids(await project.checkpoints.list());

describe("the two phases of a removal", () => {
  it("[R38] can be taken back until the grace time is over, and not after", async () => {
    await withTimedProject({ maxAge: DAY, grace: DAY }, async (timed) => {
      const { project, wait } = timed;
      const old = await take(timed, { reason: "old" });
      const [before] = await project.checkpoints.list();
      wait(2 * DAY);
      const last = await take(timed);
      expect((await clean(project)).removed).toEqual([{ id: old, reason: "older than 1 day" }]);
      expect(await listed(project)).toEqual([last]);

      wait(DAY - 2000);
      expect((await clean(project)).purged).toEqual([]);
      expect(await undeleteCheckpoints(project, [old], null)).toEqual([old]);
      expect(await project.checkpoints.list()).toContainEqual(before);

      expect(ids((await clean(project)).removed)).toEqual([old]);
      wait(DAY);
      const { purged } = await clean(project);
      expect(ids(purged)).toEqual([old]);
      expect(purged[0]?.reason).toContain("its grace time ended");
      await expect(undeleteCheckpoints(project, [old], null)).rejects.toMatchObject({
        code: "checkpoint_not_found",
      });
      const session = await project.sessions.read("worktree-main");
      expect(session?.document.trash).toEqual({});
      expect(session?.document.events?.map(({ kind }) => kind)).toEqual([
        "cleanup",
        "undelete",
        "cleanup",
        "cleanup",
      ]);
    });
  });

  it("keeps what was deleted for ever when no grace time is set", async () => {
    await withTimedProject({ grace: null }, async (timed) => {
      const { project, wait } = timed;
      const id = await take(timed);
      await take(timed);
      const view = await viewSessions(project, undefined);
      const stored = view.stored.filter((one) => one.id === id);
      const plan = await planDeletion(project, view, stored, false);
      const done = await deleteCheckpoints(project, plan, { reason: "why", now: false });
      expect(done).toEqual({ deleted: [id], goneForGood: [], restorableUntil: null });
      wait(1000 * DAY);
      expect((await clean(project)).purged).toEqual([]);
      expect(await listDeleted(project)).toMatchObject([{ id, why: "why", until: null }]);
    });
  });

  it("gives what a killed process left in the trash a whole grace time", async () => {
    await withTimedProject({ grace: DAY }, async (timed) => {
      const { project, wait } = timed;
      const id = await take(timed);
      await take(timed);
      await project.checkpoints.trash([id]);
      wait(10 * DAY);
      expect((await clean(project)).purged).toEqual([]);
      expect(await listDeleted(project)).toMatchObject([{ id, deletedAt: expect.any(String) }]);
      wait(DAY);
      expect(ids((await clean(project)).purged)).toEqual([id]);
    });
  });

  it("[R38] takes the ref out of the trash and not a checkpoint that plain git brought back", async () => {
    await withTimedProject({ grace: DAY, maxAge: null }, async (timed) => {
      const { project, repo, wait } = timed;
      const id = await take(timed);
      await take(timed);
      await project.checkpoints.trash([id]);
      await clean(project);
      await repo.store("update-ref", `refs/waymark/cp/${id}`, `refs/waymark/trash/${id}`);
      expect(await listed(project)).toContain(id);
      const cleaned = await clean(project);
      expect(cleaned).toMatchObject({ purged: [], returned: [id] });
      expect(await listed(project)).toContain(id);
      expect(await listDeleted(project)).toEqual([]);
      expect((await project.sessions.read("worktree-main"))?.document.trash).toEqual({});
      // A new deletion that is killed has its whole grace time.
      await project.checkpoints.trash([id]);
      wait(2 * DAY);
      expect(await clean(project)).toMatchObject({ purged: [], unrecorded: [id] });
    });
  });

  it.each(["", "no ref\n", `${"0".repeat(40)}\n`])(
    "leaves one whose ref in the list is damaged in the trash, with its record: %j",
    async (broken) => {
      await withTimedProject({ grace: DAY, maxAge: null }, async (timed) => {
        const { project, repo, wait } = timed;
        const id = await take(timed);
        await take(timed);
        await project.checkpoints.trash([id]);
        await clean(project);
        const records = async () =>
          (await project.sessions.read("worktree-main"))?.document.trash ?? {};
        const before = await records();
        expect(Object.keys(before)).toEqual([id]);
        writeFileSync(repo.storePath(`refs/waymark/cp/${id}`), broken);
        wait(2 * DAY);
        const tip = () => repo.store("rev-parse", "refs/waymark/session/worktree-main");
        const journal = await tip();
        for (const now of [false, true, false]) {
          const done = await cleanUp(project, { limits: {}, now }, yes);
          expect(done).toMatchObject({ purged: [], returned: [], unrecorded: [] });
          expect(await records()).toEqual(before);
        }
        expect(await tip()).toBe(journal);
        expect(ids(await listDeleted(project))).toEqual([id]);
      });
    },
  );

  it("[R38] keeps copied files, and what may be done with them, of a checkpoint that is in the list as well", async () => {
    await withTimedProject({ grace: DAY, maxAge: null }, async (timed) => {
      const { project, repo, wait } = timed;
      await repo.write("kept.log", "kept\n");
      const id = await take(timed, { scope: ["kept.log"] });
      await take(timed);
      const half = () => repo.storeRefs("--format=%(refname)", `refs/waymark/local/${id}`);
      expect(await half()).toContain(id);
      await project.checkpoints.trash([id]);
      await clean(project);
      wait(2 * DAY);
      const [planned] = await listDeleted(project);
      await repo.store("update-ref", `refs/waymark/cp/${id}`, `refs/waymark/trash/${id}`);
      // As a cleanup does that was planned before.
      expect(await project.checkpoints.purge([id])).toEqual([]);
      await repo.store("update-ref", `refs/waymark/trash/${id}`, `refs/waymark/cp/${id}`);
      expect(ids((await cleanUp(project, { limits: {}, now: true }, yes))?.purged ?? [])).toEqual(
        [],
      );
      expect(await half()).toContain(id);
      expect(await listDeleted(project)).toEqual([]);
      const stored = planned?.stored;
      if (stored?.kind !== "ok") throw new Error("it was not in the trash");
      expect(project.checkpoints.isMadeHere(stored.document)).toBe(true);
    });
  });

  it("gives a record whose time is none a new grace time", async () => {
    await withTimedProject({ grace: DAY }, async (timed) => {
      const { project } = timed;
      const id = await take(timed);
      await take(timed);
      await project.checkpoints.trash([id]);
      const odd = { at: "some day", by: null, why: "odd" };
      await updateSession(project, "worktree-main", "odd", (session) => ({
        ...session,
        trash: { [id]: odd },
      }));
      expect((await clean(project)).purged).toEqual([]);
      expect(await listDeleted(project)).toMatchObject([{ id, until: expect.any(String) }]);
    });
  });

  it("does not go faster when the clock was ahead for a while", async () => {
    await withTimedProject({ grace: DAY }, async (timed) => {
      const { project, wait } = timed;
      const id = await take(timed);
      await take(timed);
      wait(100 * DAY);
      await clean(project);
      await project.checkpoints.trash([id]);
      await clean(project);
      wait(-100 * DAY);
      expect((await clean(project)).purged).toEqual([]);
    });
  });
});

describe("what a cleanup takes", () => {
  it("[R39] is what a dry run listed right before", async () => {
    await withTimedProject({ maxPerTask: 2 }, async (timed) => {
      const { project, repo } = timed;
      for (let at = 0; at < 5; at++) await take(timed, { taskId: "task-1", trigger: "tool_use" });
      const refs = await repo.allRefs();
      const plan = await planCleanup(project, BY_RULES);
      expect(await repo.allRefs()).toBe(refs);
      expect(plan.removed).toHaveLength(3);
      const done = await clean(project);
      expect([done.removed, done.purged, done.kept]).toEqual([
        plan.removed,
        plan.purged,
        plan.kept,
      ]);
      expect(await listed(project)).toHaveLength(2);
      expect((await clean(project)).removed).toEqual([]);
    });
  });

  it("is as much as brings the size below the limit, and it says how much that is", async () => {
    await withTimedProject({ maxSizeMb: 1 }, async (timed) => {
      const { project, repo } = timed;
      const taken: string[] = [];
      for (let at = 0; at < 4; at++) {
        await repo.write("large.bin", randomBytes(400_000));
        taken.push(await take(timed));
      }
      const done = await clean(project);
      expect(ids(done.removed)).toEqual([taken[1], taken[0]]);
      expect(done.removed[0]?.reason).toContain("more than 1 MB");
      expect(done.bytesTotal ?? 0).toBeGreaterThan(1_600_000);
      expect(done.freedBytes ?? 0).toBeGreaterThan(800_000);
      expect(done.freedBytes ?? 0).toBeLessThan(900_000);
      expect((await clean(project)).removed).toEqual([]);
    });
  });

  it("frees what it says", async () => {
    await withTimedProject({ maxSizeMb: 0, grace: 0 }, async (timed) => {
      const { project, repo } = timed;
      await repo.write("large.bin", randomBytes(400_000));
      const id = await take(timed);
      await repo.remove("large.bin");
      await take(timed);
      expect(ids((await clean(project)).removed)).toEqual([id]);
      expect(ids((await clean(project)).purged)).toEqual([id]);
      const counts = await repo.store("count-objects", "-v");
      for (const [, kilobytes] of counts.matchAll(/^size(?:-pack)?: (\d+)$/gm)) {
        expect(Number(kilobytes)).toBeLessThan(100);
      }
    });
  });

  it("is what a session that succeeded needs no more, and nothing of one that runs", async () => {
    await withTimedProject({ onSuccess: "keep_milestones" }, async (timed) => {
      const { project } = timed;
      const milestone = await take(timed, { sessionId: "s", trigger: "pre_phase" });
      const step = await take(timed, { sessionId: "s" });
      const last = await take(timed, { sessionId: "s", trigger: "session_end" });
      expect((await clean(project)).removed).toEqual([]);
      await updateSession(project, "s", "done", (session) => ({ ...session, status: "completed" }));
      expect(ids((await clean(project)).removed)).toEqual([step]);
      expect((await listed(project)).sort()).toEqual([milestone, last].sort());
    });
  });

  it("[R37] is not the saved state of a session; `delete` asks for --force, and has the grace time then", async () => {
    await withTimedProject({ maxAge: DAY, grace: HOUR }, async (timed) => {
      const { project, wait } = timed;
      const save = (step: number): Promise<string> => {
        const documents = [{ name: "state", kind: "value", value: { step } } as const];
        return take(timed, { parts: [{ type: "state_snapshot", keys: null, documents }] });
      };
      const first = await save(1);
      const held = await save(2);
      wait(10 * DAY);
      await take(timed);
      expect(ids((await clean(project)).removed)).toEqual([first]);
      expect(await sessionState(project, "worktree-main", "state")).toEqual({ step: 2 });

      const view = await viewSessions(project, undefined);
      const stored = view.stored.filter(({ id }) => id === held);
      await expect(planDeletion(project, view, stored, false)).rejects.toMatchObject({
        code: "checkpoint_protected",
      });
      const plan = await planDeletion(project, view, stored, true);
      expect(plan.warnings).toEqual([`${held} contains the saved state of session worktree-main`]);
      await deleteCheckpoints(project, plan, { reason: null, now: false });
      wait(HOUR / 2);
      expect(ids((await clean(project)).purged)).toEqual([]);
      expect(await undeleteCheckpoints(project, [held], null)).toEqual([held]);
      expect(await sessionState(project, "worktree-main", "state")).toEqual({ step: 2 });

      await deleteCheckpoints(project, plan, { reason: null, now: false });
      wait(10 * DAY);
      expect(ids((await clean(project)).purged).toSorted()).toEqual([first, held].toSorted());
      const last = await save(3);
      await take(timed);
      const again = await viewSessions(project, undefined);
      const ofLast = again.stored.filter(({ id }) => id === last);
      const forced = await planDeletion(project, again, ofLast, true);
      await deleteCheckpoints(project, forced, { reason: null, now: false });
      const emptied = await cleanUp(project, { limits: {}, now: true }, yes);
      expect(ids(emptied?.purged ?? [])).toContain(last);
    });
  });

  it("[R37] is a part of a saved state that later ones have taken the place of, and `delete` takes it", async () => {
    await withTimedProject({ maxAge: DAY }, async (timed) => {
      const { project, wait } = timed;
      const save = (keys: string[] | null, value: object): Promise<string> => {
        const documents = [{ name: "state", kind: "value", value } as const];
        return take(timed, { parts: [{ type: "state_snapshot", keys, documents }] });
      };
      const whole = await save(null, { step: 0, other: true });
      const first = await save(["step"], { step: 1 });
      const second = await save(["step"], { step: 2 });
      const last = await save(["step"], { step: 3 });
      const view = await viewSessions(project, undefined);
      const planFor = (id: string) =>
        planDeletion(
          project,
          view,
          view.stored.filter((stored) => stored.id === id),
          false,
        );
      for (const id of [whole, last]) {
        await expect(planFor(id)).rejects.toMatchObject({ code: "checkpoint_protected" });
      }
      await deleteCheckpoints(project, await planFor(second), { reason: null, now: false });
      wait(10 * DAY);
      await take(timed);
      expect(ids((await clean(project)).removed)).toEqual([first]);
      expect(await sessionState(project, "worktree-main", "state")).toEqual({
        step: 3,
        other: true,
      });
    });
  });

  it("[R37] is nothing that undo or redo needs, however old", async () => {
    await withTimedProject({ maxAge: HOUR }, async (timed) => {
      const { project, repo, wait } = timed;
      const target = await take(timed);
      await repo.write("a.txt", "changed\n");
      const view = await viewSessions(project, undefined);
      const document = view.documents.find(({ id }) => id === target);
      if (document === undefined) throw new Error("it was just taken");
      const { safety } = await rollBack(project, {
        kind: "rollback",
        target: document,
        sessionId: view.sessionId,
        scope: { filesOnly: false, keepHead: false, paths: null },
        discardCommits: false,
        reason: null,
        confirmed: true,
        confirm: yes,
        id: "rb-test",
      });
      for (let at = 0; at < 3; at++) await take(timed);
      wait(DAY);
      await take(timed);
      expect(await clean(project)).toMatchObject({ removed: { length: 3 } });
      expect(await listed(project)).toEqual(expect.arrayContaining([target, safety.id]));
    });
  });
});

describe("a cleanup in a damaged repository", () => {
  it("takes no safety checkpoint when git cannot tell which commits it holds, and says that the size is not known", async () => {
    await withTimedProject({ maxAge: HOUR }, async (timed) => {
      const { project, repo, wait } = timed;
      await take(timed);
      const dropped = await repo.commit("dropped");
      const safety = await take(timed, { trigger: "pre_rollback" });
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await take(timed, { trigger: "pre_rollback" });
      const old = await take(timed);
      wait(DAY);
      await take(timed);
      await deleteObject(repo, dropped);
      const done = await clean(project);
      expect(ids(done.removed)).toContain(old);
      expect(await listed(project)).toContain(safety);
      expect([done.bytesTotal, done.freedBytes]).toEqual([null, null]);
    });
  });
});

describe("the number of a deleted checkpoint", () => {
  it("is not given again: it may be brought back", async () => {
    await withTimedProject({}, async (timed) => {
      const { project } = timed;
      await take(timed);
      const deleted = await take(timed);
      await project.checkpoints.trash([deleted]);
      const next = await take(timed);
      await project.checkpoints.restore([deleted]);
      const view = await viewSessions(project, undefined);
      const seqs = new Map(view.documents.map(({ id, seq }) => [id, seq]));
      expect(seqs.get(next)).toBe((seqs.get(deleted) ?? 0) + 1);
    });
  });
});
