// Random edits of nodes and of the main work tree, on files of their own and on the same ones.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MergeOutcome } from "../../src/operations/merge-isolated.ts";
import { runs } from "../support/sample.ts";
import { withTempRepository, type TempRepository } from "../support/temp-repository.ts";
import { Batch, filesOf } from "./batch.ts";

/** One file with twelve lines, of which each edit takes one. */
const NAMES = ["a.txt", "lib/b.txt", '\u00fc "q"\n.txt', "new.txt"] as const;
const LINES = Array.from({ length: 12 }, (_, number) => `line ${number}`);

type Edit =
  | { readonly kind: "line"; readonly name: string; readonly line: number }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "mode"; readonly name: string; readonly mode: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("line" as const),
      name: fc.constantFrom(...NAMES),
      line: fc.nat(LINES.length - 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("remove" as const), name: fc.constantFrom(...NAMES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("mode" as const),
      name: fc.constantFrom(...NAMES),
      mode: fc.constantFrom(0o600, 0o755, 0o644),
    }),
  },
);

const work = fc.record({
  main: fc.array(edit, { maxLength: 2 }),
  nodes: fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 3 }),
  commits: fc.boolean(),
});

async function perform(repo: TempRepository, who: string, edits: readonly Edit[]): Promise<void> {
  for (const one of edits) {
    const isThere = await repo.exists(one.name);
    if (one.kind === "remove") {
      await repo.remove(one.name);
    } else if (one.kind === "mode") {
      if (isThere) await repo.chmod(one.name, one.mode);
    } else {
      const now = isThere ? (await repo.read(one.name)).toString("utf8") : `${LINES.join("\n")}\n`;
      const lines = now.split("\n");
      lines[one.line] = `${lines[one.line] ?? ""} ${who}`;
      await repo.write(one.name, lines.join("\n"));
    }
  }
}

/** What git itself makes of it: real commits on real branches, merged one after the other. */
async function mergedByGit(
  repo: TempRepository,
  edits: { readonly main: readonly Edit[]; readonly nodes: readonly (readonly Edit[])[] },
): Promise<Map<string, unknown> | "conflict"> {
  const base = (await repo.git("rev-parse", "HEAD")).trim();
  const branch = async (name: string, of: readonly Edit[]): Promise<void> => {
    await repo.git("switch", "-q", "-c", name, base);
    await perform(repo, name, of);
    await repo.git("add", "-A");
    await repo.commit(name);
  };
  for (const [number, of] of edits.nodes.entries()) await branch(`n${number}`, of);
  await branch("ours", edits.main);
  for (const number of edits.nodes.keys()) {
    // As `merge-tree` does it for one commit on each side of the base.
    const { code } = await repo.tryGit(["merge", "-q", "--squash", `n${number}`]);
    if (code !== 0) return "conflict";
    await repo.commit(`with n${number}`);
    await repo.git("replace", "--graft", "HEAD", base);
  }
  return filesOf(repo);
}

async function seed(repo: TempRepository): Promise<void> {
  await repo.git("config", "merge.directoryRenames", "false");
  for (const name of NAMES.slice(0, 3)) await repo.write(name, `${LINES.join("\n")}\n`);
  await repo.git("add", "-A");
  await repo.commit("seed");
}

/** Modes beside the executable bit are not git's. */
function withoutModes(files: Map<string, unknown>): Map<string, unknown> {
  return new Map([...files].map(([key, entry]) => [key, { ...(entry as object), mode: 0 }]));
}

describe("random edits of two or three nodes", () => {
  it("are merged as git merges them, or stop with the main work tree as it was to go back to", async () => {
    await fc.assert(
      fc.asyncProperty(work, async ({ main, nodes, commits }) => {
        let outcome: MergeOutcome | undefined;
        let found = new Map<string, unknown>();
        await withTempRepository(async (repo) => {
          await seed(repo);
          const names = nodes.map((_, number) => `n${number}`);
          const batch = await Batch.start(repo, ...names);
          for (const [number, edits] of nodes.entries()) {
            const node = batch.node(`n${number}`);
            await perform(node, `n${number}`, edits);
            if (!commits) continue;
            await node.git("add", "-A");
            await node.commit("work");
          }
          await perform(repo, "ours", main);
          const before = await filesOf(repo);
          outcome = await batch.merge();
          found = await filesOf(repo);
          if (outcome.kind === "conflict") {
            await batch.backTo(outcome.conflict.start_id);
            expect(await filesOf(repo)).toEqual(before);
          }
          await batch.removeAll();
          expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
        });
        await withTempRepository(async (repo) => {
          await seed(repo);
          const byGit = await mergedByGit(repo, { main, nodes });
          expect(outcome?.kind).toBe(byGit === "conflict" ? "conflict" : "merged");
          if (byGit !== "conflict") expect(withoutModes(found)).toEqual(withoutModes(byGit));
        });
      }),
      { numRuns: runs(6) },
    );
  });
});
