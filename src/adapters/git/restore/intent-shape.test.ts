import { describe, expect, it } from "vitest";
import { isIntent } from "./intent-shape.ts";

const whole = {
  version: 1,
  rollback_id: "rb-20261116-121634-9b85",
  owner: { host: "here", boot: "b", pid: 1, started: "1" },
  since: "2026-11-16T12:16:34.000Z",
  phase: "applying",
  target_id: "cp-1",
  safety_id: "cp-2",
  lock: { dev: "1", ino: "2" },
  staging: "/project/.git/waymark/restore/rb-20261116-121634-9b85",
  steps: {
    files: [
      {
        area: "project",
        path: "dir/a",
        before: { type: "file", oid: "0", mode: 420 },
        target: null,
        number: 0,
      },
    ],
    modes: [{ path: "dir/b", before: 420, target: 493 }],
    folders: [{ area: "project", remove: [["dir", 493]], make: [], parents: ["other"] }],
  },
  head: {
    from: { branch: "refs/heads/main", commit: "1" },
    to: { branch: null, commit: "2" },
    move: { name: "refs/heads/main", from: "1", to: null },
  },
  refs: [],
  new_index: null,
  changes_index: true,
  safety_index: null,
};

const damaged: readonly [string, unknown][] = [
  ["nothing", null],
  ["a list", []],
  ["a later version", { ...whole, version: 2 }],
  ["an owner without a process", { ...whole, owner: { ...whole.owner, pid: "1" } }],
  ["a phase that there is not", { ...whole, phase: "done" }],
  ["steps that are none", { ...whole, steps: { ...whole.steps, files: [null] } }],
  [
    "a path that leads out of the project",
    { ...whole, steps: { ...whole.steps, modes: [{ path: "../a", before: 1, target: 2 }] } },
  ],
  ["a ref without a name", { ...whole, refs: [{ from: null, to: null }] }],
  ["a staging folder that is somebody else's", { ...whole, staging: "/home/user" }],
  [
    "a staging folder in the project that is none",
    { ...whole, staging: `src/restore/${whole.rollback_id}` },
  ],
  ["an id that is a path", { ...whole, rollback_id: "..", staging: "/restore/.." }],
];

describe("the record of a rollback", () => {
  it("is known as such, also one of an earlier version", () => {
    expect(isIntent(whole)).toBe(true);
    expect(isIntent({ ...whole, staging: `restore/${whole.rollback_id}` })).toBe(true);
    expect(isIntent({ ...whole, parts: [0], part_paths: ["a"] })).toBe(true);
  });

  it.each(damaged)("[R6] with %s is not acted on", (_what, record) => {
    expect(isIntent(record)).toBe(false);
  });
});
