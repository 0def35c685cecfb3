import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeCommit } from "./commit-object.ts";
import { objectId } from "./object-hash.ts";
import { PackSpool } from "./pack-spool.ts";
import { publish } from "./publish.ts";
import { Quarantine } from "./quarantine.ts";
import { openedRepository, type OpenedRepository } from "./temp-repository.fixture.ts";
import { encodeTree } from "./tree-object.ts";

const REF = "refs/waymark/cp/x";

interface Given {
  readonly ref?: string;
  readonly expected?: string;
  readonly message?: string;
  readonly reliesOn?: { readonly name: string; readonly oid: string };
  readonly isSafe?: () => Promise<boolean>;
  readonly durability?: "safe" | "fast";
  /** A second ref with a commit of the same tree. */
  readonly beside?: string;
}

/** Publishes a commit with one file in it. */
async function publishOne({ repository, reader }: OpenedRepository, given: Given = {}) {
  const quarantine = new Quarantine(repository);
  const spool = new PackSpool(() => quarantine.path("x.pack"), repository.hash);
  const blob = Buffer.from(`content of ${given.message ?? "it"}`);
  const blobId = objectId(repository.hash, "blob", blob);
  const tree = encodeTree([{ mode: "100644", name: "file", oid: blobId }]);
  const treeId = objectId(repository.hash, "tree", tree);
  spool.add(blobId, "blob", blob);
  spool.add(treeId, "tree", tree);
  const published = await publish(repository, reader, {
    spool,
    quarantine,
    commit: encodeCommit({
      tree: treeId,
      parents: given.expected === undefined ? [] : [given.expected],
      at: new Date("2026-11-15T18:45:30.000Z"),
      message: given.message ?? "it\n",
    }),
    ref: given.ref ?? REF,
    expected: given.expected,
    reliesOn: given.reliesOn === undefined ? [] : [given.reliesOn],
    ...(given.isSafe === undefined ? {} : { isSafe: given.isSafe }),
    durability: given.durability ?? "fast",
    ...(given.beside === undefined
      ? {}
      : {
          beside: {
            ref: given.beside,
            commit: encodeCommit({ tree: treeId, parents: [], at: new Date(0), message: "half\n" }),
          },
        }),
  });
  return published;
}

const valueOf = async ({ repo }: OpenedRepository, ref = REF): Promise<string> =>
  (await repo.tryStore(["rev-parse", "-q", "--verify", ref])).stdout.toString("latin1").trim();

/** No `.keep` that stops gc, no half-made files. */
async function expectTidy({ repo, repository }: OpenedRepository): Promise<void> {
  const packs = await readdir(repo.storePath("objects/pack"));
  expect(packs.filter((name) => !/^pack-[0-9a-f]+\.(pack|idx)$/.test(name))).toEqual([]);
  const quarantine = join(repository.sharedDir, "quarantine");
  expect(existsSync(quarantine) ? await readdir(quarantine) : []).toEqual([]);
}

