import { describe, expect, it } from "vitest";
import { gitAdvice, type GitSetting } from "./git-advice.ts";

const advice = (...settings: GitSetting[]): string[] =>
  gitAdvice(settings).map(({ status, message }) => `${status} ${message}`);

describe("gitAdvice", () => {
  it("has nothing to say about an ordinary clone", () => {
    expect(
      advice(
        ["core.bare", "false"],
        ["remote.origin.url", "x"],
        ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ["remote.origin.push", "refs/heads/main:refs/heads/main"],
        ["fetch.prune", "true"],
        ["core.fsmonitor", "true"],
        ["gc.pruneexpire", "2.weeks.ago"],
      ),
    ).toEqual([]);
  });

  it.each<[GitSetting, string]>([[["extensions.refstorage", "reftable"], "stored as reftable"]])(
    "warns of %j",
    (setting, expected) => {
      expect(advice(setting)[0]).toContain(expected);
    },
  );
});
