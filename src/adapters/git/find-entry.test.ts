import { describe, expect, it } from "vitest";
import type { BytePath } from "../../domain/byte-path.ts";
import { TreeLookup } from "./find-entry.ts";
import type { TreeEntry } from "./tree-object.ts";
import type { TreeSource } from "./tree-source.ts";

const file = (name: string): TreeEntry => ({ mode: "100644", name, oid: `blob ${name}` });
const folder = (name: string, oid: string): TreeEntry => ({ mode: "040000", name, oid });

const TREES: Readonly<Record<string, TreeEntry[]>> = {
  root: [file("a"), folder("one", "T1"), folder("two", "T2")],
  T1: [file("x"), folder("deep", "T3")],
  T2: [file("y"), folder("deep", "T4")],
  T3: [file("x3")],
  T4: [file("x4")],
};

function lookup(): { find: (path: string) => Promise<string | undefined>; read: string[] } {
  const read: string[] = [];
  const entries = (oid: string | undefined): Promise<TreeEntry[]> => {
    read.push(oid ?? "");
    return Promise.resolve(TREES[oid ?? ""] ?? []);
  };
  const found = new TreeLookup({ entries } as unknown as TreeSource, "root");
  return { read, find: async (path) => (await found.find(path as BytePath))?.oid };
}

describe("a look-up of many paths", () => {
  it("finds files and folders, and nothing below a file", async () => {
    const { find } = lookup();
    const paths = [
      "a",
      "one",
      "one/x",
      "one/deep/x3",
      "one/y",
      "two/deep/x3",
      "two/deep/x4",
      "a/x",
    ];
    const found = [];
    for (const path of paths) found.push(await find(path));
    const expected = [
      "blob a",
      "T1",
      "blob x",
      "blob x3",
      undefined,
      undefined,
      "blob x4",
      undefined,
    ];
    expect(found).toEqual(expected);
  });

  it("reads each folder once for all paths in it", async () => {
    const { find, read } = lookup();
    for (const path of [
      "one/x",
      "one/deep/x3",
      "one/deep/none",
      "one/none",
      "two/deep/x4",
      "two/y",
    ]) {
      await find(path);
    }
    expect(read).toEqual(["root", "T1", "T3", "T2", "T4"]);
  });
});
