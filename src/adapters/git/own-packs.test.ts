import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mergePacks, notePack, ownPacks, packFolder, packsWithoutIndex } from "./own-packs.ts";
import { openedRepository, type OpenedRepository } from "./temp-repository.fixture.ts";

/** Enough for them to be merged. */
const PACKS = 24;

interface WithPacks extends OpenedRepository {
  readonly blobs: string[];
  readonly add: (count: number) => Promise<void>;
}

async function withPacks(): Promise<WithPacks> {
  const opened = await openedRepository();
  const blobs: string[] = [];
  const add = (count: number) => addPacks(opened, blobs, count);
  await add(PACKS);
  return { ...opened, blobs, add };
}

async function addPacks(
  { repo, repository }: OpenedRepository,
  blobs: string[],
  count: number,
): Promise<void> {
  for (let number = 0; number < count; number++) {
    await repo.write("content", randomBytes(6000).toString("hex"));
    const blob = (await repo.git("hash-object", "-w", "content")).trim();
    blobs.push(blob);
    await repo.write("list", `${blob}\n`);
    const base = join(packFolder(repository), "pack");
    const hash = await repo.git("-c", `alias.pack=!git pack-objects -q ${base} < list`, "pack");
    notePack(repository, hash.trim());
  }
  await repo.git("prune-packed");
}

/** Every git that is started from now on can write no file of more than 32 kB. */
function limitFiles(folder: string): void {
  replaceGit(folder, (path) => `ulimit -f 64\nPATH='${path}' exec git "$@"\n`);
}

/** Every git that is started from now on is this script. */
function replaceGit(folder: string, script: (path: string) => string): void {
  const bin = join(folder, "other-bin");
  mkdirSync(bin);
  const path = process.env["PATH"] ?? "";
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script(path)}`);
  chmodSync(join(bin, "git"), 0o755);
  vi.stubEnv("PATH", `${bin}${delimiter}${path}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("mergePacks", () => {
  it("makes one pack of many, and loses nothing of them", async () => {
    const { repo, repository, blobs } = await withPacks();
    await mergePacks(repository);
    expect(ownPacks(repository).count).toBeLessThan(PACKS);
    for (const blob of blobs) await repo.git("cat-file", "-e", blob);
    await repo.git("fsck", "--full");
  });

  it("leaves everything as it was, and no unfinished pack, when git is stopped in the middle", async () => {
    const { repo, repository, blobs } = await withPacks();
    const before = readdirSync(packFolder(repository)).toSorted();
    limitFiles(repo.base);
    await expect(mergePacks(repository)).rejects.toMatchObject({ code: "git_failed" });
    expect(readdirSync(packFolder(repository)).toSorted()).toEqual(before);
    expect(ownPacks(repository).count).toBe(PACKS);
    for (const blob of blobs) await repo.git("cat-file", "-e", blob);
  });
});

describe("a pack without an index", () => {
  const hashOf = (name: string): string => name.slice("pack-".length, -".pack".length);

  it("stays when nothing says that it was merged, is named, and is whole after `git index-pack`", async () => {
    const { repo, repository, blobs, add } = await withPacks();
    const folder = packFolder(repository);
    const lone = packs(folder).slice(0, 2);
    for (const name of lone) rmSync(join(folder, name.replace(".pack", ".idx")));
    await mergePacks(repository);
    await add(PACKS);
    await mergePacks(repository);
    expect(packs(folder)).toEqual(expect.arrayContaining(lone));
    const named = packsWithoutIndex(repository);
    expect(named.toSorted()).toEqual(lone.map((name) => join(folder, name)));
    for (const path of named) await repo.git("index-pack", path);
    expect(packsWithoutIndex(repository)).toEqual([]);
    for (const blob of blobs) await repo.git("cat-file", "-e", blob);
  });

  it("goes when its process was killed after it had been merged", async () => {
    const { repo, repository, blobs } = await withPacks();
    const folder = packFolder(repository);
    const before = packs(folder);
    const aside = join(repo.base, "aside");
    cpSync(folder, aside, { recursive: true });
    await mergePacks(repository);
    const [gone = ""] = before.filter((name) => !packs(folder).includes(name));
    cpSync(join(aside, gone), join(folder, gone));
    writeFileSync(join(repository.sharedDir, "packs", hashOf(gone)), "merged into another\n");
    expect(packsWithoutIndex(repository)).toEqual([]);
    addMarkers(repository);
    await mergePacks(repository);
    expect(packs(folder)).not.toContain(gone);
    for (const blob of blobs) await repo.git("cat-file", "-e", blob);
  });

  it("says so in its marker before the index goes", async () => {
    const { repository } = await withPacks();
    const folder = packFolder(repository);
    const before = packs(folder);
    // A folder cannot be removed like a file: it stops as a kill would.
    for (const name of before) mkdirSync(join(folder, name.replace(".pack", ".rev")));
    await expect(mergePacks(repository)).rejects.toThrow("EISDIR");
    const lone = before.filter((name) => !existsSync(join(folder, name.replace(".pack", ".idx"))));
    expect(lone).toHaveLength(1);
    expect(packsWithoutIndex(repository)).toEqual([]);
  });
});

