import { describe, expect, it } from "vitest";
import { filesRevision, isLocalEntry, revisionOf, withheldExclusions } from "./local-half.ts";

describe("the local half of a checkpoint", () => {
  it.each([
    ["files/manifest.json", false],
    ["files/project/a", true],
    ["files/project/manifest.json", true],
    ["files/outside/etc/hosts", true],
    ["database/1/manifest.json", false],
    ["database/1/dump", true],
    ["database/12/objects", true],
    ["state.json", false],
    ["workflow.json", false],
  ])("has what must not leave the machine: %s %s", (name, isLocal) => {
    expect(isLocalEntry(name)).toBe(isLocal);
  });

  it("is where git finds its files; dumps of earlier versions are in the checkpoint itself", () => {
    const id = "cp-a";
    const local = { files: "1", database: "2", worktree: "3" };
    expect(revisionOf({ id, local }, "files/project/a b")).toBe(
      "refs/waymark/local/cp-a:files/project/a b",
    );
    expect(revisionOf({ id, local }, "database/1/dump")).toBe(
      "refs/waymark/local/cp-a:database/1/dump",
    );
    expect(revisionOf({ id }, "database/1/dump")).toBe("refs/waymark/cp/cp-a:database/1/dump");
    expect(revisionOf({ id, local }, "state.json")).toBe("refs/waymark/cp/cp-a:state.json");
    expect(filesRevision({ id, local }, true)).toBe("refs/waymark/local/cp-a:worktree");
    expect(filesRevision({ id, local }, false)).toBe("refs/waymark/cp/cp-a:worktree");
    expect(filesRevision({ id }, true)).toBe("refs/waymark/cp/cp-a:worktree");
  });

  it("is unknown where it is not here", () => {
    expect(withheldExclusions([{ path: "a", reason: "sensitive" }])).toEqual([
      { path: "a", reason: "withheld", size: null },
    ]);
  });
});
