import { describe, expect, it } from "vitest";
import { progressReader, withoutProgress } from "./git-progress.ts";

const SAID = [
  "Enumerating objects: 7, done.",
  "Counting objects:  14% (1/7)\rCounting objects: 100% (7/7)\rCounting objects: 100% (7/7), done.",
  "fatal: something is wrong",
  "Resolving deltas: 100% (2/2), done.",
].join("\n");

describe("git's progress", () => {
  it("counts each kind of step once, however often it is said", () => {
    let items = 0;
    const read = progressReader((more) => (items += more));
    read(SAID.slice(0, 60));
    read(SAID.slice(60));
    expect(items).toBe(7 + 7 + 2);
  });

  it("is told from what else git says", () => {
    expect(withoutProgress(SAID)).toBe("fatal: something is wrong");
  });
});