describe("publish", () => {
  it.each([
    ["sha1", "safe"],
    ["sha256", "fast"],
  ] as const)(
    "makes objects and a ref that git finds nothing wrong with (%s, %s)",
    async (hash, durability) => {
      const opened = await openedRepository(`--object-format=${hash}`);
      const oid = await publishOne(opened, { durability });
      expect(await valueOf(opened)).toBe(oid);
      expect(await opened.repo.store("cat-file", "blob", `${REF}:file`)).toBe("content of it");
      const fsck = await opened.repo.tryStore(["fsck", "--strict", "--full"]);
      expect([fsck.code, fsck.stdout.toString()]).toEqual([0, ""]);
      await expectTidy(opened);
    },
  );

  it("needs no identity and signs nothing", async () => {
    const opened = await openedRepository();
    for (const [name, value] of [
      ["user.useConfigOnly", "true"],
      ["commit.gpgSign", "true"],
      ["gpg.program", "false"],
    ] as const) {
      await opened.repo.git("config", name, value);
    }
    await publishOne(opened);
    expect(await opened.repo.store("cat-file", "commit", REF)).not.toContain("gpgsig");
  });

  it("moves a ref from the value that was expected", async () => {
    const opened = await openedRepository();
    const first = await publishOne(opened);
    if (first === undefined) throw new Error("not published");
    const second = await publishOne(opened, { expected: first, message: "second\n" });
    expect(second).toBeDefined();
    expect(await valueOf(opened)).toBe(second);
    await expectTidy(opened);
  });

  it("changes nothing when the ref is there and must not be", async () => {
    const opened = await openedRepository();
    const first = await publishOne(opened);
    expect(await publishOne(opened, { message: "second\n" })).toBeUndefined();
    expect(await valueOf(opened)).toBe(first);
    await expectTidy(opened);
  });

  it("changes nothing when the ref has another value, or is not there", async () => {
    const opened = await openedRepository();
    const first = await publishOne(opened);
    const other = await publishOne(opened, { ref: `${REF}2`, message: "other\n" });
    if (other === undefined) throw new Error("not published");
    expect(await publishOne(opened, { expected: other, message: "second\n" })).toBeUndefined();
    expect(await valueOf(opened)).toBe(first);
    const gone = { ref: `${REF}3`, expected: other };
    expect(await publishOne(opened, gone)).toBeUndefined();
    expect(await valueOf(opened, `${REF}3`)).toBe("");
    await expectTidy(opened);
  });

  it("makes two refs from one pack, or none", async () => {
    const opened = await openedRepository();
    const beside = "refs/waymark/local/x";
    const first = await publishOne(opened, { beside });
    expect(await valueOf(opened)).toBe(first);
    expect(await opened.repo.store("cat-file", "blob", `${beside}:file`)).toBe("content of it");
    const packs = await readdir(join(opened.repository.store.commonDir, "objects/pack"));
    expect(packs.filter((name) => name.endsWith(".pack"))).toHaveLength(1);
    const again = { ref: `${REF}2`, beside, message: "again\n" };
    expect(await publishOne(opened, again)).toBeUndefined();
    let asked = 0;
    const unsafe = {
      ref: `${REF}3`,
      beside: `${beside}3`,
      message: "unsafe\n",
      isSafe: () => Promise.resolve(++asked < 3),
    };
    expect(await publishOne(opened, unsafe)).toBeUndefined();
    for (const ref of [`${REF}2`, `${REF}3`, `${beside}3`]) {
      expect(await valueOf(opened, ref)).toBe("");
    }
    await expectTidy(opened);
  });

  it("changes nothing when what it relies on is gone or moved", async () => {
    const opened = await openedRepository();
    const other = await publishOne(opened, { ref: `${REF}2`, message: "other\n" });
    if (other === undefined) throw new Error("not published");
    const oid = "1".repeat(40);
    expect(await publishOne(opened, { reliesOn: { name: `${REF}2`, oid } })).toBeUndefined();
    expect(await publishOne(opened, { reliesOn: { name: `${REF}9`, oid: other } })).toBeUndefined();
    expect(await valueOf(opened)).toBe("");
    expect(await publishOne(opened, { reliesOn: { name: `${REF}2`, oid: other } })).toBeDefined();
    await expectTidy(opened);
  });

  it("leaves nothing behind when git refuses", async () => {
    const opened = await openedRepository();
    const bad = publishOne(opened, { ref: "refs/waymark/cp/bad..name" });
    await expect(bad).rejects.toMatchObject({ code: "git_failed" });
    await expectTidy(opened);
  });
});

describe("what a publication relies on", () => {
  /** Safe so many times, and then not; or something goes wrong then. */
  function safeFor(times: number, then: () => Promise<boolean>): () => Promise<boolean> {
    let asked = 0;
    return () => (asked++ < times ? Promise.resolve(true) : then());
  }
  const unsafe = () => Promise.resolve(false);
  const broken = () => Promise.reject(new Error("no answer"));

  it("is asked for before anything is stored", async () => {
    const opened = await openedRepository();
    expect(await publishOne(opened, { isSafe: unsafe })).toBeUndefined();
    expect(await readdir(opened.repo.storePath("objects/pack"))).toEqual([]);
  });

  it.each([1, 2])("leaves no ref when it is gone by question %i after that", async (times) => {
    const opened = await openedRepository();
    expect(await publishOne(opened, { isSafe: safeFor(times, unsafe) })).toBeUndefined();
    expect(await valueOf(opened)).toBe("");
    await expectTidy(opened);
  });

  it("leaves no ref when the question fails, and one that was moved where it was", async () => {
    const opened = await openedRepository();
    const failing = { isSafe: safeFor(2, broken) };
    await expect(publishOne(opened, failing)).rejects.toThrow("no answer");
    expect(await valueOf(opened)).toBe("");
    const first = (await publishOne(opened)) ?? "";
    const next = { message: "next\n", expected: first, isSafe: safeFor(2, broken) };
    await expect(publishOne(opened, next)).rejects.toThrow("no answer");
    expect(await valueOf(opened)).toBe(first);
    await expectTidy(opened);
  });
});
