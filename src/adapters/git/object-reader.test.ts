import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { countGitProcesses, withKilledGit } from "./git-processes.fixture.ts";
import { ObjectReader } from "./object-reader.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

async function blob(repo: TempRepository, content: string | Buffer): Promise<string> {
  return (await repo.gitWithInput(content, "hash-object", "-w", "--stdin")).trim();
}

function pieceTaker() {
  let size = -1;
  let pieces: Buffer[] = [];
  return {
    begin: (bytes: number): void => {
      size = bytes;
      pieces = [];
    },
    take: (piece: Buffer): void => {
      pieces.push(Buffer.from(piece));
    },
    taken: () => ({
      size,
      content: Buffer.concat(pieces),
      largest: pieces.reduce((most, { length }) => Math.max(most, length), 0),
    }),
  };
}

/** Reads the project itself and not its store. */
async function openedProject() {
  const { repo, repository } = await openedRepository();
  const reader = new ObjectReader(repository.project);
  onTestFinished(() => reader.close());
  return { repo, reader };
}

describe("ObjectReader", () => {
  it("reads objects by id, by ref and by path", async () => {
    const { repo, reader } = await openedProject();
    await repo.write("a b", "text");
    await repo.git("add", "-A");
    const commit = await repo.commit("one");
    expect(await reader.read("HEAD")).toMatchObject({ oid: commit, type: "commit" });
    expect(await reader.read("refs/heads/main^{tree}")).toMatchObject({ type: "tree" });
    expect((await reader.read("HEAD:a b"))?.content.toString()).toBe("text");
  });

  it("says that what is not there is not there, and goes on", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, "there");
    for (const name of ["1".repeat(40), "refs/heads/none", "nonsense", "HEAD:none", "", " "]) {
      expect(await reader.read(name)).toBeUndefined();
    }
    expect((await reader.read(oid))?.content.toString()).toBe("there");
  });

  it("reads any bytes and any length, also what looks like its own answers", async () => {
    const { repo, reader } = await openedRepository();
    const contents = [
      Buffer.alloc(0),
      Buffer.from("\n"),
      Buffer.from(`${"1".repeat(40)} blob 5\nhello\n`),
      Buffer.from("x missing\n"),
      randomBytes(3_000_000),
      Buffer.from("\0\n\0"),
    ];
    const oids: string[] = [];
    for (const content of contents) oids.push(await blob(repo, content));
    const found = await Promise.all(oids.map((oid) => reader.read(oid)));
    expect(found.map((object) => object?.oid)).toEqual(oids);
    for (const [at, content] of contents.entries()) {
      expect(found[at]?.content.equals(content)).toBe(true);
    }
  });

  it("sees refs and objects that came after it was started", async () => {
    const { repo, reader } = await openedProject();
    const first = await repo.commit("one");
    expect((await reader.read("HEAD"))?.oid).toBe(first);
    const second = await repo.commit("two");
    expect((await reader.read("HEAD"))?.oid).toBe(second);
    await repo.git("update-ref", "-d", "HEAD");
    expect(await reader.read("HEAD")).toBeUndefined();
  });

  it("is one process for any number of questions", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, "x");
    const { processes } = await countGitProcesses(repo, () =>
      Promise.all(Array.from({ length: 200 }, () => reader.read(oid))),
    );
    expect(processes).toHaveLength(1);
  });

  it("fails for a damaged object alone, and answers the questions around it", async () => {
    const { repo, reader } = await openedRepository();
    const oids: string[] = [];
    for (let at = 0; at < 5; at++) oids.push(await blob(repo, randomBytes(500)));
    await flipByteOfObject(repo, oids[2] ?? "");
    const results = await Promise.allSettled(oids.map((oid) => reader.read(oid)));
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(results[2]).toMatchObject({ reason: { code: "checkpoint_damaged" } });
    expect((await reader.read(oids[4] ?? ""))?.oid).toBe(oids[4]);
  });

  it("asks again when git is killed, but not for ever", async () => {
    const { repo, reader } = await openedRepository();
    const oids = [await blob(repo, "one"), await blob(repo, "two")];
    const read = () => Promise.allSettled(oids.map((oid) => reader.read(oid)));
    const states = (results: readonly { status: string }[]) => results.map(({ status }) => status);
    expect(states(await withKilledGit(repo, 2, read))).toEqual(["fulfilled", "fulfilled"]);
    reader.close();
    expect(states(await withKilledGit(repo, 99, read))).toEqual(["rejected", "rejected"]);
  });

  it("checks type and id of what has to be there", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, "text");
    expect((await reader.readChecked(oid, "blob")).toString()).toBe("text");
    const damaged = expect.objectContaining({ code: "checkpoint_damaged" });
    await expect(reader.readChecked(oid, "tree")).rejects.toEqual(damaged);
    await deleteObject(repo, oid);
    await expect(reader.readChecked(oid, "blob")).rejects.toEqual(damaged);
  });

  it("hands over in pieces what may be larger than memory", async () => {
    const { repo, reader } = await openedRepository();
    const contents = [
      randomBytes(3_000_000),
      Buffer.alloc(0),
      Buffer.from("x\n"),
      randomBytes(70_000),
    ];
    const oids: string[] = [];
    for (const content of contents) oids.push(await blob(repo, content));
    const taken = await Promise.all(
      oids.map(async (oid) => {
        const taker = pieceTaker();
        // Others ask for whole objects meanwhile.
        const [whole] = await Promise.all([
          reader.read(oid),
          reader.readPieces(oid, "blob", taker),
        ]);
        return { whole: whole?.content, ...taker.taken() };
      }),
    );
    for (const [at, content] of contents.entries()) {
      expect(taken[at]?.size).toBe(content.length);
      expect(taken[at]?.content.equals(content)).toBe(true);
      expect(taken[at]?.whole?.equals(content)).toBe(true);
      expect(taken[at]?.largest).toBeLessThan(1_000_000);
    }
  });

  it("begins again when git is killed, and goes on after a taker that wants no more", async () => {
    const { repo, reader } = await openedRepository();
    const content = randomBytes(2_000_000);
    const oid = await blob(repo, content);
    const taker = pieceTaker();
    await withKilledGit(repo, 2, () => reader.readPieces(oid, "blob", taker));
    expect(taker.taken().content.equals(content)).toBe(true);
    const enough = {
      begin: () => undefined,
      take: () => {
        throw new Error("enough");
      },
    };
    const results = await Promise.allSettled([
      reader.readPieces(oid, "blob", enough),
      reader.readChecked(oid, "blob"),
      reader.readPieces(oid, "blob", { ...enough, begin: enough.take }),
      reader.readChecked(oid, "blob"),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  it("checks what it hands over in pieces", async () => {
    const { repo, reader } = await openedRepository();
    const oid = await blob(repo, "text");
    const damaged = expect.objectContaining({ code: "checkpoint_damaged" });
    await expect(reader.readPieces(oid, "tree", pieceTaker())).rejects.toEqual(damaged);
    await expect(reader.readPieces("1".repeat(40), "blob", pieceTaker())).rejects.toEqual(damaged);
  });

  it("can be closed before it was used, and twice", async () => {
    const { reader } = await openedRepository();
    reader.close();
    reader.close();
  });
});
