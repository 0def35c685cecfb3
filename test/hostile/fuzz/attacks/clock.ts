/** A clock that jumps changes neither the order nor what is kept: cleanup takes by age what is old by its own time, and never what is protected. */
import { openGitProject } from "../../../../src/app.ts";
import type { Trigger } from "../../../../src/domain/checkpoint.ts";
import {
  cleanUp,
  type CleanupRequest,
  type Explained,
  planCleanup,
} from "../../../../src/operations/clean-up.ts";
import { createCheckpoint } from "../../../../src/operations/create-checkpoint.ts";
import { findStored } from "../../../../src/operations/find-checkpoint.ts";
import type { Project } from "../../../../src/operations/project.ts";
import { viewSessions } from "../../../../src/operations/session-view.ts";
import { undeleteCheckpoints } from "../../../../src/operations/undelete-checkpoints.ts";
import type { Attack, Prepared } from "../attack.ts";
import { type Dice } from "../dice.ts";
import { type FuzzScene } from "../scene.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const GRACE = DAY;
const AGES: readonly number[] = [HOUR, DAY, 30 * DAY, YEAR, 5 * YEAR];

interface Made {
  readonly at: number;
  readonly trigger: Trigger;
}

/** In the order of their making, whatever their times are. */
interface Known {
  readonly live: Map<string, Made>;
  /** With the time of their removal. */
  readonly trash: Map<string, Made & { readonly removedAt: number }>;
  /** Pinned, or needed by undo. */
  readonly guarded: ReadonlySet<string>;
}

export const clock: Attack = {
  id: "clock",
  what: "checkpoints and cleanups (--keep, --older-than, max_age) while the clock jumps by up to ten years in both directions",
  weight: 8,
  async prepare(scene): Promise<Prepared> {
    const known = await knownAtFirst(scene);
    const counts = { cleanups: 0, removed: 0, purged: 0, broughtBack: 0 };
    return {
      async attempt(dice, number) {
        const age = dice.one(AGES);
        const opened = await openGitProject({ directory: scene.repo.root });
        try {
          const now = Date.now() + jump(dice, age);
          const project = withClock(opened, now, age);
          await scene.repo.write("a.txt", `at another time ${number}\n`);
          const wrong = await takeOne(project, known, now);
          if (number % 2 === 0) return wrong;
          const how = dice.one(["keep", "older", "max_age"] as const);
          const request: CleanupRequest = { limits: limitsOf(how, age), now: false };
          const goes = expectedToGo(known, how, age, now);
          const due = [...known.trash].filter(([, { removedAt }]) => removedAt + GRACE <= now);
          const done = await cleanedUp(project, request);
          counts.cleanups += 1;
          counts.removed += goes.length;
          counts.purged += due.length;
          const purged = due.map(([id]) => id);
          wrong.push(
            ...unlike(`${how}: planned`, done.planned, goes),
            ...unlike(`${how}: removed`, done.removed, goes),
            ...unlike(`${how}: gone for good`, done.purged, purged),
          );
          for (const id of purged) known.trash.delete(id);
          for (const id of goes) {
            const made = known.live.get(id);
            if (made !== undefined) known.trash.set(id, { ...made, removedAt: now });
            known.live.delete(id);
          }
          counts.broughtBack += await bringOneBack(project, known, dice);
          const left = (await project.checkpoints.list()).map(({ id }) => id);
          return [...wrong, ...unlike(`${how}: left`, left, [...known.live.keys()])];
        } finally {
          opened.close();
        }
      },
      detail: () =>
        `${counts.cleanups} cleanups: ${counts.removed} removed, ${counts.broughtBack} of them brought back, ${counts.purged} gone for good`,
    };
  },
};

/** By years, or by about as much as the age that is asked for. */
function jump(dice: Dice, age: number): number {
  const share = (dice.below(2000) - 1000) / 1000;
  return Math.round(share * (dice.below(2) === 0 ? 10 * YEAR : 2 * age));
}

