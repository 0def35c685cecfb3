import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { CachedTrees } from "./cached-trees.ts";
import { IndexFile } from "./index-file.ts";
import type { HashName } from "./object-hash.ts";
import { tempRepository } from "./temp-repository.fixture.ts";

async function cachedTrees(repo: TempRepository, hash: HashName = "sha1"): Promise<CachedTrees> {
  return new IndexFile(await readFile(join(repo.root, ".git/index")), hash).cachedTrees;
}

function nodeOf(trees: CachedTrees, folder: string): number {
  return folder === ""
    ? CachedTrees.ROOT
    : folder.split("/").reduce((node, name) => trees.child(node, name), CachedTrees.ROOT);
}

/** Every folder with its tree and the number of entries below it, as git says it. */
async function gitTrees(repo: TempRepository): Promise<Map<string, [oid: string, count: number]>> {
  const trees = new Map<string, [string, number]>();
  const files = (await repo.git("ls-files", "-z")).split("\0").filter(Boolean);
  const root = (await repo.git("write-tree")).trim();
  trees.set("", [root, files.length]);
  const listing = await repo.git("ls-tree", "-z", "-r", "-t", root);
  for (const line of listing.split("\0").filter(Boolean)) {
    const [, type, oid = "", folder = ""] = /^\d+ (\w+) (\w+)\t([^]*)$/.exec(line) ?? [];
    if (type !== "tree") continue;
    const below = files.filter((file) => file.startsWith(`${folder}/`));
    trees.set(folder, [oid, below.length]);
  }
  return trees;
}

const FILES = ["a/b/c", "a/b/d", "a/e", "a.b/x", "ab/x", "root", "z/z/z/z"];

describe("CachedTrees", () => {
  it("has nothing where git wrote nothing", async () => {
    const repo = await tempRepository();
    await repo.write("a/b", "x");
    await repo.git("add", "-A");
    const trees = await cachedTrees(repo);
    expect(trees.isEmpty || trees.count(CachedTrees.ROOT) === -1).toBe(true);
    expect(trees.child(CachedTrees.ROOT, "nothing")).toBe(-1);
    expect(trees.child(-1, "a")).toBe(-1);
    expect(trees.oid(-1)).toBeUndefined();
    expect(trees.count(-1)).toBe(-1);
  });

  it.each(["sha1", "sha256"] as const)("knows the tree of every folder (%s)", async (hash) => {
    const repo = await tempRepository(`--object-format=${hash}`);
    for (const name of FILES) await repo.write(name, name);
    await repo.write(Buffer.from("\xe9/\xff/x", "latin1"), "odd");
    await repo.git("add", "-A");
    const expected = await gitTrees(repo);
    expect(expected.size).toBe(10);
    const trees = await cachedTrees(repo, hash);
    for (const [folder, [oid, count]] of expected) {
      const node = nodeOf(trees, folder);
      expect([folder, trees.oid(node), trees.count(node)]).toEqual([folder, oid, count]);
    }
    expect(trees.child(CachedTrees.ROOT, "root")).toBe(-1);
    expect(trees.child(nodeOf(trees, "a"), "z")).toBe(-1);
    expect(trees.child(CachedTrees.ROOT, "a/b")).toBe(-1);
    expect(trees.child(CachedTrees.ROOT, "a.")).toBe(-1);
  });

  it("finds each of many folders, in whatever order they are asked for", async () => {
    const repo = await tempRepository();
    const folders = Array.from({ length: 60 }, (_, at) => `f${"x".repeat(at % 5)}${at}`);
    for (const folder of folders) await repo.write(`all/${folder}/file`, folder);
    await repo.git("add", "-A");
    const expected = await gitTrees(repo);
    const trees = await cachedTrees(repo);
    const all = nodeOf(trees, "all");
    for (const order of [folders, folders.toSorted(), folders.toReversed()]) {
      let previous = -1;
      for (const folder of order) {
        previous = trees.child(all, folder, previous);
        expect(trees.oid(previous)).toBe(expected.get(`all/${folder}`)?.[0]);
      }
    }
    expect(trees.child(all, "f")).toBe(-1);
    expect(trees.child(CachedTrees.ROOT, "f0")).toBe(-1);
  });

  it("forgets exactly the folders that a change is in", async () => {
    const repo = await tempRepository();
    for (const name of FILES) await repo.write(name, name);
    await repo.git("add", "-A");
    const before = await gitTrees(repo);
    await repo.write("a/b/c", "edited");
    await repo.git("add", "a/b/c");
    const trees = await cachedTrees(repo);
    for (const folder of ["", "a", "a/b"]) {
      const node = nodeOf(trees, folder);
      expect([folder, trees.oid(node), trees.count(node)]).toEqual([folder, undefined, -1]);
    }
    for (const folder of ["a.b", "ab", "z", "z/z", "z/z/z"]) {
      expect(trees.oid(nodeOf(trees, folder))).toBe(before.get(folder)?.[0]);
    }
  });
});
