import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { asBytePath } from "../../domain/byte-path.ts";
import { AnchoredFolder } from "./anchored-folder.ts";
import { rootFolder } from "./byte-names.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

/** A project, and beside it a folder that nothing may be written to. */
function scene() {
  const base = tempFolder();
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  mkdirSync(root);
  mkdirSync(outside);
  const folder = new AnchoredFolder(rootFolder(root));
  onTestFinished(() => folder.forget());
  const write = (path: string, text: string): void => {
    folder.makeParents(asBytePath(path));
    const at = folder.at(asBytePath(path));
    if (at === undefined) throw new Error(`${path} has no folder`);
    writeFileSync(at, text);
  };
  return { root, outside, folder, write };
}

const obstructed = expect.objectContaining({ code: "obstructed" });

describe("a path below an anchored folder", () => {
  it("can be written and read, its folders made", () => {
    const { root, write, folder } = scene();
    write("a/b/c", "text");
    write("top", "text");
    expect(readFileSync(join(root, "a/b/c"), "utf8")).toBe("text");
    expect(readFileSync(join(root, "top"), "utf8")).toBe("text");
    const at = folder.at(asBytePath("a/b/c"));
    expect(at === undefined ? "" : readFileSync(at, "utf8")).toBe("text");
  });

  it("may have any bytes in its name", () => {
    const { root, write } = scene();
    write("caf\xe9/\xff\n", "odd");
    const path = Buffer.concat([Buffer.from(`${root}/`), Buffer.from("caf\xe9/\xff\n", "latin1")]);
    expect(readFileSync(path, "utf8")).toBe("odd");
  });

  it("is nowhere when its folder is not there", () => {
    const { root, folder } = scene();
    writeFileSync(join(root, "file"), "");
    expect(folder.at(asBytePath("missing/x"))).toBeUndefined();
    expect(folder.at(asBytePath("file/x"))).toBeUndefined();
    expect(folder.at(asBytePath("file"))).toBeDefined();
  });

  it("works in more folders than are held open at a time", () => {
    const { root, write } = scene();
    const names = Array.from({ length: 300 }, (_, at) => `d${at}/e/f`);
    for (const name of names) write(name, name);
    for (const name of names.toReversed()) write(name, `${name} again`);
    for (const name of names) {
      expect(readFileSync(join(root, name), "utf8")).toBe(`${name} again`);
    }
  });
});

describe("a link on the way", () => {
  it("is not followed, whether it leads out of the project or to another folder of it", () => {
    const { root, outside, folder } = scene();
    mkdirSync(join(root, "real/sub"), { recursive: true });
    mkdirSync(join(outside, "sub"));
    symlinkSync(outside, join(root, "out"));
    symlinkSync("real", join(root, "in"));
    for (const path of ["out/x", "out/sub/x", "in/x", "in/sub/x"]) {
      expect(folder.at(asBytePath(path))).toBeUndefined();
      expect(() => folder.makeParents(asBytePath(path))).toThrow(obstructed);
    }
    expect(existsSync(join(outside, "x"))).toBe(false);
  });

  it("is in the way of folders that have to be made, and so is a file", () => {
    const { root, outside, folder } = scene();
    symlinkSync(join(outside, "made"), join(root, "dangling"));
    writeFileSync(join(root, "file"), "");
    expect(() => folder.makeParents(asBytePath("dangling/a/b"))).toThrow(obstructed);
    expect(() => folder.makeParents(asBytePath("file/a/b"))).toThrow(obstructed);
    expect(existsSync(join(outside, "made"))).toBe(false);
  });

  it("leads nowhere when it takes the place of a folder that was already opened", () => {
    const { root, outside, folder, write } = scene();
    write("a/b/first", "x");
    renameSync(join(root, "a/b"), join(root, "moved"));
    symlinkSync(outside, join(root, "a/b"));
    const at = folder.at(asBytePath("a/b/second"));
    if (at !== undefined) writeFileSync(at, "y");
    expect(existsSync(join(outside, "second"))).toBe(false);
    folder.forget();
    expect(folder.at(asBytePath("a/b/third"))).toBeUndefined();
  });

  it("can itself be named: what it points at is not looked at", () => {
    const { root, folder } = scene();
    symlinkSync("nowhere", join(root, "link"));
    expect(folder.at(asBytePath("link"))).toBeDefined();
  });
});

describe("a path that leads upwards", () => {
  // The class promises names that cannot lead out of the root, and callers pass on what stands in trees.
  it.each(["../outside/x", "a/../../outside/x", "a/../b"])("is refused: %s", (path) => {
    const { root, folder } = scene();
    mkdirSync(join(root, "a"));
    expect(folder.at(asBytePath(path))).toBeUndefined();
  });
});
