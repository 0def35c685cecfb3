import { describe, expect, it } from "vitest";
import { bucketOf, takeApart } from "../../scripts/bench/profile-buckets.mjs";

/** The innermost first: `name@url`. */
const stack = (...frames: string[]) =>
  frames.map((frame) => {
    const [functionName = "", url = ""] = frame.split("@");
    return { functionName, url };
  });

describe("kinds of work in a profile", () => {
  it.each([
    [["(idle)"], "waiting for git, or for the disk in the background"],
    [["require@node:internal/modules", "main@node:internal/main/run"], "node's own start"],
    [
      ["planTracked@file:///dist/a.cjs", "runMicrotasks", "tick@node:internal/process"],
      "our own code",
    ],
    [
      ["spawn", "spawn@node:internal/child_process", "startGit@file:///dist/a.cjs"],
      "starting git processes",
    ],
    [
      ["lstat", "lstatSync@node:fs", "look@file:///dist/a.cjs"],
      "looking at, reading and writing files",
    ],
    [["fsync", "fsyncSync@node:fs", "look@file:///dist/a.cjs"], "waiting for the disk (`fsync`)"],
    [["Script@node:vm", "compile@file:///dist/load-code.cjs"], "loading our code"],
    [
      ["onStreamRead@node:internal/stream_base_commons"],
      "node around it: streams, events, promises",
    ],
  ])("%s", (frames, bucket) => {
    expect(bucketOf(stack(...frames))).toBe(bucket);
  });

  it("counts each sample for one of them", () => {
    const frame = (id: number, functionName: string, url: string, children: number[] = []) => ({
      id,
      callFrame: { functionName, url },
      children,
    });
    const { buckets, functions } = takeApart({
      nodes: [
        frame(1, "(root)", "", [2, 3]),
        frame(2, "(idle)", ""),
        frame(3, "plan", "file:///a"),
      ],
      samples: [2, 3, 3],
      timeDeltas: [0, 1000, 2000, 4000],
      startTime: 0,
      endTime: 7000,
    });
    expect(buckets.get("waiting for git, or for the disk in the background")).toBe(1);
    expect(buckets.get("our own code")).toBe(6);
    expect([...functions]).toEqual([["plan", 6]]);
  });
});
