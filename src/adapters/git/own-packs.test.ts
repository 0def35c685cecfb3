import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mergePacks, notePack, ownPacks, packFolder } from "./own-packs.ts";
import { openedRepository, type OpenedRepository } from "./temp-repository.fixture.ts";

/** Enough for them to be merged. */
const PACKS = 24;

async function withPacks(): Promise<OpenedRepository & { readonly blobs: string[] }> {
  const opened = await openedRepository();
  const { repo, repository } = opened;
  const blobs: string[] = [];
  for (let number = 0; number < PACKS; number++) {
    await repo.write("content", randomBytes(6000).toString("hex"));
    const blob = (await repo.git("hash-object", "-w", "content")).trim();
    blobs.push(blob);
    await repo.write("list", `${blob}\n`);
    const base = join(packFolder(repository), "pack");
    const hash = await repo.git("-c", `alias.pack=!git pack-objects -q ${base} < list`, "pack");
    notePack(repository, hash.trim());
  }
  await repo.git("prune-packed");
  return { ...opened, blobs };
}

/** Every git that is started from now on can write no file of more than 32 kB. */
function limitFiles(folder: string): void {
  const bin = join(folder, "limited-bin");
  mkdirSync(bin);
  const path = process.env["PATH"] ?? "";
  writeFileSync(join(bin, "git"), `#!/bin/sh\nulimit -f 64\nPATH='${path}' exec git "$@"\n`);
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
