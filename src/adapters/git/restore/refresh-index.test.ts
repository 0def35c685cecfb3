import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../../test/support/temp-repository.ts";
import { rootFolder } from "../../files/byte-names.ts";
import { openedRepository } from "../temp-repository.fixture.ts";
import { refreshIndex } from "./refresh-index.ts";

/** Staged long ago, in an index that is younger than the file. */
const STAGED = 1_700_000_000;

async function withFile(content: string, version = 2) {
  const { repo, repository } = await openedRepository();
  const [file, index] = [join(repo.root, "file"), join(repo.root, ".git/index")];
  await repo.git("config", "index.version", String(version));
  writeFileSync(file, content);
  utimesSync(file, STAGED, STAGED);
  await repo.git("add", "file");
  utimesSync(index, STAGED + 60, STAGED + 60);
  const write = (text: string, seconds?: number): void => {
    writeFileSync(file, text);
    if (seconds !== undefined) utimesSync(file, seconds, seconds);
  };
  const refresh = (): boolean => {
    const { mtimeNs } = statSync(index, { bigint: true });
    const root = rootFolder(repo.root);
    const refreshed = refreshIndex(readFileSync(index), repository.hash, mtimeNs, root);
    if (refreshed === undefined) return false;
    writeFileSync(index, refreshed);
    utimesSync(index, STAGED + 60, STAGED + 60);
    return true;
  };
  return { repo, index, write, refresh };
}

const changed = (repo: TempRepository): Promise<string> => repo.git("diff-files", "--name-only");

describe("[R181] refreshIndex", () => {
  it.each([2, 4])("makes a file clean that was written again (version %d)", async (version) => {
    const { repo, write, refresh } = await withFile("one", version);
    expect(refresh()).toBe(false);
    write("one");
    expect(await changed(repo)).toBe("file\n");
    expect(refresh()).toBe(true);
    expect(await changed(repo)).toBe("");
    await repo.git("fsck");
  });

  it("hides no edit of the same length, whatever time it leaves on the file", async () => {
    const { repo, write, refresh } = await withFile("one");
    write("one");
    const { mtimeMs } = statSync(join(repo.root, "file"));
    refresh();
    write("two", mtimeMs / 1000);
    expect(await changed(repo)).toBe("file\n");
  });

  it("leaves it to git whether a young file is clean, and does not take a changed one for clean", async () => {
    const { repo, write, refresh } = await withFile("one");
    write("two");
    refresh();
    expect(await changed(repo)).toBe("file\n");
  });

  it("takes a file that is older than the index for clean only by its bytes", async () => {
    const same = await withFile("one");
    same.write("one", STAGED - 60);
    expect(same.refresh()).toBe(true);
    expect(await changed(same.repo)).toBe("");
    const other = await withFile("one");
    other.write("two", STAGED - 60);
    expect(other.refresh()).toBe(false);
    expect(await changed(other.repo)).toBe("file\n");
  });

  it("leaves an entry of another length as it is", async () => {
    const { write, refresh } = await withFile("one");
    write("three");
    expect(refresh()).toBe(false);
  });

  it.each(["--assume-unchanged", "--skip-worktree"])(
    "leaves an entry with %s as it is",
    async (flag) => {
      const { repo, index, write, refresh } = await withFile("one");
      await repo.git("update-index", flag, "file");
      utimesSync(index, STAGED + 60, STAGED + 60);
      write("one");
      expect(refresh()).toBe(false);
    },
  );

  it("writes no checksum where git wrote none", async () => {
    const { repo, index, write, refresh } = await withFile("one");
    const bytes = readFileSync(index);
    writeFileSync(index, bytes.fill(0, bytes.length - 20));
    utimesSync(index, STAGED + 60, STAGED + 60);
    write("one");
    expect(refresh()).toBe(true);
    expect(readFileSync(index).subarray(-20)).toEqual(Buffer.alloc(20));
    expect(await changed(repo)).toBe("");
  });
});
