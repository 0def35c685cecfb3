import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listIndexEntriesArgs, parseIndexEntries } from "../../../test/support/index-entries.ts";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { asBytePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";
import { IndexFile, isStatSize } from "./index-file.ts";
import type { HashName } from "./object-hash.ts";
import { tempRepository } from "./temp-repository.fixture.ts";

const bytesOf = (repo: TempRepository): Promise<Buffer> => readFile(join(repo.root, ".git/index"));

async function indexOf(repo: TempRepository, hash: HashName = "sha1"): Promise<IndexFile> {
  return new IndexFile(await bytesOf(repo), hash);
}

/** The entries in the words of test/support/index-entries.ts. */
function entriesOf(index: IndexFile): Map<string, string> {
  return new Map(
    Array.from({ length: index.length }, (_, entry): [string, string] => {
      const stage = index.stage(entry);
      const path = index.path(entry);
      const flags = [
        ...(index.isAssumedValid(entry) ? ["assume-unchanged"] : []),
        ...(index.skipsWorkTree(entry) ? ["skip-worktree"] : []),
        ...(index.isIntentToAdd(entry) ? ["intent-to-add"] : []),
      ];
      const mode = index.mode(entry).toString(8).padStart(6, "0");
      return [
        stage === 0 ? path : `${path} (stage ${stage})`,
        [mode, index.oid(entry), ...flags].join(" "),
      ];
    }),
  );
}

async function gitEntries(repo: TempRepository): Promise<Map<string, string>> {
  return parseIndexEntries(await repo.git(...listIndexEntriesArgs(await bytesOf(repo))));
}

async function expectAsGitSees(repo: TempRepository, hash: HashName = "sha1"): Promise<IndexFile> {
  const index = await indexOf(repo, hash);
  expect([...entriesOf(index)]).toEqual([...(await gitEntries(repo))]);
  return index;
}

/** Files of every kind, with names that share beginnings and names that are not UTF-8. */
async function addFiles(repo: TempRepository): Promise<void> {
  await repo.write("a", "a");
  await repo.write("a.b", "ab");
  await repo.write("a0", "a0");
  await repo.write("dir/long name", "x");
  await repo.write("dir/long name 2", "y", 0o755);
  await repo.write("dir/sub/deep", "z");
  await repo.write(Buffer.from("caf\xe9/\xff\n\t", "latin1"), "odd");
  await repo.write("grün", "utf8");
  await repo.link("link", "a");
  await repo.git("add", "-A");
}

/** Entries that are in no work tree. */
async function addInfo(repo: TempRepository, lines: readonly string[]): Promise<void> {
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
  await repo.gitWithInput(input, "update-index", "-z", "--index-info");
}

async function blob(repo: TempRepository, text: string): Promise<string> {
  return (await repo.gitWithInput(text, "hash-object", "-w", "--stdin")).trim();
}

describe.each([
  ["sha1", 2],
  ["sha1", 3],
  ["sha1", 4],
  ["sha256", 2],
  ["sha256", 4],
] as const)("an index with %s and version %i", (hash, version) => {
  it("is read as git reads it", async () => {
    const repo = await tempRepository(`--object-format=${hash}`);
    await repo.git("config", "index.version", String(version));
    await addFiles(repo);
    if (version === 3) await repo.git("update-index", "--skip-worktree", "dir/sub/deep");
    else await repo.git("update-index", "--index-version", String(version));
    const index = await expectAsGitSees(repo, hash);
    expect(index.version).toBe(version);
    expect(index.length).toBe(9);
    expect(index.special).toHaveLength(version === 3 ? 1 : 0);
    expect(index.isSparse || index.isSplit).toBe(false);
  });

  it("knows which names it mentions, also where one continues the name before it", async () => {
    const repo = await tempRepository(`--object-format=${hash}`);
    for (const name of [".git-blame-ignore-revs", ".gitattributes"]) await repo.write(name, "");
    await repo.git("add", "-A");
    await repo.git("update-index", "--index-version", String(version));
    const index = new IndexFile(await readFile(await repo.gitPath("index")), hash);
    expect(index.mentions(".gitattributes")).toBe(true);
    expect(index.mentions("waymark=")).toBe(false);
  });

  it("is read with flags, conflicts and very long names", async () => {
    const repo = await tempRepository(`--object-format=${hash}`);
    await repo.git("config", "index.version", String(version === 3 ? 2 : version));
    await addFiles(repo);
    await repo.write("later", "later");
    await repo.git("add", "-N", "later");
    await repo.git("update-index", "--assume-unchanged", "a");
    await repo.git("update-index", "--skip-worktree", "a.b");
    await repo.git("update-index", "--assume-unchanged", "--skip-worktree", "dir/long name");
    const oid = await blob(repo, "x");
    // Longer than the twelve bits that the entry has for the length of its name.
    const long = ["x".repeat(4094), "x".repeat(4095), "x".repeat(4096), "x".repeat(9000)];
    await addInfo(repo, [
      ...long.map((name) => `100644 ${oid} 0\t${name}`),
      // Version 4 writes down how much of the name before it is gone.
      `100644 ${oid} 0\ty`,
      `100644 ${oid} 1\tconflict`,
      `100755 ${oid} 2\tconflict`,
      `120000 ${oid} 3\tconflict`,
      `100644 ${oid} 2\tdir/added by us`,
      `160000 ${oid} 0\tmodule`,
    ]);
    const index = await expectAsGitSees(repo, hash);
    expect(index.special.map((entry) => index.path(entry))).toEqual([
      "a",
      "a.b",
      "conflict",
      "conflict",
      "conflict",
      "dir/added by us",
      "dir/long name",
      "later",
    ]);
    expect(index.submodules.map((entry) => index.path(entry))).toEqual(["module"]);
  });
});

describe("an index after a merge", () => {
  it("is read with the stages of its conflicts, and with what git needs to undo a resolution", async () => {
    const repo = await tempRepository();
    await repo.write("both", "base\n");
    await repo.write("gone", "base\n");
    await repo.git("add", "-A");
    await repo.commit("base");
    await repo.git("switch", "-q", "-c", "theirs");
    await repo.write("both", "theirs\n");
    await repo.git("rm", "-q", "gone");
    await repo.git("add", "-A");
    await repo.commit("theirs");
    await repo.git("switch", "-q", "main");
    await repo.write("both", "ours\n");
    await repo.write("gone", "ours\n");
    await repo.git("add", "-A");
    await repo.commit("ours");
    await repo.gitStops("merge", "-q", "theirs");
    const conflicted = await expectAsGitSees(repo);
    expect([...entriesOf(conflicted).keys()]).toEqual([
      "both (stage 1)",
      "both (stage 2)",
      "both (stage 3)",
      "gone (stage 1)",
      "gone (stage 2)",
    ]);
    expect(conflicted.find(asBytePath("both"))).toBe(-1);

    await repo.write("both", "resolved\n");
    await repo.git("add", "both");
    await repo.git("rm", "-q", "gone");
    const resolved = await expectAsGitSees(repo);
    const undo = resolved.resolveUndo.map(
      ({ mode, oid, stage, path }) => `${mode.toString(8)} ${oid} ${stage}\t${path}\n`,
    );
    expect(undo.join("")).toBe(await repo.git("ls-files", "--resolve-undo"));
    expect(undo).toHaveLength(5);
  });
});

describe("a sparse index", () => {
  it("is read with whole folders as entries", async () => {
    const repo = await tempRepository();
    for (const name of ["in/a", "out/a", "out/deep/b", "out.b", "root"])
      await repo.write(name, name);
    await repo.git("add", "-A");
    await repo.commit("all");
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in");
    const index = await expectAsGitSees(repo);
    expect(index.isSparse).toBe(true);
    expect([...entriesOf(index).keys()]).toEqual(["in/a", "out.b", "out/", "root"]);
    const folder = index.lowerBound("out/");
    expect(index.mode(folder)).toBe(0o040000);
    expect(index.oid(folder)).toBe((await repo.git("rev-parse", "HEAD:out")).trim());
  });
});

describe("looking up a path", () => {
  it("finds exactly those that are there, in any version", async () => {
    const repo = await tempRepository();
    const oid = await blob(repo, "x");
    const name = fc
      .array(fc.constantFrom("a", "b", "ab", "a.b", "a0", "\xff", " "), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 1, maxLength: 40 }),
        fc.array(name, { maxLength: 12 }),
        fc.constantFrom(2, 4),
        async (present, others, version) => {
          await repo.git("read-tree", "--empty");
          await addInfo(
            repo,
            present.map((path) => `100644 ${oid} 0\t${path}`),
          );
          await repo.git("update-index", "--index-version", String(version));
          const index = await indexOf(repo);
          const there = [...entriesOf(index).keys()];
          for (const path of [...present, ...others]) {
            const entry = index.find(asBytePath(path));
            expect(entry >= 0).toBe(there.includes(path));
            if (entry >= 0) expect(index.path(entry)).toBe(path);
            const before = there.filter((other) => other < path).length;
            expect(index.lowerBound(path)).toBe(before);
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("what the index says about files on disk", () => {
  it("is which of them changed since a second", async () => {
    const repo = await tempRepository();
    await repo.write("old", "old");
    await repo.write("new", "new");
    await utimes(repo.path("old"), 1000, 1000);
    await utimes(repo.path("new"), 2000, 2000);
    await repo.git("add", "-A");
    const index = await indexOf(repo);
    const since = (second: number): string[] =>
      index.changedSince(second).map((entry) => index.path(entry));
    expect(since(1000)).toEqual(["new", "old"]);
    expect(since(1001)).toEqual(["new"]);
    expect(since(2000)).toEqual(["new"]);
    expect(since(2001)).toEqual([]);
  });

  it("is how many bytes they have", async () => {
    const repo = await tempRepository();
    await repo.write("a", "12345");
    await repo.write("b", "123");
    await repo.git("add", "-A");
    const index = await indexOf(repo);
    expect(index.statSize(index.find(asBytePath("a")))).toBe(5);
    expect(index.totalSize).toBe(8);
  });

  it("is only a part of their length, and says whether a length can be theirs", () => {
    const gib = 2 ** 30;
    expect([isStatSize(5, 5), isStatSize(0, 0), isStatSize(gib, 5 * gib)]).toEqual([
      true,
      true,
      true,
    ]);
    // As git before 2.43 writes it, and since.
    expect([isStatSize(0, 4 * gib), isStatSize(2 * gib, 4 * gib)]).toEqual([true, true]);
    expect([isStatSize(5, 6), isStatSize(2 * gib, 0), isStatSize(5, NaN)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("can be compared between two readings", async () => {
    const repo = await tempRepository();
    await repo.write("same", "same");
    await repo.write("edited", "1");
    await repo.git("add", "-A");
    const before = await indexOf(repo);
    await repo.write("edited", "22");
    await repo.write("another", "file before both");
    await repo.git("add", "-A");
    const after = await indexOf(repo);
    const isSame = (path: string): boolean =>
      after.sameEntries(after.find(asBytePath(path)), before, before.find(asBytePath(path)), 1);
    expect(isSame("same")).toBe(true);
    expect(isSame("edited")).toBe(false);
  });
});

describe("an index that git did not write", () => {
  it.each([
    ["nothing", Buffer.alloc(0)],
    ["something else", Buffer.from("PACK".repeat(20))],
    ["a version that is not known", Buffer.concat([header(5, 0), Buffer.alloc(20)])],
  ])("is refused: %s", (_what, bytes) => {
    expect(() => new IndexFile(bytes, "sha1")).toThrow(Failure);
  });

  it("is refused when it needs an extension that is not known", () => {
    const extension = Buffer.concat([Buffer.from("new!"), Buffer.alloc(4)]);
    const bytes = Buffer.concat([header(2, 0), extension, Buffer.alloc(20)]);
    expect(() => new IndexFile(bytes, "sha1")).toThrow(/the unsupported extension new!/);
  });

  it("is read when it has an extension that git calls optional", () => {
    const extension = Buffer.concat([Buffer.from("NEW!"), Buffer.alloc(4)]);
    const bytes = Buffer.concat([header(2, 0), extension, Buffer.alloc(20)]);
    expect(new IndexFile(bytes, "sha1").length).toBe(0);
  });

  // A RangeError of a Buffer reaches the user as a bug in Waymark.
  it("is refused when it is cut short", async () => {
    const repo = await tempRepository();
    await addFiles(repo);
    const bytes = await bytesOf(repo);
    expect(() => new IndexFile(bytes.subarray(0, 200), "sha1")).toThrow(Failure);
  });
});

function header(version: number, count: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.write("DIRC");
  bytes.writeUInt32BE(version, 4);
  bytes.writeUInt32BE(count, 8);
  return bytes;
}
