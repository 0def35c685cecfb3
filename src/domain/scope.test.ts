import { describe, expect, it } from "vitest";
import { asBytePath } from "./byte-path.ts";
import { insidePatterns, outsidePatterns, scopeFilter } from "./scope.ts";

const path = asBytePath;

describe("a scope", () => {
  it("covers a file, and a folder with everything in it, from the root", () => {
    const filter = scopeFilter(["src", "docs/*.md"]);
    expect(filter?.covers(path("src/deep/a.ts"), false)).toBe(true);
    expect(filter?.covers(path("docs/a.md"), false)).toBe(true);
    expect(filter?.covers(path("docs/deep/a.md"), false)).toBe(false);
    expect(filter?.covers(path("other/src/a.ts"), false)).toBe(false);
  });

  it("reaches only folders in which something can be covered", () => {
    const filter = scopeFilter(["src/gen", "lib/**/x", "*.md"]);
    for (const folder of ["", "src", "src/gen", "src/gen/deep", "lib", "lib/a/b"]) {
      expect([folder, filter?.reaches(path(folder))]).toEqual([folder, true]);
    }
    for (const folder of ["other", "src/other", "sr"]) {
      expect([folder, filter?.reaches(path(folder))]).toEqual([folder, false]);
    }
  });

  it("is everything when there is none", () => {
    expect(scopeFilter(undefined)).toBeUndefined();
    expect(scopeFilter(null)).toBeUndefined();
  });

  it("tells files of the project from those outside", () => {
    const files = ["a", "/etc/hosts", "**"];
    expect(insidePatterns(files)).toEqual(["/a", "/**"]);
    expect(outsidePatterns(files)).toEqual(["/etc/hosts"]);
    expect(scopeFilter(["/etc"])?.covers(path("etc"), true)).toBe(false);
  });
});
