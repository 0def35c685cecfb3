import { describe, expect, it } from "vitest";
import { asBytePath } from "./byte-path.ts";
import { isHostileInIndex, isHostilePath, isRestorableRef } from "./hostile-path.ts";

describe("isHostilePath", () => {
  it.each([
    "",
    ".git",
    ".git/hooks",
    "a/.git/config",
    "..",
    "../a",
    "a/../b",
    "/a",
    "a//b",
    "a/",
    "./a",
    "a\0b",
  ])("refuses %j everywhere", (path) => {
    expect(isHostilePath(asBytePath(path), false)).toBe(true);
  });

  it.each([".GIT/config", "a/.Git", "git~1/hooks", ".git ", ".git./x"])(
    "refuses %j where the disk takes it for .git",
    (path) => {
      expect(isHostilePath(asBytePath(path), false)).toBe(false);
      expect(isHostilePath(asBytePath(path), true)).toBe(true);
    },
  );

  it.each(["a", ".gitignore", "a/.github/x", "...", "a/..b", ".gitmodules"])(
    "allows %j",
    (path) => {
      expect(isHostilePath(asBytePath(path), true)).toBe(false);
    },
  );
});

describe("isHostileInIndex", () => {
  it.each([".git/config", ".GIT/config", "a/.Git/x", "../a", "/a", "a//b"])(
    "refuses %j",
    (path) => {
      expect(isHostileInIndex(asBytePath(path))).toBe(true);
    },
  );

  it.each(["a", ".gitignore", "a/.github/x", "sparse/folder/"])("allows %j", (path) => {
    expect(isHostileInIndex(asBytePath(path))).toBe(false);
  });
});

describe("isRestorableRef", () => {
  it.each([
    "refs/heads/main",
    "refs/heads/feature/x",
    "refs/heads/ünï",
    "refs/bisect/bad",
    "refs/rewritten/onto",
  ])("allows %s", (name) => {
    expect(isRestorableRef(name)).toBe(true);
  });

  it.each([
    "HEAD",
    "refs/heads/",
    "refs/waymark/cp/x",
    "refs/tags/v1",
    "refs/remotes/origin/main",
    "refs/heads/../x",
    "refs/heads/.x",
    "refs/heads/x.lock",
    "refs/heads/x.lock/y",
    "refs/heads/a b",
    "refs/heads/a\nb",
    "refs/heads/a~1",
    "refs/heads/@{x",
    "refs/heads/a//b",
    "refs/heads/a/",
    "refs/heads/a.",
  ])("refuses %j", (name) => {
    expect(isRestorableRef(name)).toBe(false);
  });
});
