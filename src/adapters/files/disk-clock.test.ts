import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskClock } from "./disk-clock.ts";
import { freshnessOf } from "./file-stat.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

const HOUR_MS = 3_600_000;

describe("[R180] the disk's clock", () => {
  it("settles what is older than the coarsest grain when reading begins, and leaves no file behind", () => {
    const folder = tempFolder();
    const now = Date.now();
    const clock = new DiskClock(join(folder, "scratch"), folder, now);
    expect(clock.isSettled(now - 1999)).toBe(false);
    expect(clock.isSettled(now - 60_000)).toBe(true);
    expect(clock.isSettled(now + 60_000)).toBe(false);
    expect(readdirSync(join(folder, "scratch"))).toEqual([]);
  });

  it("asks the disk only for what may be settled", () => {
    const folder = tempFolder();
    const clock = new DiskClock(join(folder, "scratch"), folder);
    expect(clock.isSettled(Date.now())).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("waits an hour on a disk that it cannot ask", () => {
    const folder = tempFolder();
    const now = Date.now();
    const clock = new DiskClock(folder, "/proc", now);
    expect(clock.isSettled(now - HOUR_MS)).toBe(false);
    expect(clock.isSettled(now - HOUR_MS - 60_000)).toBe(true);
  });

  it("settles nothing where nothing can be written", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "a"));
    writeFileSync(join(folder, "a/file"), "");
    const clock = new DiskClock(join(folder, "a/file"), folder);
    expect(clock.isSettled(0)).toBe(false);
  });
});

describe("[R180] freshnessOf", () => {
  const NS = 1_000_000n;
  const at = (mtimeMs: number, ctimeMs: number, ns = 0n): Parameters<typeof freshnessOf>[0] =>
    ({ mtimeNs: BigInt(mtimeMs) * NS + ns, ctimeNs: BigInt(ctimeMs) * NS + ns }) as never;

  it.each([
    ["old", "fine stamps of 30 ms ago", at(970, 970, 1n), 1000],
    ["this_tick", "fine stamps of 10 ms ago", at(990, 990, 1n), 1000],
    ["this_tick", "an old time that was set just now", at(0, 990, 1n), 1000],
    ["this_tick", "a clock that is ahead", at(5000, 5000, 1n), 1000],
    ["this_coarse_tick", "whole seconds, 1.9 s ago", at(4000, 4000), 5900],
    ["old", "whole seconds, 2 s ago", at(4000, 4000), 6000],
    ["old", "a whole second that was set, 1 s ago", at(4000, 4000, 1n), 5000],
  ] as const)("is %s: %s", (expected, _what, stat, nowMs) => {
    expect(freshnessOf(stat, nowMs)).toBe(expected);
  });
});
