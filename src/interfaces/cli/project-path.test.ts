import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { asBytePath } from "../../domain/byte-path.ts";
import { existingInProject, inProject, isThere } from "./project-path.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-test-"));
const root = join(base, "prüfung");
mkdirSync(join(root, "dir"), { recursive: true });
writeFileSync(join(root, "dir", "ä.txt"), "");
afterAll(() => rmSync(base, { recursive: true }));

const umlaut = asBytePath(Buffer.from("dir/ä.txt").toString("latin1"));

describe("paths that people type", () => {
  it("are relative to the folder that one is in", () => {
    expect(inProject(root, join(root, "dir"), "ä.txt")).toBe(umlaut);
    expect(inProject(root, root, ".")).toBe("");
  });

  it("are found where the project's own folder has a name that is not ASCII", () => {
    expect(isThere(root, umlaut)).toBe(true);
    expect(isThere(root, asBytePath("dir/b.txt"))).toBe(false);
    expect(isThere(root, asBytePath(`${umlaut}/below`))).toBe(false);
    expect(existingInProject(root, root, "dir/ä.txt", "--option")).toBe(umlaut);
  });

  it.each([
    ["nothing.txt", /^--option: no such file or folder: nothing\.txt$/],
    ["../a", /^--option: \.\.\/a is outside the project$/],
    [".git/x", /^--option: \.git\/x is in the git folder/],
  ])("are refused when they are like %s", (path, message) => {
    expect(() => existingInProject(root, root, path, "--option")).toThrow(message);
  });
});
