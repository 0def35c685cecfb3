import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { asBytePath, encodeUtf8, type BytePath } from "../../domain/byte-path.ts";
import type { EntryMode } from "../../domain/file-state.ts";
import { IndexFile } from "./index-file.ts";
import { tempRepository } from "./temp-repository.fixture.ts";
import { TreeBuilder, type Leaf } from "./tree-builder.ts";

type Files = ReadonlyMap<BytePath, Leaf>;

/** A real repository, and its index as `git update-index --index-info` makes it. */
class Scene {
  readonly repo: TempRepository;
  blobs: string[] = [];

  constructor(repo: TempRepository) {
    this.repo = repo;
  }

  async prepare(): Promise<void> {
    for (const text of ["one", "two", "three"]) {
      this.blobs.push((await this.repo.gitWithInput(text, "hash-object", "-w", "--stdin")).trim());
    }
  }

  /** Makes the index hold these files: in the user's own, step by step, as commands would. */
  async setIndex(before: Files, files: Files): Promise<void> {
    const gone = [...before.keys()].filter((path) => !files.has(path));
    await this.#update([
      ...gone.map((path) => `0 ${"0".repeat(40)}\t${path}`),
      ...lines([...files].filter(([path, leaf]) => !sameLeaf(before.get(path), leaf))),
    ]);
  }

  async clear(): Promise<void> {
    await this.repo.git("read-tree", "--empty");
  }

  async index(): Promise<IndexFile> {
    return new IndexFile(await readFile(join(this.repo.root, ".git/index")), "sha1");
  }

  async writeTree(): Promise<string> {
    return (await this.repo.git("write-tree")).trim();
  }

  /** The tree that git writes for these files, from an index of its own. */
  async treeOf(files: Files): Promise<string> {
    const env = { GIT_INDEX_FILE: join(this.repo.base, "other-index") };
    const run = async (input: string, ...args: string[]) =>
      (await this.repo.tryGit(args, { env, input: Buffer.from(input, "latin1") })).stdout
        .toString("latin1")
        .trim();
    await run("", "read-tree", "--empty");
    await run(joined(lines([...files])), "update-index", "-z", "--index-info");
    return await run("", "write-tree");
  }

  async #update(given: readonly string[]): Promise<void> {
    const input = Buffer.from(joined(given), "latin1");
    await this.repo.gitWithInput(input, "update-index", "-z", "--index-info");
  }
}

const joined = (given: readonly string[]): string => given.map((line) => `${line}\0`).join("");
const lines = (files: readonly (readonly [string, Leaf])[]): string[] =>
  files.map(([path, leaf]) => `${leaf.mode} ${leaf.oid} 0\t${path}`);
const sameLeaf = (left: Leaf | undefined, right: Leaf): boolean =>
  left?.oid === right.oid && left.mode === right.mode;

let scene: Scene;

beforeEach(async () => {
  scene = new Scene(await tempRepository());
  await scene.prepare();
});

