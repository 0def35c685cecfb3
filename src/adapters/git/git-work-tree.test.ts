import { copyFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

/** What git itself would commit now, asked with a copy of the index. */
async function treeOfEverything(repo: TempRepository): Promise<string> {
  const copy = join(repo.base, "index-copy");
  const env = { GIT_INDEX_FILE: copy };
  await copyFile(join(repo.root, ".git/index"), copy);
  await repo.tryGit(["add", "-A"], { env });
  return (await repo.tryGit(["write-tree"], { env })).stdout.toString("latin1").trim();
}

const name = fc
  .array(fc.constantFrom("a", "b", "a.b", "\xff\n"), { minLength: 1, maxLength: 3 })
  .map((parts) => Buffer.from(parts.join("/"), "latin1"));

type Step =
  | { readonly kind: "write"; readonly name: Buffer; readonly text: string; readonly mode: number }
  | { readonly kind: "remove" | "folder" | "link" | "stage"; readonly name: Buffer }
  | { readonly kind: "stage_all" | "commit" | "refresh" | "checkpoint" | "look" | "lose" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      name,
      // The same length, so that only time stamps tell an edit.
      text: fc.constantFrom("one", "two", "six"),
      mode: fc.constantFrom(0o644, 0o755),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "remove" as const,
        "folder" as const,
        "link" as const,
        "stage" as const,
      ),
      name,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "stage_all" as const,
        "commit" as const,
        "refresh" as const,
        "checkpoint" as const,
        "look" as const,
        "lose" as const,
      ),
    }),
  },
);

/** Files and folders take each other's place. */
async function clearTheWay(repo: TempRepository, path: Buffer): Promise<void> {
  const parts = path.toString("latin1").split("/");
  for (let length = 1; length < parts.length; length++) {
    const above = Buffer.from(parts.slice(0, length).join("/"), "latin1");
    const isFolder = await stat(repo.path(above)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) await repo.remove(above);
  }
  await repo.remove(path);
}

async function take(repo: TempRepository, given: Step): Promise<void> {
  if ("name" in given && given.kind !== "stage") await clearTheWay(repo, given.name);
  switch (given.kind) {
    case "write":
      return await repo.write(given.name, given.text, given.mode);
    case "folder":
      return await repo.folder(given.name);
    case "link":
      return await repo.link(given.name, "target");
    case "stage":
      if (await repo.exists(given.name)) await repo.stage([given.name]);
      return;
    case "stage_all":
      return void (await repo.git("add", "-A"));
    case "commit":
      return void (await repo.commit("a commit"));
    case "refresh":
      return void (await repo.git("status"));
    default:
      return;
  }
}

describe("a capture", () => {
  it("has the trees that git would write, after any work, with whatever it remembers from before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const { repo, repository, reader } = await openedRepository();
        const workTree = new GitWorkTree(repository, reader);
        const store = new GitCheckpointStore(repository, reader);
        await repo.write("start", "start");
        await repo.git("add", "-A");
        let seq = 0;
        const published: string[] = [];
        for (const [position, given] of steps.entries()) {
          await take(repo, given);
          const lost = given.kind === "lose" ? published.pop() : undefined;
          if (lost !== undefined) {
            await store.remove([lost]);
            await repo.git("gc", "-q", "--prune=now");
          }
          const isLook = given.kind === "look" || given.kind === "checkpoint";
          if (!isLook && position < steps.length - 1) continue;
          const before = await readFile(join(repo.root, ".git/index"));
          const capture = await workTree.capture({ policy: DEFAULT_POLICY });
          expect(await readFile(join(repo.root, ".git/index"))).toEqual(before);
          expect(capture.part.worktree).toBe(await treeOfEverything(repo));
          expect(capture.part.index).toBe((await repo.git("write-tree")).trim());
          if (given.kind === "look") {
            workTree.remember(capture);
            capture.discard();
            continue;
          }
          seq += 1;
          published.push(`cp-${seq}`);
          await store.publish(draftOf(`cp-${seq}`, capture));
        }
        // Another process: ours may still have a pack open that is gone.
        await repo.git("fsck", "--connectivity-only");
        const verdicts = await store.verify();
        expect(verdicts.flatMap((verdict) => verdict.problems)).toEqual([]);
        expect(verdicts).toHaveLength(published.length);
        reader.close();
      }),
      { numRuns: 15 },
    );
  });
});

describe("beside the user's git", () => {
  it("[R11] reads everything again when what the index named was unstaged and pruned meanwhile", async () => {
    const { repo, repository, reader } = await openedRepository();
    await repo.write("first.txt", "first\n");
    await repo.git("add", "first.txt");
    await repo.git("commit", "-q", "-m", "first");
    await repo.write("staged.txt", "staged\n");
    await repo.git("add", "staged.txt");
    await repo.write("staged.txt", "edited\n");
    const blob = (await repo.git("rev-parse", ":staged.txt")).trim();
    const readPieces = reader.readPieces.bind(reader);
    let isPruned = false;
    vi.spyOn(reader, "readPieces").mockImplementation(async (name, ...rest) => {
      if (name === blob && !isPruned) {
        isPruned = true;
        await repo.git("reset", "-q");
        await repo.git("prune", "--expire=now");
      }
      await readPieces(name, ...rest);
    });
    const capture = await new GitWorkTree(repository, reader).capture({ policy: DEFAULT_POLICY });
    expect(isPruned).toBe(true);
    expect(capture.git.stats).toMatchObject({ staged: 0, untracked: 1 });
    capture.discard();
  });
});