/** Every trigger but those of which all are kept goes by its age alone. */
function withClock(opened: Project, now: number, maxAge: number): Project {
  const { retention } = opened.config;
  const counts = { ...retention.counts, auto: 1_000_000 };
  return {
    ...opened,
    clock: { ...opened.clock, now: () => new Date(now) },
    config: { ...opened.config, retention: { ...retention, counts, maxAge, grace: GRACE } },
  };
}

/** One is pinned, and one is what undo leads back to. */
async function knownAtFirst(scene: FuzzScene): Promise<Known> {
  await scene.run("pin", scene.ids[0]);
  await scene.run("rollback", scene.ids[0], "--yes");
  const project = await openGitProject({ directory: scene.repo.root });
  try {
    const { documents } = await viewSessions(project, undefined);
    const inOrder = documents.toSorted((one, other) => one.seq - other.seq);
    const safety = documents.filter(({ trigger }) => trigger === "pre_rollback");
    if (safety.length === 0) throw new Error("the rollback left no safety checkpoint");
    return {
      live: new Map(
        inOrder.map(({ id, created_at, trigger }) => [id, { at: Date.parse(created_at), trigger }]),
      ),
      trash: new Map(),
      guarded: new Set([scene.ids[0], ...safety.map(({ id }) => id)]),
    };
  } finally {
    project.close();
  }
}

async function takeOne(project: Project, { live }: Known, now: number): Promise<string[]> {
  const { checkpoint } = await createCheckpoint(project, { trigger: "auto", force: true });
  live.set(checkpoint.id, { at: now, trigger: "auto" });
  const view = await viewSessions(project, undefined);
  const latest = findStored(project, view, "latest").id;
  return latest === checkpoint.id ? [] : [`latest is ${latest}, not the newest`];
}

type How = "keep" | "older" | "max_age";

function limitsOf(how: How, age: number): CleanupRequest["limits"] {
  switch (how) {
    case "keep":
      return { keep: 2 };
    case "older":
      return { olderThanMs: age };
    case "max_age":
      return {};
  }
}

/** The newest is the one that was made last, and not the one with the latest time. */
function expectedToGo({ live, guarded }: Known, how: How, age: number, now: number): string[] {
  const own = [...live].filter(([, { trigger }]) => trigger !== "pre_rollback");
  const newest = own.at(-1)?.[0];
  const kept = new Set(own.slice(-2).map(([id]) => id));
  return [...live]
    .filter(([id]) => !guarded.has(id) && id !== newest)
    .filter(([id, { at, trigger }]) => {
      if (how === "keep") return !kept.has(id);
      return now - at > age && (how === "older" || trigger === "auto");
    })
    .map(([id]) => id);
}

async function cleanedUp(
  project: Project,
  request: CleanupRequest,
): Promise<Record<"planned" | "removed" | "purged", string[]>> {
  const ids = (list: readonly Explained[]): string[] => list.map(({ id }) => id);
  const plan = await planCleanup(project, request);
  const done = await cleanUp(project, request, () => Promise.resolve(true));
  if (done === undefined) throw new Error("it was not done");
  return { planned: ids(plan.removed), removed: ids(done.removed), purged: ids(done.purged) };
}

/** What is in the trash can be brought back until its time is over. It has its old place among the others. */
async function bringOneBack(project: Project, known: Known, dice: Dice): Promise<number> {
  if (known.trash.size === 0 || dice.below(2) === 0) return 0;
  const [id, { at, trigger }] = dice.one([...known.trash]);
  await undeleteCheckpoints(project, [id], null);
  known.trash.delete(id);
  const after = [...known.live];
  known.live.clear();
  // What was removed is never the newest: it comes before those that stayed, and its place among older ones decides nothing.
  known.live.set(id, { at, trigger });
  for (const [other, made] of after) known.live.set(other, made);
  return 1;
}

function unlike(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const [has, should] = [new Set(found), new Set(expected)];
  return [
    ...found.filter((id) => !should.has(id)).map((id) => `${what}: ${id}, which should not be`),
    ...expected.filter((id) => !has.has(id)).map((id) => `${what}: not ${id}`),
  ];
}
