import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitLatestHint } from "./git-latest-hint.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

async function hintFile(text: string): Promise<GitLatestHint> {
  const { repository } = await openedRepository();
  mkdirSync(repository.privateDir, { recursive: true });
  writeFileSync(join(repository.privateDir, "latest.json"), text);
  return new GitLatestHint(repository);
}

describe("GitLatestHint", () => {
  it("remembers one checkpoint for each session, also for another process", async () => {
    const { repository } = await openedRepository();
    const hint = new GitLatestHint(repository);
    expect(hint.get("s")).toBeUndefined();
    hint.set("s", { id: "cp-a", seq: 1, epoch: null });
    hint.set("task/12", { id: "cp-b", seq: 7, epoch: null });
    hint.set("s", { id: "cp-c", seq: 2, epoch: null });
    const other = new GitLatestHint(repository);
    expect(other.get("s")).toEqual({ id: "cp-c", seq: 2, epoch: null });
    expect(other.get("task/12")).toEqual({ id: "cp-b", seq: 7, epoch: null });
    expect(other.get("none")).toBeUndefined();
  });

  it.each([
    "",
    "{",
    "\0\0\0",
    "[]",
    '"text"',
    "7",
    '{"s":null}',
    '{"s":{"id":1}}',
    '{"s":{"id":"cp-a","seq":1}}',
  ])("forgets everything when its file says %j", async (text) => {
    const hint = await hintFile(text);
    expect(hint.get("s")).toBeUndefined();
    hint.set("s", { id: "cp-a", seq: 1, epoch: null });
    expect(hint.get("s")).toEqual({ id: "cp-a", seq: 1, epoch: null });
  });

  it("forgets when it cannot be written: the next one lists them all", async () => {
    const { repository } = await openedRepository();
    const hint = new GitLatestHint(repository);
    mkdirSync(join(repository.privateDir, "latest.json"), { recursive: true });
    expect(() => hint.set("s", { id: "cp-a", seq: 1, epoch: null })).not.toThrow();
    expect(hint.get("s")).toBeUndefined();
  });

  // `create` then fails with a TypeError until the file is deleted.
  it("forgets everything when its file says null", async () => {
    expect((await hintFile("null")).get("s")).toBeUndefined();
  });
});
