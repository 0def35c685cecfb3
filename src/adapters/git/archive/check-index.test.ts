import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openedRepository } from "../temp-repository.fixture.ts";
import { checkIndex } from "./check-index.ts";

/** A real index with folders and their cached trees, and the tree that git writes for it. */
async function realIndex(
  hash: "sha1" | "sha256" = "sha1",
): Promise<{ bytes: Buffer; tree: string }> {
  const { repo } = await openedRepository(`--object-format=${hash}`);
  for (const name of ["a.txt", "dir/b.txt", "dir/deep/c.txt", "dir.txt", "z/y/x"]) {
    await repo.write(name, `${name}\n`);
  }
  await repo.git("add", "-A");
  await repo.commit("first");
  // Fills the cache.
  await repo.git("read-tree", "HEAD");
  const bytes = await readFile(await repo.gitPath("index"));
  return { bytes, tree: (await repo.git("write-tree")).trim() };
}

function signed(body: Buffer): Buffer {
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

describe("checkIndex", () => {
  it.each(["sha1", "sha256"] as const)("computes the tree that git writes (%s)", async (hash) => {
    const { bytes, tree } = await realIndex(hash);
    expect(checkIndex(bytes, hash, false)).toMatchObject({ kind: "ok", tree });
  });

  it("finds a cached tree that the entries do not make", async () => {
    const { bytes } = await realIndex();
    const body = Buffer.from(bytes.subarray(0, -20));
    const at = body.indexOf("TREE");
    // After the name of a folder, its counts and a line break comes the id of its tree.
    const oid = body.indexOf("\n", body.indexOf("deep\0", at)) + 1;
    body.writeUInt8(body.readUInt8(oid) ^ 1, oid);
    expect(checkIndex(signed(body), "sha1", false)).toEqual({
      kind: "wrong",
      problem: "its index names other folders than it has",
    });
  });

  it("ends, whatever bytes it is given", async () => {
    const { bytes } = await realIndex();
    const body = bytes.subarray(0, -20);
    const place = fc.integer({ min: 0, max: body.length - 1 });
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, bits, isCut) => {
        const changed = Buffer.from(isCut ? body.subarray(0, Math.max(at, 12)) : body);
        const target = Math.min(at, changed.length - 1);
        changed.writeUInt8(changed.readUInt8(target) ^ bits, target);
        expect(["ok", "wrong"]).toContain(checkIndex(signed(changed), "sha1", false).kind);
        // Without a right checksum nothing gets in.
        const unsigned = Buffer.concat([changed, bytes.subarray(-20)]);
        expect(checkIndex(unsigned, "sha1", false).kind).toBe("wrong");
      }),
      { numRuns: 2000 },
    );
  });
});
