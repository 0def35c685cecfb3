/** Checkpoints that expire, on the built command. */
import { describe, expect, it } from "vitest";
import { cliEnvironment, errorMessage, expectExit, waymarkArguments } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";

const HOUR = 3_600_000;

async function expiryOf(project: RuleProject, when: string): Promise<number> {
  const { json } = await project.ok("create", "--force", "--expires", when);
  return Date.parse(text(json, "checkpoint", "expires_at"));
}

const removedBy = async (project: RuleProject, ...args: readonly string[]): Promise<string[]> =>
  items((await project.ok("cleanup", ...args)).json, "removed").map((one) => text(one, "id"));

describe("create --expires", () => {
  it.each([
    ["90m", 1.5 * HOUR],
    ["24h", 24 * HOUR],
    ["7d", 7 * 24 * HOUR],
    ["2w", 14 * 24 * HOUR],
  ])("takes %s", async (when, ms) => {
    await withSeed(async (project) => {
      const before = Date.now();
      const at = await expiryOf(project, when);
      expect(at - ms).toBeGreaterThanOrEqual(before);
      expect(at - ms).toBeLessThanOrEqual(Date.now());
    });
  });

  it("takes dates as UTC unless they say otherwise, and never", async () => {
    await withSeed(async (project) => {
      const zoned = { ...project.repo.env, TZ: "America/New_York" };
      const result = await runCommand(
        process.execPath,
        waymarkArguments(project.repo.root, "create", "--json", "--expires", "2099-01-31T18:00"),
        { env: cliEnvironment(zoned) },
      );
      const document: unknown = JSON.parse(result.stdout.toString("utf8"));
      expect(text(document, "checkpoint", "expires_at")).toBe("2099-01-31T18:00:00.000Z");
      expect(await expiryOf(project, "2099-01-31")).toBe(Date.UTC(2099, 0, 31));
      expect(await expiryOf(project, "2099-01-31 18:00+02:00")).toBe(Date.UTC(2099, 0, 31, 16));
      const { json } = await project.ok("create", "--force", "--expires", "never");
      expect(field(json, "checkpoint", "expires_at")).toBeNull();
    });
  });

  it.each([
    ["2020-01-01", /That time is in the past/],
    ["0h", /That time is in the past/],
    ["2099-02-30", /must be like/],
    ["5", /must be like/],
    ["tomorrow", /must be like/],
    ["", /must be like/],
    ["-1h", /must be like/],
    ["999999w", /too far in the future/],
  ])("[R59] refuses %j and makes no checkpoint", async (when, words) => {
    await withSeed(async (project) => {
      const result = await project.run("create", `--expires=${when}`);
      expectExit(result, 2);
      expect(errorMessage(result)).toMatch(words);
      expect(items((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
    });
  });

  it("refuses a trigger that is not the user's, and a session without a name", async () => {
    await withSeed(async (project) => {
      const trigger = await project.run("create", "--trigger", "pre_rollback");
      expectExit(trigger, 2);
      expect(errorMessage(trigger)).toContain("Only a rollback creates such a checkpoint");
      expectExit(await project.run("list", "--trigger", "pre_rollback"), 0);
      for (const session of ["", " "]) {
        expectExit(await project.run("create", "--session", session), 2);
      }
    });
  });
});

describe("an expired checkpoint", () => {
  it("[R59] is refused with the way out and the last valid one, changes nothing, and is gone to if told so", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const valid = await project.create("-m", "good");
      const expired = await project.createExpired();
      await repo.write("b.txt", "changed since\n");
      const before = await takeFingerprint(repo);
      for (const more of [["--yes"], ["--dry-run"]]) {
        const refused = await project.run("rollback", expired, ...more);
        expectExit(refused, 4);
        expect(field(refused.json, "error")).toMatchObject({
          code: "checkpoint_expired",
          hint: expect.stringContaining("--even-if-expired"),
          details: { last_valid: valid },
        });
        expect(text(refused.json, "error", "hint")).toContain(`waymark rollback ${valid}`);
      }
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      await project.ok("rollback", expired, "--yes", "--even-if-expired");
      await project.ok("undo", "--yes");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      await project.ok("redo", "--yes");
    });
  });

  it("is marked by list and show", async () => {
    await withDirty(async (project) => {
      const valid = await project.create("--expires", "1h");
      const expired = await project.createExpired();
      const { json } = await project.ok("list");
      const marks = items(json, "checkpoints").map((one) => [
        text(one, "id"),
        field(one, "expired"),
      ]);
      expect(marks).toEqual([
        [expired, true],
        [valid, false],
      ]);
      expect(field((await project.ok("show", expired)).json, "checkpoint", "expired")).toBe(true);
      const result = await runCommand(
        process.execPath,
        waymarkArguments(project.repo.root, "list"),
        {
          env: cliEnvironment(project.repo.env),
        },
      );
      const [first, second] = result.stdout.toString("utf8").trimEnd().split("\n");
      expect(first?.split("\t")[1]).toBe("*e");
      expect(first?.split("\t").at(-1)).toBe("(expired)");
      expect(second?.split("\t")[1]).toBe("");
    });
  });

  it("[R59] goes with the next cleanup, unless it is pinned or what no cleanup takes", async () => {
    await withDirty(async (project) => {
      const pinned = await project.createExpired();
      await project.ok("pin", pinned);
      const expired = await project.createExpired();
      const newest = await project.createExpired();
      await project.repo.write("later.txt", "later\n");
      const safe = text(
        (await project.ok("rollback", newest, "--yes", "--even-if-expired")).json,
        "undo_checkpoint_id",
      );
      expect(await removedBy(project, "--dry-run")).toEqual([expired]);
      expect(await removedBy(project)).toEqual([expired]);
      await project.ok("unpin", pinned);
      expect(await removedBy(project)).toEqual([pinned]);
      const left = items((await project.ok("list", "--all")).json, "checkpoints");
      expect(new Set(left.map((one) => text(one, "id")))).toEqual(new Set([newest, safe]));
      await project.ok("delete", "--undo", expired);
      expectExit(await project.run("rollback", expired, "--yes"), 4);
    });
  });

  it("[R59] goes with the cleanup that runs by itself", async () => {
    await withDirty(async (project) => {
      const expired = await project.createExpired();
      await project.create();
      await project.ok("--quiet", "cleanup", "--auto");
      expect((await project.run("show", expired)).code).toBe(3);
    });
  });

  it("does not stand for the present state: a bare create takes a new one", async () => {
    await withDirty(async (project) => {
      const expired = await project.createExpired();
      const { json } = await project.ok("create");
      expect(text(json, "checkpoint", "id")).not.toBe(expired);
      expect(field((await project.ok("create")).json, "unchanged")).toBe(true);
    });
  });
});
