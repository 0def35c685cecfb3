import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { PackSpool } from "./pack-spool.ts";
import { openedRepository, tempRepository } from "./temp-repository.fixture.ts";
import { blobHead, spoolBlob, writeBlob } from "./write-blob.ts";

const LARGE = randomBytes(9_000_000);

async function blob(repo: TempRepository, content: string | Buffer): Promise<string> {
  return (await repo.gitWithInput(content, "hash-object", "-w", "--stdin")).trim();
}

describe("a stored file", () => {
  it("is written as it was, and refused before a byte of it is", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, LARGE);
    const path = join(repo.base, "file");
    const fd = openSync(path, "wx");
    try {
      const sizes: number[] = [];
      const refuse = (bytes: number): never => {
        sizes.push(bytes);
        throw new Error("no room");
      };
      await expect(writeBlob(reader, oid, fd, refuse)).rejects.toThrow("no room");
      expect([sizes, (await readFile(path)).length]).toEqual([[LARGE.length], 0]);
      await writeBlob(reader, oid, fd);
    } finally {
      closeSync(fd);
    }
    expect((await readFile(path)).equals(LARGE)).toBe(true);
  });

  it("shows its beginning", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, LARGE);
    expect((await blobHead(reader, oid, 100_000)).equals(LARGE.subarray(0, 100_000))).toBe(true);
    expect((await blobHead(reader, await blob(repo, "short"), 100)).toString()).toBe("short");
  });

  it.each(["small", LARGE])(
    "goes into a pack, whatever its size, and leaves nothing else",
    async (content) => {
      const { repo, reader } = await openedRepository();
      const oid = await blob(repo, content);
      const folder = join(repo.base, "spool");
      await repo.git("init", "-q", "--bare", folder);
      const spool = new PackSpool(() => join(folder, "new.pack"), "sha1");
      await spoolBlob(reader, spool, oid);
      const before = await readdir(folder);
      const other = await tempRepository();
      await other.gitWithInput(await readFile(spool.finish(false)), "index-pack", "--stdin");
      expect(before.filter((name) => name.startsWith("new"))).toEqual(["new.pack"]);
      expect(await other.git("cat-file", "-s", oid)).toBe(`${content.length}\n`);
    },
  );
});