/** So that there are enough to be looked at; packs that are gone are forgotten on the way. */
function addMarkers(repository: OpenedRepository["repository"]): void {
  for (let at = 0; at < PACKS; at++) notePack(repository, at.toString(16).padStart(40, "0"));
}

describe("mergePacks beside a multi-pack-index", () => {
  /** What makes the packs of now stay, as a file of git; and the file that takes it away again. */
  const INDEXES: Record<string, (folder: string) => string> = {
    "in one file": (folder) => join(folder, "multi-pack-index"),
    "in a chain of files": (folder) => {
      const chain = join(folder, "multi-pack-index.d");
      mkdirSync(chain);
      const layer = join(chain, `multi-pack-index-${"a".repeat(40)}.midx`);
      renameSync(join(folder, "multi-pack-index"), layer);
      return layer;
    },
    "that cannot be understood": (folder) => {
      const path = join(folder, "multi-pack-index");
      rmSync(path);
      writeFileSync(path, "MIDX\u0009");
      return path;
    },
    "that is being written": (folder) => {
      const path = join(folder, "multi-pack-index.lock");
      renameSync(join(folder, "multi-pack-index"), path);
      return path;
    },
  };

  it.each(Object.keys(INDEXES))(
    "[R13] leaves the packs where they are for one %s, and merges them when it is gone",
    async (kind) => {
      const { repo, repository, blobs } = await withPacks();
      const folder = packFolder(repository);
      await repo.git("multi-pack-index", "write");
      const index = INDEXES[kind]?.(folder) ?? "";
      const before = readdirSync(folder).toSorted();
      await mergePacks(repository);
      expect(readdirSync(folder).toSorted()).toEqual(before);
      rmSync(index);
      await mergePacks(repository);
      expect(ownPacks(repository).count).toBeLessThan(PACKS);
      for (const blob of blobs) await repo.git("cat-file", "-e", blob);
    },
  );

  it("[R13] merges only packs that it does not name", async () => {
    const { repo, repository, add } = await withPacks();
    await repo.git("multi-pack-index", "write", "--bitmap");
    const named = packs(packFolder(repository));
    await add(PACKS);
    await mergePacks(repository);
    const after = packs(packFolder(repository));
    expect(after).toEqual(expect.arrayContaining(named));
    expect(after.length).toBeLessThan(2 * PACKS);
    await repo.git("multi-pack-index", "verify");
    await repo.git("fsck", "--full");
    await mergePacks(repository);
    expect(packs(packFolder(repository))).toEqual(after);
  });

  it("[R13] leaves packs that are named while they are merged", async () => {
    const { repo, repository } = await withPacks();
    const folder = packFolder(repository);
    const before = packs(folder);
    // Just before the merged pack is in its place.
    replaceGit(
      repo.base,
      (path) =>
        `PATH='${path}'; export PATH; git "$@"; code=$?\n` +
        `case "$*" in *stdin-packs*) env -u GIT_OBJECT_DIRECTORY git multi-pack-index write;; esac; exit $code\n`,
    );
    await mergePacks(repository);
    expect(existsSync(join(folder, "multi-pack-index"))).toBe(true);
    expect(packs(folder)).toEqual(expect.arrayContaining(before));
    await repo.git("multi-pack-index", "verify");
  });
});

function packs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".pack"))
    .toSorted();
}
