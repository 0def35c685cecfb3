import { createHash } from "node:crypto";
import {
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../../test/support/temp-repository.ts";
import { DEFAULT_POLICY } from "../../../domain/capture-policy.ts";
import { GitCapture } from "../git-capture.ts";
import { GitWorkTree } from "../git-work-tree.ts";
import { openedRepository } from "../temp-repository.fixture.ts";

const GIB = 2 ** 30;
const BLOB = "5b".repeat(20);
const SHA1_BYTES = 20;
const STAT_BYTES = 40;
const LONG_AGO = 1_700_000_000;

/** A blob of which there is no more than its length: whoever reads it fails. */
function writeBlobHead(repo: TempRepository, length: number): void {
  const folder = join(repo.root, ".git/objects", BLOB.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, BLOB.slice(2)), deflateSync(`blob ${length}\0`));
}

/** As `git add` would do it after reading all of the file. */
function noteStat(repo: TempRepository, name: string): void {
  const path = repo.path(".git/index");
  const index = readFileSync(path);
  const stat = statSync(repo.path(name), { bigint: true });
  const second = 1_000_000_000n;
  const fields = [
    stat.ctimeNs / second,
    stat.ctimeNs % second,
    stat.mtimeNs / second,
    stat.mtimeNs % second,
    stat.dev,
    stat.ino,
    0o100644n,
    stat.uid,
    stat.gid,
    stat.size,
  ];
  const start = index.indexOf(BLOB, "hex") - STAT_BYTES;
  for (const [at, field] of fields.entries()) {
    index.writeUInt32BE(Number(BigInt.asUintN(32, field)), start + 4 * at);
  }
  const body = index.subarray(0, -SHA1_BYTES);
  writeFileSync(path, Buffer.concat([body, createHash("sha1").update(body).digest()]));
}

describe("a clean file of more than 4 GiB, of whose length the index has 32 bits", () => {
  it("is not taken for one that git converted, and not read", async () => {
    const { repo, repository, reader } = await openedRepository();
    await repo.write("model.bin", "");
    truncateSync(repo.path("model.bin"), 5 * GIB);
    utimesSync(repo.path("model.bin"), LONG_AGO, LONG_AGO);
    writeBlobHead(repo, 5 * GIB);
    await repo.git("update-index", "--add", "--cacheinfo", `100644,${BLOB},model.bin`);
    noteStat(repo, "model.bin");
    const tree = (await repo.git("write-tree", "--missing-ok")).trim();
    const commit = (await repo.git("commit-tree", "-m", "large", tree)).trim();
    await repo.git("update-ref", "HEAD", commit);
    const workTree = new GitWorkTree(repository, reader);
    const capture = await workTree.capture({ policy: DEFAULT_POLICY, onlyLook: true });
    if (!(capture instanceof GitCapture)) throw new Error("no git");
    expect([capture.raw.trees.worktree, capture.raw.trees.index]).toEqual([tree, tree]);
    expect([capture.raw.findings.excluded, capture.raw.cache.examined?.raw.size]).toEqual([[], 0]);
    capture.discard();
  });
});
