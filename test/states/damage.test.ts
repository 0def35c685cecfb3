/** Damage is found, kept to the checkpoint that it hits, and never restored from. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expectExit, expectFailure, waymark, type CliResult } from "../support/cli.ts";
import { deleteObject, flipByteOfObject } from "../support/damage.ts";
import { created } from "../support/driver.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { seedRepository } from "../support/seed-repository.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";

const run = async (repo: TempRepository, ...args: string[]): Promise<CliResult> =>
  await waymark(repo.root, args, { env: repo.env });

interface Scene {
  readonly repo: TempRepository;
  /** Holds big.bin, which the other one does not. */
  readonly damaged: string;
  readonly sound: string;
}

async function scene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempRepository(async (repo) => {
    await seedRepository(repo);
    await repo.write("big.bin", randomBytes(8000));
    await repo.write("small.txt", "of the first one only\n");
    await repo.git("add", "small.txt");
    const damaged = created(await run(repo, "create")).id;
    await repo.git("rm", "-q", "--cached", "small.txt");
    await repo.remove("big.bin");
    await repo.remove("small.txt");
    await repo.write("b.txt", "second\n");
    const sound = created(await run(repo, "create")).id;
    await repo.write("b.txt", "third\n");
    await body({ repo, damaged, sound });
  });
}

async function objectOf(repo: TempRepository, id: string, path: string): Promise<string> {
  return (await repo.store("rev-parse", `refs/waymark/cp/${id}${path}`)).trim();
}

/** Everything that must hold once a checkpoint is damaged. */
async function expectContained({ repo, damaged, sound }: Scene): Promise<void> {
  const validation = await run(repo, "validate");
  expectExit(validation, 4);
  const verdict = Object.fromEntries(
    items(validation.json, "checkpoints").map((entry) => [text(entry, "id"), entry]),
  );
  expect(Object.keys(verdict).sort()).toEqual([damaged, sound].sort());
  expect(field(verdict[damaged], "overall")).not.toEqual(field(verdict[sound], "overall"));
  expectExit(await run(repo, "validate", sound), 0);
  expectExit(await run(repo, "validate", damaged), 4);

  const list = await run(repo, "list");
  expectExit(list, 0);
  expect(items(list.json, "checkpoints").map((entry) => text(entry, "id"))).toEqual(
    expect.arrayContaining([damaged, sound]),
  );

  const before = await takeFingerprint(repo);
  const refs = await repo.storeRefs("refs/waymark/cp");
  const refused = await run(repo, "rollback", damaged, "--yes");
  expectExit(refused, 4);
  expectFailure(refused);
  expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
  expect(await repo.storeRefs("refs/waymark/cp")).toBe(refs);

  const rolledBack = await run(repo, "rollback", sound, "--yes");
  expectExit(rolledBack, 0);
  expect((await repo.read("b.txt")).toString()).toBe("second\n");
}

