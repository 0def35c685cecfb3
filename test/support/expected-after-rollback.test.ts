import { describe, expect, it } from "vitest";
import { expectedAfterRollback } from "./expected-after-rollback.ts";
import { type Fingerprint, takeFingerprint, wouldBeIgnored } from "./fingerprint.ts";
import { rollbackDifferences } from "./round-trip.ts";
import { type TempRepository, withTempRepository } from "./temp-repository.ts";

/** Takes the target, lets `change` happen, and says what is expected of each path: its target, its present, or nothing. */
async function expectation(
  prepare: (repo: TempRepository) => Promise<unknown>,
  change: (repo: TempRepository) => Promise<unknown>,
): Promise<Record<string, "as then" | "as now" | "absent">> {
  return await withTempRepository(async (repo) => {
    await repo.write(".gitignore", "*.log\n");
    await repo.git("add", "-A");
    await repo.commit("rules");
    await prepare(repo);
    const target = await takeFingerprint(repo);
    await change(repo);
    const before = await takeFingerprint(repo);
    // The rules of the target, as a rollback would bring them back.
    await repo.write(".gitignore", "*.log\n");
    const ignored = await wouldBeIgnored(repo, before, before.paths);
    const { fingerprint } = expectedAfterRollback(target, before, ignored);
    const keys = [...new Set([...target.paths.keys(), ...before.paths.keys()])].sort();
    return Object.fromEntries(
      keys.map((key) => {
        const content = fingerprint.paths.get(key)?.content;
        const then = target.paths.get(key)?.content;
        return [key, content === undefined ? "absent" : content === then ? "as then" : "as now"];
      }),
    );
  });
}

describe("after a rollback", () => {
  it("captured files are as then, new ones are gone", async () => {
    const result = await expectation(
      (repo) => repo.write("old.txt", "1\n"),
      async (repo) => {
        await repo.write("old.txt", "2\n");
        await repo.write("new.txt", "2\n");
      },
    );
    expect(result).toEqual({ ".gitignore": "as then", "old.txt": "as then", "new.txt": "absent" });
  });

  it("files that were ignored then or are ignored now stay as they are", async () => {
    const result = await expectation(
      async (repo) => {
        await repo.write("then.log", "1\n");
        await repo.write("captured.dat", "1\n");
      },
      async (repo) => {
        await repo.write(".gitignore", "*.dat\n");
        await repo.write("then.log", "2\n");
        await repo.write("new.log", "2\n");
        await repo.write("new.dat", "2\n");
        await repo.write("captured.dat", "2\n");
      },
    );
    expect(result).toEqual({
      ".gitignore": "as then",
      "then.log": "as now",
      "new.log": "as now",
      "new.dat": "as now",
      "captured.dat": "as then",
    });
  });

  it("a tracked file that was deleted then is gone again, even if it is ignored", async () => {
    const result = await expectation(
      async (repo) => {
        await repo.write("forced.log", "1\n");
        await repo.git("add", "-f", "forced.log");
        await repo.remove("forced.log");
      },
      (repo) => repo.write("forced.log", "2\n"),
    );
    expect(result["forced.log"]).toBe("absent");
  });

  it("a nested repository stays as it is", async () => {
    const result = await expectation(
      async (repo) => {
        await repo.git("init", "-q", "nested");
        await repo.write("nested/file", "1\n");
      },
      (repo) => repo.write("nested/file", "2\n"),
    );
    expect(result["nested/file"]).toBe("as now");
  });

  it("empty folders are as then", async () => {
    const result = await expectation(
      (repo) => repo.folder("old"),
      async (repo) => {
        await repo.remove("old");
        await repo.folder("new");
      },
    );
    expect(result).toEqual({ ".gitignore": "as then", old: "as then", new: "absent" });
  });

  it("a file and an ignored file below it cannot both be there", async () => {
    await withTempRepository(async (repo) => {
      await repo.write("x", "a file\n");
      const target = await takeFingerprint(repo);
      await repo.remove("x");
      await repo.write(".gitignore", "*.log\n");
      await repo.write("x/kept.log", "ignored\n");
      const before = await takeFingerprint(repo);
      const { irreconcilable } = expectedAfterRollback(target, before, new Set());
      expect(irreconcilable).toEqual(["x"]);
    });
  });

  it("a file that was written again with equal bytes is told", async () => {
    await withTempRepository(async (repo) => {
      await repo.write("same.txt", "same\n");
      const target: Fingerprint = await takeFingerprint(repo);
      const expected = expectedAfterRollback(target, target, new Set());
      expect(rollbackDifferences(target, expected)).toEqual([]);
      await repo.remove("same.txt");
      await repo.write("same.txt", "same\n");
      const after = await takeFingerprint(repo);
      expect(rollbackDifferences(after, expected)).toEqual([
        "stat same.txt: was written again although it is equal",
      ]);
    });
  });
});
