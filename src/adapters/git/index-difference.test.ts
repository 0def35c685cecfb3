import { describe, expect, it } from "vitest";
import { indexDifference } from "./index-difference.ts";
import { IndexFile } from "./index-file.ts";

/** Version 2 with these paths; `size` tells two readings of one path apart. */
function indexOf(entries: readonly (readonly [path: string, size: number])[]): IndexFile {
  const header = Buffer.alloc(12);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const body = entries.map(([path, size]) => {
    const entry = Buffer.alloc((62 + path.length + 8) & ~7);
    entry.writeUInt32BE(0o100644, 24);
    entry.writeUInt32BE(size, 36);
    entry.writeUInt16BE(path.length, 60);
    entry.write(path, 62, "latin1");
    return entry;
  });
  return new IndexFile(Buffer.concat([header, ...body, Buffer.alloc(20)]), "sha1");
}

const numbered = (count: number): [string, number][] =>
  Array.from({ length: count }, (_, at) => [`file-${String(at).padStart(4, "0")}`, 1]);

function changedPaths(now: IndexFile, before: IndexFile) {
  const { changed, samePaths } = indexDifference(now, before);
  return { changed: changed.map((entry) => String(now.path(entry))), samePaths };
}

describe("indexDifference", () => {
  it("finds nothing between two readings of one index", () => {
    for (const count of [0, 1, 63, 64, 65, 300]) {
      const difference = indexDifference(indexOf(numbered(count)), indexOf(numbered(count)));
      expect(difference).toMatchObject({ changed: [], samePaths: true });
    }
  });

  it("names every entry that changed, was added or stands behind a removed one, and no other", () => {
    for (const at of [0, 1, 63, 64, 128, 199]) {
      const all = numbered(200);
      const [path] = all[at] ?? [""];
      const other = all.map((entry): [string, number] => (entry[0] === path ? [path, 2] : entry));
      const without = all.filter((entry) => entry[0] !== path);
      expect(changedPaths(indexOf(other), indexOf(all))).toEqual({
        changed: [path],
        samePaths: true,
      });
      expect(changedPaths(indexOf(all), indexOf(without))).toEqual({
        changed: [path],
        samePaths: false,
      });
      expect(indexDifference(indexOf(without), indexOf(all)).samePaths).toBe(false);
      // Nothing is taken for the same that is not: what is not named is there with the same bytes.
      const named = new Set(indexDifference(indexOf(without), indexOf(all)).changed);
      expect(named.size).toBeLessThan(2);
    }
  });

  it("tells another name of the same length from the same name", () => {
    const difference = changedPaths(indexOf([["b", 1]]), indexOf([["a", 1]]));
    expect(difference).toEqual({ changed: ["b"], samePaths: false });
  });

  it("compares with an index that has nothing", () => {
    expect(changedPaths(indexOf([["a", 1]]), indexOf([]))).toEqual({
      changed: ["a"],
      samePaths: false,
    });
    expect(changedPaths(indexOf([]), indexOf([["a", 1]]))).toEqual({
      changed: [],
      samePaths: false,
    });
  });
});
