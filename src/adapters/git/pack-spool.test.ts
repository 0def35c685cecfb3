import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { objectId, type HashName } from "./object-hash.ts";
import { PackSpool } from "./pack-spool.ts";
import { tempRepository } from "./temp-repository.fixture.ts";

async function spoolIn(repo: TempRepository, hash: HashName = "sha1") {
  const path = join(repo.base, "spool.pack");
  return { path, spool: new PackSpool(() => path, hash) };
}

/** Lets git index the finished pack in the repository; fails when it finds anything wrong with it. */
async function receive(repo: TempRepository, pack: string): Promise<void> {
  await repo.gitWithInput(await readFile(pack), "index-pack", "--strict", "--stdin");
}

async function contentOf(repo: TempRepository, oid: string): Promise<Buffer> {
  return Buffer.from(await repo.git("cat-file", "blob", oid), "latin1");
}

describe.each(["sha1", "sha256"] as const)("a pack with %s", (hash) => {
  it("holds blobs of every length that its headers treat differently", async () => {
    const repo = await tempRepository(`--object-format=${hash}`);
    const { spool } = await spoolIn(repo, hash);
    const lengths = [0, 1, 15, 16, 17, 127, 128, 2047, 2048, 2049, 262_143, 262_144, 300_000];
    const blobs = lengths.map((length) => randomBytes(length));
    const oids = blobs.map((content) => objectId(hash, "blob", content));
    for (const [at, content] of blobs.entries()) spool.add(oids[at] ?? "", "blob", content);
    expect(spool.count).toBe(lengths.length);
    await receive(repo, spool.finish(false));
    for (const [at, content] of blobs.entries()) {
      expect((await contentOf(repo, oids[at] ?? "")).equals(content)).toBe(true);
    }
    expect(await repo.git("fsck", "--strict", "--no-dangling")).toBe("");
  });
});

describe("a pack", () => {
  it("holds an object once, however often it was added", async () => {
    const repo = await tempRepository();
    const { spool } = await spoolIn(repo);
    const content = Buffer.from("twice");
    const oid = objectId("sha1", "blob", content);
    spool.add(oid, "blob", content);
    spool.add(oid, "blob", content);
    expect([spool.count, spool.has(oid), spool.has("other")]).toEqual([1, true, false]);
    await receive(repo, spool.finish(true));
    expect(await contentOf(repo, oid)).toEqual(content);
  });

  it("is no file until there is something to put into it", async () => {
    const repo = await tempRepository();
    const { spool, path } = await spoolIn(repo);
    await expect(stat(path)).rejects.toThrow("ENOENT");
    spool.close();
    expect(spool.count).toBe(0);
  });
});

describe("a file of more than eight megabytes", () => {
  const SIZE = 9 * 1024 * 1024 + 7;

  async function largeFile(repo: TempRepository, content: Buffer) {
    const path = join(repo.base, "large");
    await writeFile(path, content);
    return { path, fd: openSync(path, "r") };
  }

  it("goes into the pack piece by piece, between other objects", async () => {
    const repo = await tempRepository();
    const { spool } = await spoolIn(repo);
    const content = randomBytes(SIZE);
    const { fd } = await largeFile(repo, content);
    const small = [Buffer.from("before"), Buffer.from("after")];
    const [before = "", after = ""] = small.map((text) => objectId("sha1", "blob", text));
    spool.add(before, "blob", small[0] ?? Buffer.alloc(0));
    const oid = await spool.addLarge(fd, SIZE);
    expect(oid).toBe(objectId("sha1", "blob", content));
    // The same again is not stored again.
    expect(await spool.addLarge(fd, SIZE)).toBe(oid);
    spool.add(after, "blob", small[1] ?? Buffer.alloc(0));
    closeSync(fd);
    expect(spool.count).toBe(3);
    await receive(repo, spool.finish(false));
    expect((await repo.git("cat-file", "-s", oid)).trim()).toBe(String(SIZE));
    expect(await contentOf(repo, after)).toEqual(small[1]);
    expect(await repo.git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("leaves no trace when it shrinks meanwhile", async () => {
    const repo = await tempRepository();
    const { spool } = await spoolIn(repo);
    const { fd, path } = await largeFile(repo, randomBytes(SIZE));
    await truncate(path, 1000);
    expect(await spool.addLarge(fd, SIZE)).toBe("");
    closeSync(fd);
    const content = Buffer.from("after");
    const oid = objectId("sha1", "blob", content);
    spool.add(oid, "blob", content);
    await receive(repo, spool.finish(false));
    expect(await contentOf(repo, oid)).toEqual(content);
  });

  it("is stored as it was for the first bytes when it grows meanwhile", async () => {
    const repo = await tempRepository();
    const { spool } = await spoolIn(repo);
    const content = randomBytes(SIZE);
    const { fd } = await largeFile(repo, Buffer.concat([content, Buffer.from("more")]));
    expect(await spool.addLarge(fd, SIZE)).toBe(objectId("sha1", "blob", content));
    closeSync(fd);
    await receive(repo, spool.finish(false));
  });
});
