/** Rollbacks of one work tree that are in the journals of several sessions. */
import { expect, it } from "vitest";
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