/** Names whose order as files is another than as folders. */
const path = fc
  .array(fc.constantFrom("a", "b", "a.b", "a0", "a-b", "ab", "\xff"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => asBytePath(parts.join("/")));
const drawnFiles = fc.array(
  fc.tuple(path, fc.constantFrom<EntryMode>("100644", "100755", "120000"), fc.nat(2)),
  { maxLength: 14 },
);

/** A folder cannot have the name of a file: of two such paths the later one stays. */
function possible(drawn: readonly (readonly [BytePath, EntryMode, number])[]): Files {
  const files = new Map<BytePath, Leaf>();
  for (const [drawnPath, mode, blob] of drawn) {
    for (const other of files.keys()) {
      const clash = other.startsWith(`${drawnPath}/`) || drawnPath.startsWith(`${other}/`);
      if (clash) files.delete(other);
    }
    files.set(drawnPath, { mode, oid: scene.blobs[blob] ?? "" });
  }
  return files;
}

function changesBetween(before: Files, after: Files): Map<BytePath, Leaf | null> {
  const changes = new Map<BytePath, Leaf | null>();
  for (const gone of before.keys()) if (!after.has(gone)) changes.set(gone, null);
  for (const [there, leaf] of after) {
    if (!sameLeaf(before.get(there), leaf)) changes.set(there, leaf);
  }
  return changes;
}

describe("the tree of the index", () => {
  it("is the one that `git write-tree` writes, with and without trees that git knows already", async () => {
    await fc.assert(
      fc.asyncProperty(
        drawnFiles,
        fc.option(drawnFiles, { nil: undefined }),
        async (first, second) => {
          await scene.clear();
          const before = possible(first);
          await scene.setIndex(new Map(), before);
          if (second !== undefined) {
            // Git remembers every tree that it wrote; the second step leaves some of them as they are.
            await scene.writeTree();
            await scene.setIndex(before, possible([...first.slice(2), ...second]));
          }
          const builder = new TreeBuilder(await scene.index(), "sha1");
          expect(builder.indexTree()).toBe(await scene.writeTree());
        },
      ),
      { numRuns: 20 },
    );
  });

  it("has no files that are only going to be added", async () => {
    await scene.repo.write("a/b", "x");
    await scene.repo.write("a/new", "x");
    await scene.repo.write("only/new", "x");
    await scene.repo.git("add", "a/b");
    await scene.repo.git("add", "-N", "a/new", "only/new");
    const builder = new TreeBuilder(await scene.index(), "sha1");
    expect(builder.indexTree()).toBe(await scene.writeTree());
  });

  it("has no conflicted files: `conflicts` has those", async () => {
    const oid = scene.blobs[0] ?? "";
    const entries = [1, 2, 3].map((stage) => `100644 ${oid} ${stage}\tdir/b`);
    const input = joined([`100644 ${oid} 0\tdir/a`, ...entries, `100644 ${oid} 0\tdir/c`]);
    await scene.repo.gitWithInput(input, "update-index", "-z", "--index-info");
    const builder = new TreeBuilder(await scene.index(), "sha1");
    const expected = new Map(
      ["dir/a", "dir/c"].map((name): [BytePath, Leaf] => [
        asBytePath(name),
        { mode: "100644", oid },
      ]),
    );
    expect(builder.indexTree()).toBe(await scene.treeOf(expected));
  });

  it("is that of HEAD in a sparse index", async () => {
    const { repo } = scene;
    for (const name of ["in/a", "out/a", "out/deep/b", "out.b", "root"])
      await repo.write(name, name);
    await repo.git("add", "-A");
    await repo.commit("all");
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in");
    const index = await scene.index();
    expect(index.isSparse).toBe(true);
    const head = (await repo.git("rev-parse", "HEAD^{tree}")).trim();
    expect(new TreeBuilder(index, "sha1").indexTree()).toBe(head);
  });

  it("is the empty tree where there is no index", async () => {
    const empty = (await scene.repo.gitWithInput("", "mktree")).trim();
    const builder = new TreeBuilder(undefined, "sha1");
    expect(builder.indexTree()).toBe(empty);
    expect(builder.workTree(new Map())).toBe(empty);
  });

  it("is the one that git writes with SHA-256", async () => {
    const repo = await tempRepository("--object-format=sha256");
    for (const name of ["a/b", "a.b", "a/c/d"]) await repo.write(name, name);
    await repo.git("add", "-A");
    const bytes = await readFile(join(repo.root, ".git/index"));
    const tree = new TreeBuilder(new IndexFile(bytes, "sha256"), "sha256").indexTree();
    expect(tree).toBe((await repo.git("write-tree")).trim());
  });
});

describe("the tree of the work tree", () => {
  it("is the one that git writes for the same files, after any changes", async () => {
    await fc.assert(
      fc.asyncProperty(drawnFiles, drawnFiles, fc.boolean(), async (first, second, isKnown) => {
        await scene.clear();
        const before = possible(first);
        await scene.setIndex(new Map(), before);
        if (isKnown) await scene.writeTree();
        const after = possible([...first.slice(3), ...second]);
        const builder = new TreeBuilder(await scene.index(), "sha1");
        expect(builder.workTree(changesBetween(before, after))).toBe(await scene.treeOf(after));
      }),
      { numRuns: 20 },
    );
  });

  it("needs no tree to be made for folders without a change", async () => {
    const oid = scene.blobs[0] ?? "";
    const leaf: Leaf = { mode: "100644", oid };
    const files = ["a/x/1", "b/y/2", "c"].map((name): [BytePath, Leaf] => [asBytePath(name), leaf]);
    await scene.setIndex(new Map(), new Map(files));
    await scene.writeTree();
    const builder = new TreeBuilder(await scene.index(), "sha1");
    builder.workTree(new Map([[asBytePath("a/x/new"), leaf]]));
    // The root, a and a/x.
    expect(builder.made.size).toBe(3);
  });

  it("keeps every tree that it made, so that it can be stored", async () => {
    const leaf: Leaf = { mode: "100644", oid: scene.blobs[0] ?? "" };
    const builder = new TreeBuilder(undefined, "sha1");
    const root = builder.treeOf(new Map([[asBytePath("a/b/c"), leaf]]));
    expect(builder.made.size).toBe(3);
    for (const [oid, content] of builder.made) {
      const written = await scene.repo.gitWithInput(
        content,
        "hash-object",
        "-t",
        "tree",
        "--stdin",
      );
      expect(written.trim()).toBe(oid);
    }
    expect(builder.made.has(root)).toBe(true);
  });
});

describe("names that `git fsck --strict` refuses", () => {
  interface Odd {
    readonly kind: "file" | "link" | "folder";
    readonly name: string;
  }
  const odd = (kind: Odd["kind"], ...names: string[]): Odd[] =>
    names.map((name) => ({ kind, name: encodeUtf8(name) }));

  const HOSTILE: Odd[] = [
    ...odd("file", ".git", ".GIT", "git~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "a\\.git"),
    ...odd("file", ".g\u200cit", "\ufeff.git", ".git\u206f", "x\\GIT~1 .\\y"),
    ...odd("folder", ".git", ".Git", "git~1", ".git...", ".gi\u202dt"),
    ...odd("link", ".git", ".gitmodules", ".GITMODULES", ".gitm\u200codules", ".gitmodules .:x"),
    ...odd("link", "gitmod~1", "GI7EBA~1", ".gitattributes", ".gitignore", ".mailmap"),
  ];

  /** Stored by name in folders of their own, each in its kind; fsck's opinion of all of it. */
  async function fsck(all: readonly Odd[], isEscaped: boolean): Promise<string[]> {
    const { repo } = scene;
    const oid = scene.blobs[0] ?? "";
    const made: string[] = [];
    for (const { kind, name } of all) {
      const mode = { file: "100644", link: "120000", folder: "040000" }[kind];
      if (isEscaped) {
        const builder = new TreeBuilder(undefined, "sha1");
        const leafPath = kind === "folder" ? `${name}/file` : name;
        const leafMode = kind === "folder" ? "100644" : mode;
        builder.treeOf(new Map([[asBytePath(leafPath), { mode: leafMode as EntryMode, oid }]]));
        for (const content of builder.made.values()) {
          made.push(await write(repo, content));
        }
      } else {
        const inner = await write(repo, treeBytes("100644", "file", oid));
        made.push(await write(repo, treeBytes(mode, name, kind === "folder" ? inner : oid)));
      }
    }
    const result = await repo.tryGit(["fsck", "--strict", "--no-dangling"]);
    return result.stderr.split("\n").filter((line) => made.some((tree) => line.includes(tree)));
  }

  function treeBytes(mode: string, name: string, oid: string): Buffer {
    const head = Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`, "latin1");
    return Buffer.concat([head, Buffer.from(oid, "hex")]);
  }

  async function write(repo: TempRepository, content: Buffer): Promise<string> {
    const args = ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"];
    return (await repo.gitWithInput(content, ...args)).trim();
  }

  it("are refused as they are", async () => {
    const problems = await fsck(HOSTILE, false);
    expect(new Set(problems.map((line) => / tree (\w+)/.exec(line)?.[1])).size).toBe(
      HOSTILE.length,
    );
  });

  it("pass as they are stored", async () => {
    expect(await fsck(HOSTILE, true)).toEqual([]);
  });

  // Short names of NTFS with more digits, a link behind a backslash, and the short name of .mailmap.
  it.each([
    ...odd("link", "a\\.gitmodules", "gi7eb~10", "~1000000", "mailma~1", "maba30~1"),
    ...odd("folder", ".gitmodules"),
  ])("pass as they are stored: $kind $name", async (name) => {
    expect(await fsck([name], true)).toEqual([]);
  });
});

describe("a tracked name that looks like a stored one", () => {
  const NAME = `waymark=${Buffer.from("../evil").toString("hex")}`;

  it("is escaped in a folder that has to be computed", async () => {
    await scene.repo.write(`dir/${NAME}`, "x");
    await scene.repo.git("add", "-A");
    const builder = new TreeBuilder(await scene.index(), "sha1");
    builder.workTree(new Map());
    const all = Buffer.concat([...builder.made.values()]).toString("latin1");
    expect(all).toContain(`waymark=${Buffer.from(NAME).toString("hex")}`);
  });

  // Git's own tree is taken as it is, and a rollback then reads the name as an escaped `../evil`.
  it("is escaped in a folder whose tree git knows already", async () => {
    await scene.repo.write(`dir/${NAME}`, "x");
    await scene.repo.git("add", "-A");
    await scene.repo.commit("hostile");
    const builder = new TreeBuilder(await scene.index(), "sha1");
    const worktree = builder.workTree(new Map());
    expect(worktree).not.toBe(await scene.writeTree());
  });
});