describe.concurrent("a damaged checkpoint", () => {
  it("with a flipped byte in a file is found, refused, and does not hide the others", async () => {
    await scene(async (all) => {
      await flipByteOfObject(all.repo, await objectOf(all.repo, all.damaged, ":worktree/big.bin"));
      await expectContained(all);
    });
  });

  it("with a missing file is found, refused, and does not hide the others", async () => {
    await scene(async (all) => {
      await deleteObject(all.repo, await objectOf(all.repo, all.damaged, ":worktree/small.txt"));
      await expectContained(all);
    });
  });

  it("with a missing folder is found, refused, and does not hide the others", async () => {
    await scene(async (all) => {
      await deleteObject(all.repo, await objectOf(all.repo, all.damaged, ":worktree"));
      await expectContained(all);
    });
  });

  it("with a missing raw index is found, refused, and does not hide the others", async () => {
    await scene(async (all) => {
      const raw = await objectOf(all.repo, all.damaged, ":index.raw");
      expect(raw).not.toBe(await objectOf(all.repo, all.sound, ":index.raw"));
      await deleteObject(all.repo, raw);
      await expectContained(all);
    });
  });

  it("that git wrote again with another tree is listed as damaged, as validate says", async () => {
    await scene(async (all) => {
      const { repo, damaged } = all;
      // As `git filter-branch -- --all` does it: the message stays.
      await rewriteCommit(repo, damaged, damaged, (commit) =>
        commit.replace(/^tree .*/, `tree ${EMPTY_TREE}`),
      );
      const listed = await run(repo, "list", "--all");
      const one = items(listed.json, "checkpoints").find((entry) => text(entry, "id") === damaged);
      expect(JSON.stringify(one)).toContain("its tree does not match the document");
      await expectContained(all);
    });
  });

  it("whose commit is missing does not hide the others", async () => {
    await scene(async ({ repo, damaged, sound }) => {
      await deleteObject(repo, await objectOf(repo, damaged, ""));
      const list = await run(repo, "list");
      expectExit(list, 0);
      expect(items(list.json, "checkpoints").map((entry) => text(entry, "id"))).toContain(sound);
      expectExit(await run(repo, "validate"), 4);
      expectExit(await run(repo, "rollback", damaged, "--yes"), 3, 4);
      const rolledBack = await run(repo, "rollback", sound, "--yes");
      expectExit(rolledBack, 0);
    });
  });

  it.each([
    ["text that is not JSON", (message: string) => message.replace("{", "{{{")],
    ["a changed field", (message: string) => message.replace(/"host": ?"/, (all) => `${all}not-`)],
    ["no document at all", () => "nothing here\n"],
  ])("whose document is %s does not hide the others", async (_, change) => {
    await scene(async ({ repo, damaged, sound }) => {
      await rewriteDocument(repo, damaged, damaged, change);
      const list = await run(repo, "list");
      expectExit(list, 0);
      expect(items(list.json, "checkpoints").map((entry) => text(entry, "id"))).toContain(sound);
      expectExit(await run(repo, "validate"), 4);
      const before = await takeFingerprint(repo);
      const refused = await run(repo, "rollback", damaged, "--yes");
      expectExit(refused, 3, 4);
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      const rolledBack = await run(repo, "rollback", sound, "--yes");
      expectExit(rolledBack, 0);
    });
  });

  it("from a newer version is listed, refused, and left as it is", async () => {
    await scene(async ({ repo, damaged }) => {
      const future = `${damaged.slice(0, -1)}${damaged.endsWith("0") ? "1" : "0"}`;
      await rewriteDocument(repo, damaged, future, (message) =>
        message
          .replaceAll(damaged, future)
          .replace(/"schema_version": ?\d+/, '"schema_version":99,"from_the_future":true'),
      );
      const before = await takeFingerprint(repo);
      const commit = await objectOf(repo, future, "");
      const list = await run(repo, "list", "--all");
      expectExit(list, 0);
      expect(items(list.json, "checkpoints").map((entry) => text(entry, "id"))).toContain(future);
      const refused = await run(repo, "rollback", future, "--yes");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "message")).toMatch(/99|newer/);
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      expect(await objectOf(repo, future, "")).toBe(commit);
    });
  });
});

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** Writes the checkpoint's commit anew and points `refs/waymark/cp/<name>` at it. */
async function rewriteCommit(
  repo: TempRepository,
  id: string,
  name: string,
  change: (commit: string) => string,
): Promise<void> {
  const commit = await repo.store("cat-file", "commit", `refs/waymark/cp/${id}`);
  const changed = change(commit);
  expect(changed).not.toBe(commit);
  const input = Buffer.from(changed, "latin1");
  const oid = await repo.storeWithInput(input, "hash-object", "-t", "commit", "-w", "--stdin");
  await repo.store("update-ref", `refs/waymark/cp/${name}`, oid.trim());
}

function rewriteDocument(
  repo: TempRepository,
  id: string,
  name: string,
  change: (message: string) => string,
): Promise<void> {
  return rewriteCommit(repo, id, name, (commit) => {
    const end = commit.indexOf("\n\n") + 2;
    return commit.slice(0, end) + change(commit.slice(end));
  });
}
