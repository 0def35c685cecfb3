import { describe, expect, it } from "vitest";
import type { Progress } from "../../ports/progress.ts";
import { gitProgress, withoutProgress } from "./git-progress.ts";

const SAID = [
  "Enumerating objects: 7, done.",
  "Counting objects:  14% (1/7)\rCounting objects: 100% (7/7)\rCounting objects: 100% (7/7), done.",
  "fatal: something is wrong",
  "Resolving deltas: 100% (2/2), done.",
].join("\n");

describe("git's progress", () => {
  it("is a phase for each kind of step, which reaches its own total, however often git says it", () => {
    const phases: string[] = [];
    const progress: Progress = {
      begin: (label, total) => {
        let done = 0;
        return {
          advance: (items) => (done += items),
          end: () => phases.push(`${label} ${done}/${total?.items ?? "?"}`),
        };
      },
    };
    const git = gitProgress(progress);
    git.read(SAID.slice(0, 60));
    git.read(SAID.slice(60));
    git.end();
    expect(phases).toEqual(["counting objects 7/7", "resolving deltas 2/2"]);
  });

  it("is told from what else git says", () => {
    expect(withoutProgress(SAID)).toBe("fatal: something is wrong");
  });
});
