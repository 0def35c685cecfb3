/** Rollbacks of one work tree that are in the journals of several sessions. */
import { expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { rollbackId } from "../../src/operations/rollback-id.ts";
import { expectExit } from "../support/cli.ts";
import { withSeed } from "../spec/project.ts";

it("[R20] undo takes back the last rollback that is left, in whatever session it was; a new one clears redo in all", async () => {
  await withSeed(async (project) => {
    const { repo } = project;
    const target = await project.create();
    const rollBack = async (text: string, session: string): Promise<void> => {
      await repo.write("story.txt", text);
      await project.ok("--session", session, "rollback", target, "--yes");
    };
    const undone = async (): Promise<string> => {
      await project.ok("undo", "--yes");
      return (await repo.read("story.txt")).toString();
    };
    await project.ok("session", "start", "--type", "test", "--id", "one");
    await project.ok("session", "start", "--type", "test", "--id", "two");
    await rollBack("first", "one");
    await rollBack("second", "two");
    await rollBack("third", "one");
    expect([await undone(), await undone(), await undone()]).toEqual(["third", "second", "first"]);
    await rollBack("fourth", "two");
    expectExit(await project.run("redo", "--yes"), 3);
    expect(await undone()).toBe("fourth");
  });
});

const HOUR = 3_600_000;

/** A rollback while the clock is an hour behind what it was before. */
async function rollBackEarlier(root: string, targetId: string, sessionId: string): Promise<void> {
  const project = await openGitProject({ directory: root });
  try {
    const clock = { ...project.clock, now: () => new Date(Date.now() - HOUR) };
    const earlier = { ...project, clock };
    const stored = await project.checkpoints.read(targetId);
    if (stored?.kind !== "ok") throw new Error(`${targetId} is not there`);
    await rollBack(earlier, {
      kind: "rollback",
      target: stored.document,
      sessionId,
      scope: { filesOnly: false, keepHead: false, patterns: null, paths: null },
      discardCommits: false,
      reason: null,
      confirm: () => Promise.resolve(true),
      confirmed: true,
      id: rollbackId(earlier),
    });
  } finally {
    project.close();
  }
}

it("[R20] undo and redo go by the order of what was done, also when the clock was set back", async () => {
  await withSeed(async (project) => {
    const { repo } = project;
    const target = await project.create();
    await project.ok("session", "start", "--type", "test", "--id", "one");
    await project.ok("session", "start", "--type", "test", "--id", "two");
    await repo.write("story.txt", "first");
    await project.ok("--session", "one", "rollback", target, "--yes");
    await repo.write("story.txt", "second");
    await rollBackEarlier(repo.root, target, "two");
    await project.ok("undo", "--yes");
    expect((await repo.read("story.txt")).toString()).toBe("second");
    await project.ok("undo", "--yes");
    expect((await repo.read("story.txt")).toString()).toBe("first");
    await repo.write("story.txt", "third");
    await rollBackEarlier(repo.root, target, "two");
    expectExit(await project.run("redo", "--yes"), 3);
    await project.ok("undo", "--yes");
    expect((await repo.read("story.txt")).toString()).toBe("third");
  });
});
