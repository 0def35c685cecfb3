import { describe, expect, it } from "vitest";
import { decorationTip, gitAdvice, type GitSetting } from "./git-advice.ts";

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

  it.each<[string, GitSetting[]]>([
    ["of all remotes", [["fetch.prune", "true"]]],
    ["of this remote", [["remote.o.prune", "yes"]]],
  ])("finds a fetch that deletes checkpoints, prune %s", (_, prune) => {
    expect(advice(["remote.o.fetch", "+refs/*:refs/*"], ...prune)).toEqual([
      "problem git fetch o deletes every checkpoint (fetch = +refs/*:refs/*, prune)",
    ]);
  });

  it("warns of the same without prune, and where this remote's prune is off", () => {
    const fetch: GitSetting = ["remote.o.fetch", "+refs/*:refs/*"];
    expect(advice(fetch)[0]).toMatch(/^warning git fetch --prune o would/);
    expect(advice(fetch, ["fetch.prune", "true"], ["remote.o.prune", "false"])[0]).toMatch(
      /^warning/,
    );
  });

  it.each<[string, GitSetting]>([
    ["mirror = true", ["remote.my.backup.mirror", "true"]],
    ["push = +refs/*:refs/*", ["remote.my.backup.push", "+refs/*:refs/*"]],
    [
      "push = refs/waymark/*:refs/waymark/*",
      ["remote.my.backup.push", "refs/waymark/*:refs/waymark/*"],
    ],
  ])("finds a push that sends checkpoints: %s", (why, setting) => {
    expect(advice(setting)).toEqual([
      `warning git push my.backup sends the checkpoints too (${why})`,
    ]);
  });

  it.each<[GitSetting, string]>([
    [["gc.pruneexpire", "now"], "gc.pruneExpire is now"],
    [["core.fsmonitor", ".git/hooks/watchman"], "core.fsmonitor runs .git/hooks/watchman"],
    [["extensions.refstorage", "reftable"], "stored as reftable"],
  ])("warns of %j", (setting, expected) => {
    expect(advice(setting)[0]).toContain(expected);
  });
});

describe("decorationTip", () => {
  it("is given until it was taken", () => {
    expect(decorationTip([])).toContain("log.excludeDecoration");
    expect(decorationTip([["log.excludedecoration", "refs/waymark/"]])).toBeUndefined();
  });
});
