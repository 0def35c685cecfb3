import { describe, expect, it } from "vitest";
import { namedPaths } from "./named-paths.ts";

const PATCH = `*** Begin Patch
*** Add File: new file.txt
+*** Add File: not this one.txt
*** Update File: old.txt
*** Move to: sub/moved.txt
@@
 *** Delete File: nor this.txt
-a
+b
*** Delete File: gone.txt\r
*** End Patch`;
const PATCHED = ["new file.txt", "old.txt", "sub/moved.txt", "gone.txt"];

describe("the files that a tool names", () => {
  it.each([
    ["a field", { file_path: "/p/a.txt", content: "x" }, ["/p/a.txt"]],
    ["another spelling", { filePath: "a.txt" }, ["a.txt"]],
    ["a notebook", { notebook_path: "a.ipynb" }, ["a.ipynb"]],
    ["edits of one file", { path: "a", edits: [{ old_string: "x", new_string: "y" }] }, ["a"]],
    ["edits of several", { edits: [{ file_path: "a" }, { file_path: "b" }, 7] }, ["a", "b"]],
    ["a list", { paths: ["a", "b", "a", "", null] }, ["a", "b"]],
    ["a patch of Codex", { command: PATCH }, PATCHED],
    ["a patch among arguments", { command: ["apply_patch", PATCH] }, PATCHED],
    ["a patch of opencode", { patchText: PATCH }, PATCHED],
    ["a bare patch", PATCH, PATCHED],
    ["the wrong types", { file_path: 7, path: ["a"], edits: "x", command: { a: 1 } }, []],
    ["nothing", null, []],
    ["a field of every object", { toString: "a", constructor: "b" }, []],
  ])("in %s", (_name, input, paths) => {
    expect(namedPaths(input)).toEqual(paths);
  });
});
