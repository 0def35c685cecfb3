import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "./make-folders.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

describe("folders that are made", () => {
  it("are made with those above them, and stay as they are when they are there", () => {
    const folder = join(tempFolder(), "a/b/c");
    makeFolders(folder, 0o700);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    makeFolders(folder, 0o755);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform !== "linux")(
    "[R185] fail at once where a file system takes no folders",
    () => {
      expect(() => makeFolders("/proc/none/a/b")).toThrow("ENOENT");
    },
  );

  it("fail where a file is in the way", () => {
    const file = join(tempFolder(), "file");
    writeFileSync(file, "");
    expect(() => makeFolders(join(file, "a"))).toThrow("ENOTDIR");
    expect(() => makeFolders(file)).toThrow("EEXIST");
  });

  it("[R188] are made in a git folder that is there, and do not make one that is gone", () => {
    const root = tempFolder();
    expect(() => makeFolders(join(root, ".git/waymark/a"))).toThrow("no longer exists");
    expect(existsSync(join(root, ".git"))).toBe(false);
    mkdirSync(join(root, ".git"));
    makeFolders(join(root, ".git/waymark/a"));
    expect(existsSync(join(root, ".git/waymark/a"))).toBe(true);
  });
});
