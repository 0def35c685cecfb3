import { existsSync } from "node:fs";
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { deadIdentity } from "../files/process-identity.fixture.ts";
import { openedRepository } from "./temp-repository.fixture.ts";
import { updateRefs } from "./update-refs.ts";

async function twoCommits() {
  const { repo, repository } = await openedRepository();
  const one = await repo.commit("one");
  const two = await repo.commit("two");
  const refs = async () =>
    (await repo.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/waymark"))
      .split("\n")
      .filter(Boolean);
  return { repo, repository, one, two, refs };
}

const A = "refs/waymark/a";
const B = "refs/waymark/b";

describe("updateRefs", () => {
  it("makes, moves and deletes refs", async () => {
    const { repository, one, two, refs } = await twoCommits();
    const create = { name: A, old: undefined, new: one };
    expect(await updateRefs(repository, [create], {})).toBe(true);
    expect(await updateRefs(repository, [{ name: A, old: one, new: two }], {})).toBe(true);
    expect(await refs()).toEqual([`${A} ${two}`]);
    expect(await updateRefs(repository, [{ name: A, old: two, new: undefined }], {})).toBe(true);
    expect(await refs()).toEqual([]);
  });

  it("[R29] is not stopped by the lock of a process that was killed", async () => {
    const { repository, one, refs } = await twoCommits();
    const path = join(repository.commonDir, `${A}.lock`);
    const quarantine = join(repository.sharedDir, "quarantine", "dead");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${one}\n`);
    await mkdir(quarantine, { recursive: true });
    const owner = { ...deadIdentity(), keeps: [], refLocks: [{ path, oid: one }] };
    await writeFile(join(quarantine, "owner.json"), JSON.stringify(owner));
    expect(await updateRefs(repository, [{ name: A, old: undefined, new: one }], {})).toBe(true);
    expect(await refs()).toEqual([`${A} ${one}`]);
  });

  it("[R29] names the lock of somebody who may be alive", async () => {
    const { repository, one, refs } = await twoCommits();
    const path = join(repository.commonDir, `${A}.lock`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    await expect(
      updateRefs(repository, [{ name: A, old: undefined, new: one }], {}),
    ).rejects.toMatchObject({
      code: "repository_busy",
      message: `another git process has locked ${path}`,
    });
    expect(await refs()).toEqual([]);
  });

  it("[R29] is not stopped by what an interrupted git left of packed refs", async () => {
    const { repo, repository, one, refs } = await twoCommits();
    await updateRefs(repository, [{ name: A, old: undefined, new: one }], {});
    await repo.git("pack-refs", "--all");
    const left = join(repository.commonDir, "packed-refs.new");
    await writeFile(left, "# pack-refs");
    const old = Date.now() / 1000 - 60;
    await utimes(left, old, old);
    expect(await updateRefs(repository, [{ name: A, old: one, new: undefined }], {})).toBe(true);
    expect(await refs()).toEqual([]);
    expect(existsSync(left)).toBe(false);
  });

  it("changes none of them when one is not as expected", async () => {
    const { repository, one, two, refs } = await twoCommits();
    await updateRefs(repository, [{ name: A, old: undefined, new: one }], {});
    const both = (change: { old: string | undefined; new: string | undefined }) =>
      updateRefs(
        repository,
        [
          { name: B, old: undefined, new: one },
          { name: A, ...change },
        ],
        {},
      );
    expect(await both({ old: undefined, new: two })).toBe(false);
    expect(await both({ old: two, new: one })).toBe(false);
    expect(await both({ old: two, new: undefined })).toBe(false);
    expect(await refs()).toEqual([`${A} ${one}`]);
  });

  it("says no when the ref that should be moved is not there", async () => {
    const { repository, one, two, refs } = await twoCommits();
    expect(await updateRefs(repository, [{ name: A, old: one, new: two }], {})).toBe(false);
    expect(await updateRefs(repository, [{ name: A, old: one, new: undefined }], {})).toBe(false);
    expect(await refs()).toEqual([]);
  });

  it("fails when git cannot do it for another reason", async () => {
    const { repository } = await twoCommits();
    const missing = "1".repeat(40);
    await expect(
      updateRefs(repository, [{ name: A, old: undefined, new: missing }], {}),
    ).rejects.toMatchObject({ code: "git_failed" });
  });

  // Git gives up after a tenth of a second. Then `create`, or the journal of a rollback that is already done, fails.
  it("waits for a process that has the ref locked for a moment", async () => {
    const { repo, repository, one } = await twoCommits();
    await updateRefs(repository, [{ name: A, old: undefined, new: one }], {});
    const lock = join(repo.root, ".git", `${B}.lock`);
    await writeFile(lock, "");
    setTimeout(() => void rm(lock, { force: true }), 700);
    expect(await updateRefs(repository, [{ name: B, old: undefined, new: one }], {})).toBe(true);
  });
});
