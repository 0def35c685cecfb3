/** `cleanup`, `delete`, `pin`, `unpin` as users run them. */
import { existsSync, readdirSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../src/adapters/files/owned-lock.ts";
import { deadIdentity } from "../../src/adapters/files/process-identity.fixture.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import {
  cliEnvironment,
  errorMessage,
  expectExit,
  waymark,
  waymarkArguments,
  waymarkShellCommand,
} from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { deadIntent } from "../support/rollback-intent.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { runCommand } from "../support/run-command.ts";

const AGENT = { trigger: "agent_complete", phase: "implement" } as const;
const AGENT_WORDS = ["--trigger", AGENT.trigger, "--phase", AGENT.phase] as const;

const idsOf = (document: unknown, name: string): string[] =>
  items(document, name).map((entry) => text(entry, "id"));

async function listed(project: RuleProject): Promise<string[]> {
  return idsOf((await project.ok("list", "--all")).json, "checkpoints");
}

const refs = (project: RuleProject): Promise<string> => project.repo.allRefs();

async function events(project: RuleProject): Promise<readonly unknown[]> {
  const message = await project.repo.store(
    "log",
    "-1",
    "--format=%B",
    "refs/waymark/session/worktree-main",
  );
  return items(JSON.parse(message.slice(message.indexOf("{"))), "events");
}

describe("files that a rollback moved aside", () => {
  it("are removed by a cleanup when they are old, and no checkpoint waits for that", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const first = await project.create();
      await repo.write("a.txt", "later\n");
      await project.rollBack(first);
      const restore = join(repo.root, ".git/waymark/restore");
      const kept = (): string[] => readdirSync(restore).filter((name) => name.startsWith("kept-"));
      const [name = ""] = kept();
      const manifest = join(restore, name, "manifest.json");
      const text = await readFile(manifest, "utf8");
      const old = new Date(Date.now() - 3_600_000).toISOString();
      await writeFile(manifest, text.replace(/"kept_since":"[^"]*"/, `"kept_since":"${old}"`));
      await project.create("--force");
      await project.ok("cleanup", "--dry-run");
      expect(kept()).toEqual([name]);
      await project.ok("cleanup");
      expect(kept()).toEqual([]);
    });
  });
});

describe("waymark cleanup of everything", () => {
  it("--all removes the current one and what undo needs too, after a question; pinned ones stay", async () => {
    await withDirty(async (project) => {
      const first = await project.create();
      await project.repo.write("a.txt", "changed\n");
      const pinned = await project.create("--pin");
      await project.rollBack(first);
      const all = await listed(project);
      expect(all).toHaveLength(3);
      const dry = await project.ok("cleanup", "--all", "--dry-run");
      expect(idsOf(dry.json, "removed").toSorted()).toEqual(
        all.filter((id) => id !== pinned).toSorted(),
      );
      expectExit(await project.run("cleanup", "--all"), 5);
      expect(await listed(project)).toEqual(all);
      const { json } = await project.ok("cleanup", "--all", "--yes");
      expect(json).toMatchObject({ kept: [{ id: pinned, reason: "pinned" }], purged: [] });
      expect(await listed(project)).toEqual([pinned]);
      await project.ok("delete", "--undo", first);
      await project.ok("unpin", pinned);
      await project.ok("cleanup", "--all", "--now", "--yes");
      expect(await listed(project)).toEqual([]);
      expect(await project.repo.storeRefs("refs/waymark/cp", "refs/waymark/trash")).toBe("");
      await project.create();
    });
  });

  it.runIf(hasTerminal)(
    "--all says before the question that undo will not be possible, and shows the table once",
    async () => {
      await withDirty(async (project) => {
        const first = await project.create();
        await project.repo.write("a.txt", "changed\n");
        await project.create("--pin");
        await project.rollBack(first);
        const { root, env } = project.repo;
        const turns = [{ see: "Remove all", type: "y\r" }];
        const { screen } = await inTerminal(root, ["cleanup", "--all"], turns, env, 100);
        expect(screen).toMatch(/ACTION +BECAUSE +MESSAGE|ACTION +MESSAGE/);
        const [asked = "", done = ""] = screen.split("Remove all 2 checkpoints?");
        expect(asked).toContain("`waymark undo` and `redo` will no longer work");
        expect(asked).toContain("`waymark delete --undo ID` restores what they need for 1 day");
        expect(asked).toMatch(/KEPT +BECAUSE\S*\r?\n1 +pinned/);
        expect(asked).not.toContain("--all was given");
        expect(done).toContain("2 checkpoints removed");
        expect(done).not.toContain("CHECKPOINT");
      });
    },
  );

  it.each([
    ["--keep", "0"],
    ["--older-than", "0d"],
  ])("%s %s keeps none of the newest", async (...flags) => {
    await withSeed(async (project) => {
      const id = await project.create();
      const refused = await project.run("cleanup", ...flags);
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("Add --yes");
      expect(await listed(project)).toEqual([id]);
      await project.ok("cleanup", ...flags, "--yes");
      for (const command of ["list", "status"]) {
        const words = waymarkArguments(project.repo.root, command);
        const env = cliEnvironment(project.repo.env);
        const { stdout, stderr } = await runCommand(process.execPath, words, { env });
        expect(`${stdout.toString()}${stderr}`).toContain(
          "`waymark delete --undo` shows 1 deleted one that can be restored",
        );
      }
      const { json } = await project.ok("cleanup", ...flags, "--now", "--yes");
      expect(items(json, "purged")).toHaveLength(1);
      expect(await listed(project)).toEqual([]);
    });
  });
});

describe("waymark cleanup", () => {
  it("removes what the rules no longer keep, says why, and touches nothing of the user's", async () => {
    await withDirty(async (project) => {
      const first = await project.take(AGENT);
      const second = await project.take(AGENT);
      const before = await takeFingerprint(project.repo);
      const { json } = await project.ok("cleanup");
      expect(json).toMatchObject({
        kind: "cleanup",
        dry_run: false,
        removed: [{ id: first, reason: "not among the newest 1 of phase implement (after agent)" }],
        purged: [],
        kept: [{ id: second, reason: "the current one of its work tree" }],
        freed_bytes_unknown: null,
      });
      expect(strictDifferences(await takeFingerprint(project.repo), before)).toEqual([]);
      expect(await listed(project)).toEqual([second]);
      expect((await project.run("show", first)).code).toBe(3);
      expect(await events(project)).toMatchObject([{ kind: "cleanup", checkpoint_ids: [first] }]);
    });
  });

  it("[R39] changes nothing with --dry-run, and then takes exactly what it listed", async () => {
    await withSeed(async (project) => {
      for (let at = 0; at < 4; at++) await project.take(AGENT);
      const before = [await refs(project), await takeFingerprint(project.repo)] as const;
      const log = join(project.repo.root, ".git/waymark/last-cleanup.json");
      const dry = await project.ok("cleanup", "--dry-run");
      expect(await refs(project)).toBe(before[0]);
      expect(strictDifferences(await takeFingerprint(project.repo), before[1])).toEqual([]);
      await expect(stat(log)).rejects.toThrow("ENOENT");
      const wet = await project.ok("cleanup");
      expect(idsOf(wet.json, "removed")).toHaveLength(3);
      for (const name of ["removed", "purged", "kept"]) {
        expect(field(wet.json, name)).toEqual(field(dry.json, name));
      }
    });
  });

  it("keeps the newest with --keep, and takes only what is old enough with --older-than", async () => {
    await withSeed(async (project) => {
      const all: string[] = [];
      for (let at = 0; at < 4; at++) all.push(await project.create());
      const none = await project.ok("cleanup", "--older-than", "1d", "--dry-run");
      expect(idsOf(none.json, "removed")).toEqual([]);
      const { json } = await project.ok("cleanup", "--keep", "2");
      expect(idsOf(json, "removed").sort()).toEqual(all.slice(0, 2).sort());
      const rest = await project.ok("cleanup", "--older-than", "0m", "--yes");
      expect(idsOf(rest.json, "removed").sort()).toEqual(all.slice(2).sort());
    });
  });

  it.each([
    ["--keep", "-1"],
    ["--keep", "many"],
    ["--older-than", "7"],
    ["--older-than", "soon"],
  ])("refuses %s %s with what is allowed", async (flag, value) => {
    await withSeed(async (project) => {
      const result = await project.run("cleanup", flag, value);
      expectExit(result, 2);
      expect(errorMessage(result)).toMatch(/must be|argument missing|unknown option/);
    });
  });

  it("asks before anything goes for good: without a terminal it is refused and nothing is changed", async () => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      await project.take(AGENT);
      const before = await refs(project);
      const refused = await project.run("cleanup", "--now");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("--yes");
      expect(await refs(project)).toBe(before);
      const { json } = await project.ok("cleanup", "--now", "--yes");
      expect(idsOf(json, "purged")).toEqual([first]);
      expectExit(await project.run("delete", "--undo", first), 3);
      // Nothing left to ask about.
      expectExit(await project.run("cleanup", "--now"), 0);
    });
  });

  it("leaves damaged checkpoints to `delete`", async () => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      await project.take(AGENT);
      const commit = await project.repo.store("rev-parse", `refs/waymark/cp/${first}`);
      await deleteObject(project.repo, commit.trim());
      const { json } = await project.ok("cleanup", "--keep", "1");
      expect(idsOf(json, "removed")).toEqual([]);
      expect(items(json, "kept")).toContainEqual({
        id: first,
        reason: "damaged: only `delete` removes it",
      });
    });
  });

  it("[R37] takes nothing that an interrupted rollback of another work tree needs", async () => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      await project.take(AGENT);
      await project.repo.git("worktree", "add", "-q", "../linked", "other");
      const intent = deadIntent({
        rollback_id: "rb",
        target_id: first,
        safety_id: null,
        owner: { host: "elsewhere", boot: "another", pid: 1, started: "1" },
        phase: "locking",
        staging: "/restore/rb",
      });
      await project.repo.write(
        ".git/worktrees/linked/waymark/rollback-intent.json",
        JSON.stringify(intent),
      );
      const { json } = await project.ok("cleanup");
      expect(idsOf(json, "removed")).toEqual([]);
      const refused = await project.run("delete", first, "--yes", "--force");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "code")).toBe("checkpoint_protected");
    });
  });

  it("[R37] takes no safety checkpoint that alone holds commits, and `delete` says that it does", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const start = await project.create();
      const commit = await repo.commit("will leave");
      const undoTo = text((await project.rollBack(start)).json, "undo_checkpoint_id");
      // No undo refers to it any more.
      await project.ok("undo", "--yes", "--discard-commits");
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      for (let at = 0; at < 2; at++) await project.rollBack(await project.create());
      await project.ok("cleanup", "--keep", "0", "--yes");
      await repo.git("gc", "-q", "--prune=now");
      expect((await repo.store("cat-file", "-t", commit)).trim()).toBe("commit");
      const holders = (await listed(project)).filter((id) => id.includes("pre-rollback"));
      expect(holders.length).toBeGreaterThan(0);
      expect(undoTo).toMatch(/pre-rollback/);
      const forced = await project.ok("delete", ...holders, "--yes", "--force");
      expect(field(forced.json, "warnings")).toContainEqual(
        expect.stringMatching(/contains 1 commit that no branch or tag contains/),
      );
    });
  });

  it("[R37] takes nothing of a session that cannot be read: what is pinned in it is not known", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const first = await project.create(...AGENT_WORDS, "--pin");
      await project.take(AGENT);
      const tree = await repo.head("^{tree}");
      const garbage = await repo.store("commit-tree", "-m", "garbage", tree);
      await repo.store("update-ref", "refs/waymark/session/worktree-main", garbage.trim());
      const before = await refs(project);
      const cleaned = await project.ok("cleanup", "--all", "--now", "--yes");
      expect(JSON.stringify(field(cleaned.json, "warnings"))).toContain("its checkpoints stay");
      const refused = await project.run("delete", first, "--yes");
      expectExit(refused, 4);
      expect(field(refused.json, "error", "code")).toBe("session_damaged");
      expect(await refs(project)).toBe(before);
    });
  });

  it("[R40] runs once at a time", async () => {
    await withSeed(async (project) => {
      for (let at = 0; at < 6; at++) await project.take(AGENT);
      const results = await Promise.all(
        Array.from({ length: 4 }, () => project.run("cleanup", "--auto")),
      );
      for (const result of results) expectExit(result, 0);
      const taken = results.flatMap(({ json }) =>
        json === undefined ? [] : idsOf(json, "removed"),
      );
      expect(taken).toHaveLength(5);
      expect(new Set(taken).size).toBe(5);
      expect(await events(project)).toHaveLength(1);
    });
  });

  it("[R40] does not rob a live cleanup and is not blocked by a dead one", async () => {
    await withSeed(async (project) => {
      await project.create();
      const path = join(project.repo.root, ".git/waymark/cleanup.lock");
      const lock = await takeLock(path, "cleaning up", 0);
      expectExit(await project.run("cleanup"), 6);
      const quiet = await project.run("cleanup", "--auto");
      expect([quiet.code, idsOf(quiet.json, "removed"), quiet.stderr]).toEqual([0, [], ""]);
      lock.release();
      await writeFile(path, JSON.stringify({ ...lock.owner, ...deadIdentity() }));
      expectExit(await project.run("cleanup"), 0);
      expect(existsSync(path)).toBe(false);
    });
  });
});

describe("automatic cleanup", () => {
  const HOUR = 3_600_000;

  async function runs(project: RuleProject, env: NodeJS.ProcessEnv, ageMs: number | undefined) {
    const { repo } = project;
    const log = join(repo.root, ".git/waymark/last-cleanup.json");
    if (ageMs !== undefined) {
      const at = new Date(Date.now() - ageMs).toISOString();
      await repo.write(".git/waymark/last-cleanup.json", JSON.stringify({ at, outcome: "done" }));
    }
    const { WAYMARK_NO_AUTO_CLEANUP: _, ...rest } = repo.env;
    const result = await waymark(repo.root, ["create", "--force", ...AGENT_WORDS], {
      env: { ...rest, ...env },
    });
    expectExit(result, 0);
    return async (): Promise<unknown> =>
      JSON.parse(await readFile(log, "utf8").catch(() => "null"));
  }

  it("[R40] starts after a checkpoint when the last one was long ago, and writes down how it ended", async () => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      const last = await runs(project, {}, 2 * HOUR);
      await expect
        .poll(last, { timeout: 120_000 })
        .toMatchObject({ outcome: "done", removed: 1, purged: 0 });
      expect(await listed(project)).not.toContain(first);
    });
  });

  it("[R40] writes down why it failed, and the checkpoint is none the worse", async () => {
    await withSeed(async (project) => {
      await project.take(AGENT);
      // An interrupted rollback whose record nobody can read: what it needs is not known.
      await project.repo.git("worktree", "add", "-q", "../linked", "other");
      await project.repo.write(".git/worktrees/linked/waymark/rollback-intent.json", "garbage");
      const last = await runs(project, {}, 2 * HOUR);
      await expect
        .poll(last, { timeout: 120_000 })
        .toMatchObject({ outcome: "failed", error: expect.stringMatching(/interrupted rollback/) });
      expect(await listed(project)).toHaveLength(2);
    });
  });

  it.each([
    ["in a project that begins", {}, undefined, "waiting"],
    ["soon after the last one", {}, HOUR / 2, "done"],
    ["when it is turned off", { WAYMARK_NO_AUTO_CLEANUP: "1" }, 2 * HOUR, "done"],
  ])("does not start %s", async (_, env, age, outcome) => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      const last = await runs(project, env, age);
      expect(await last()).toMatchObject({ outcome });
      expect(await listed(project)).toContain(first);
    });
  });

  it("[R40] is no reason for a create to fail when nothing can be written down", async () => {
    await withSeed(async (project) => {
      await project.take(AGENT);
      await project.repo.folder(".git/waymark/last-cleanup.json");
      await (
        await runs(project, {}, undefined)
      )();
    });
  });
});

describe("waymark delete", () => {
  it("[R38] deletes what was named, and --undo brings it back as it was", async () => {
    await withDirty(async (project) => {
      const kept = await project.create();
      const gone = await project.create("-m", "about to go");
      const shown = (await project.ok("show", gone)).json;
      const before = await takeFingerprint(project.repo);
      const { json } = await project.ok("delete", gone, "--yes", "-m", "a mistake");
      expect(json).toMatchObject({ kind: "delete", deleted: [gone], gone_for_good: [] });
      expect(Date.parse(text(json, "restorable_until"))).toBeGreaterThan(Date.now());
      expect(await listed(project)).toEqual([kept]);
      for (const selector of [gone, gone.slice(-8), "latest~1"]) {
        expectExit(await project.run("show", selector), 3);
      }
      const restorable = items((await project.ok("delete", "--undo")).json, "restorable");
      expect(restorable).toMatchObject([{ id: gone, why: "a mistake" }]);
      const back = await project.ok("delete", "--undo", gone.slice(-6));
      expect(back.json).toMatchObject({ restored: [gone] });
      expect((await project.ok("show", gone)).json).toEqual(shown);
      expect(strictDifferences(await takeFingerprint(project.repo), before)).toEqual([]);
      expect(await events(project)).toMatchObject([
        { kind: "delete", checkpoint_ids: [gone], reason: "a mistake" },
        { kind: "undelete", checkpoint_ids: [gone] },
      ]);
      await project.ok("validate");
      await project.rollBack(gone);
    });
  });

  it.runIf(hasTerminal)(
    "--undo shows what was deleted with its message, straight also in a narrow terminal",
    async () => {
      await withSeed(async (project) => {
        const { root, env } = project.repo;
        for (const message of ["short", "a message that is longer than the terminal is wide"]) {
          await project.ok("delete", await project.create("-m", message, "--force"), "--yes");
        }
        for (const columns of [60, 120]) {
          const plain = { ...env, NO_COLOR: "1" };
          const { screen } = await inTerminal(root, ["delete", "--undo"], [], plain, columns);
          const [head = "", ...rows] = screen.trimEnd().split(/\r?\n/);
          expect(head).toMatch(
            columns === 60
              ? /^ID +DELETED +GONE +MESSAGE$/
              : /^ID +DELETED +GONE +MESSAGE +REASON$/,
          );
          for (const row of rows) {
            expect(row.length).toBeLessThanOrEqual(columns);
            expect(row.slice(head.indexOf("GONE"))).toMatch(/^in 24 hours +(?:short|a message)/);
          }
        }
      });
    },
  );

  it("asks first: without a terminal and without --yes nothing is deleted", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const before = await refs(project);
      const refused = await project.run("delete", id);
      expectExit(refused, 5);
      expect(refused.json).toMatchObject({
        error: { code: "needs_confirmation", hint: expect.stringContaining("--yes") },
      });
      expect(await refs(project)).toBe(before);
    });
  });

  it("asks in a terminal, and takes no for an answer", async () => {
    await withSeed(async (project) => {
      const id = await project.create("-m", "why it was taken");
      for (const [answer, code] of [
        ["no", 5],
        ["yes", 0],
      ] as const) {
        const command = waymarkShellCommand("-C", project.repo.root, "delete", id);
        const result = await runCommand("script", ["-qec", command, "/dev/null"], {
          env: project.repo.env,
          input: `${answer}\n`,
        });
        expect(result.stdout.toString()).toContain("why it was taken");
        expect(result.code).toBe(code);
        expect(await listed(project)).toHaveLength(code === 0 ? 0 : 1);
      }
    });
  });

  it("refuses pinned ones until they are unpinned", async () => {
    await withSeed(async (project) => {
      const [free, pinned] = [await project.create(), await project.create("--pin")];
      const refused = await project.run("delete", free, pinned, "--yes", "--force");
      expectExit(refused, 5);
      expect(refused.json).toMatchObject({
        error: { code: "checkpoint_protected", hint: expect.stringContaining(`unpin ${pinned}`) },
      });
      expect(await listed(project)).toHaveLength(2);
      await project.ok("unpin", pinned);
      await project.ok("delete", free, pinned, "--yes");
      expect(await listed(project)).toEqual([]);
    });
  });

  it("lets go what undo needs only with --force, and undo then says what became of it", async () => {
    await withSeed(async (project) => {
      const start = await project.create();
      await project.repo.write("a.txt", "later\n");
      const safety = text((await project.rollBack(start)).json, "undo_checkpoint_id");
      for (const id of [start, safety]) {
        const refused = await project.run("delete", id, "--yes");
        expectExit(refused, 5);
        expect(text(refused.json, "error", "hint")).toContain("--force");
      }
      await project.ok("delete", safety, "--yes", "--force");
      const undo = await project.run("undo", "--yes");
      expectExit(undo, 3);
      expect(text(undo.json, "error", "hint")).toContain(`delete --undo ${safety}`);
      await project.ok("delete", "--undo", safety);
      await project.ok("undo", "--yes");
      expect((await project.repo.read("a.txt")).toString()).toBe("later\n");
    });
  });

  it("names no way back to what undo needed and --now deleted", async () => {
    await withSeed(async (project) => {
      const start = await project.create();
      await project.repo.write("a.txt", "later\n");
      const safety = text((await project.rollBack(start)).json, "undo_checkpoint_id");
      await project.ok("delete", safety, "--yes", "--force", "--now");
      const undo = await project.run("undo", "--yes");
      expectExit(undo, 3);
      expect(text(undo.json, "error", "hint")).toContain("It was deleted for good");
    });
  });

  it("deletes for good with --now: the objects go as well", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("secret.txt", "a password that nobody else has\n");
      const id = await project.create();
      const blob = (
        await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/secret.txt`)
      ).trim();
      await repo.remove("secret.txt");
      await project.create();
      const { json } = await project.ok("delete", id, "--yes", "--now");
      expect(json).toMatchObject({ deleted: [id], gone_for_good: [id], restorable_until: null });
      expectExit(await project.run("delete", "--undo", id), 3);
      const trashed = await project.create("--name", "newest");
      await project.ok("delete", trashed, "--yes");
      expectExit(await project.run("delete", "latest~9", "--yes", "--now"), 3);
      const short = await project.ok("delete", trashed.slice(-4), "--yes", "--now");
      expect(short.json).toMatchObject({ gone_for_good: [trashed] });
      expect((await repo.tryStore(["cat-file", "-e", blob])).code).not.toBe(0);
    });
  });

  it("deletes damaged ones by id", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const [missing, broken, sound] = [
        await project.create(),
        await project.create(),
        await project.create(),
      ];
      const commit = (await repo.store("rev-parse", `refs/waymark/cp/${missing}`)).trim();
      await deleteObject(repo, commit);
      const ref = repo.storePath(`refs/waymark/cp/${broken}`);
      await chmod(ref, 0o644);
      await writeFile(ref, "");
      const ways = items((await project.run("validate")).json, "ways_on");
      const offered = text(ways.at(-1), "command").split(" ").slice(2);
      expect(new Set(offered)).toEqual(new Set([missing, broken]));
      const { json } = await project.ok("delete", missing, broken, "--yes");
      expect(new Set(items(json, "gone_for_good"))).toEqual(new Set([missing, broken]));
      expect(await listed(project)).toEqual([sound]);
      expect(await repo.git("fsck", "--no-dangling")).toBe("");
      expect(await repo.store("fsck", "--no-dangling")).toBe("");
    });
  });

  it("--undo --all restores everything that was deleted", async () => {
    await withDirty(async (project) => {
      const ids = [await project.create(), await project.create("--force")];
      await project.ok("cleanup", "--all", "--yes");
      expect(await listed(project)).toEqual([]);
      expectExit(await project.run("delete", "--all", "--yes"), 2);
      const { json } = await project.ok("delete", "--undo", "--all");
      expect(new Set(items(json, "restored"))).toEqual(new Set(ids));
      expect(new Set(await listed(project))).toEqual(new Set(ids));
      expect((await project.ok("delete", "--undo", "--all")).json).toMatchObject({ restored: [] });
    });
  });

  it("changes nothing when one of the names means nothing", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const before = await refs(project);
      expectExit(await project.run("delete", id, "cp-none", "--yes"), 3);
      expectExit(await project.run("delete", "--yes"), 2);
      expectExit(await project.run("delete", "--undo", "--now", id), 2);
      expectExit(await project.run("delete", "--undo", "cp-none"), 3);
      expect(await refs(project)).toBe(before);
    });
  });

  it("deletes each once when several do it at once", async () => {
    await withSeed(async (project) => {
      const ids = [await project.create(), await project.create(), await project.create()];
      const results = await Promise.all(ids.map(() => project.run("delete", ...ids, "--yes")));
      const deleted = results.flatMap((result) =>
        result.code === 0 ? items(result.json, "deleted") : [],
      );
      expect(deleted).toHaveLength(3);
      expect(new Set(deleted)).toEqual(new Set(ids));
      for (const result of results) expect([0, 3]).toContain(result.code);
      expect(items((await project.ok("delete", "--undo")).json, "restorable")).toHaveLength(3);
    });
  });

  it("changes nothing and says so where it may not write", async () => {
    if (process.getuid?.() === 0) return;
    await withSeed(async (project) => {
      const id = await project.create();
      const folder = project.repo.storePath("refs/waymark/cp");
      await chmod(folder, 0o555);
      try {
        const result = await project.run("delete", id, "--yes");
        expect(result.code).not.toBe(0);
        expect(errorMessage(result)).not.toBe("");
        expect(await listed(project)).toEqual([id]);
      } finally {
        await chmod(folder, 0o755);
      }
    });
  });
});

describe("waymark pin and unpin", () => {
  it("a user has one name, in the log before the first checkpoint too", async () => {
    await withSeed(async (project) => {
      await project.repo.git("config", "user.name", "Ada Lovelace");
      await project.ok("init", "--no-hooks");
      const names = async (): Promise<unknown[]> =>
        items((await project.ok("log")).json, "entries").map((entry) => field(entry, "by"));
      expect(new Set(await names())).toEqual(new Set(["Ada Lovelace"]));
      const id = await project.create();
      await project.ok("pin", id);
      await project.rollBack(id);
      expect(new Set(await names())).toEqual(new Set(["Ada Lovelace"]));
      expect((await project.ok("show", id)).json).toMatchObject({
        checkpoint: { pin: { by: "Ada Lovelace" } },
      });
    });
  });

  it("shows who pinned it and why, and takes another reason", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const pin = async () => field((await project.ok("show", id)).json, "checkpoint", "pin");
      expect(await pin()).toBeNull();
      await project.ok("pin", id, "-m", "last good one");
      expect(await pin()).toMatchObject({ reason: "last good one" });
      expect((await project.ok("pin", id)).json).toMatchObject({ pinned: [], unchanged: [id] });
      expect((await project.ok("pin", id, "-m", "of the release")).json).toMatchObject({
        pinned: [id],
      });
      expect(await pin()).toMatchObject({ reason: "of the release" });
      expect(await events(project)).toMatchObject([
        { kind: "pin", reason: "last good one" },
        { kind: "pin", reason: "of the release" },
      ]);
    });
  });

  it("keep a checkpoint, once, and are journaled", async () => {
    await withSeed(async (project) => {
      const first = await project.take(AGENT);
      const second = await project.take(AGENT);
      const pinned = await project.ok("pin", first, first, "-m", "last good one");
      expect(pinned.json).toMatchObject({ kind: "pin", pinned: [first], unchanged: [] });
      const again = await project.ok("pin", first, second);
      expect(again.json).toMatchObject({ pinned: [second], unchanged: [first] });
      const list = items((await project.ok("list")).json, "checkpoints");
      expect(list.map((entry) => field(entry, "pinned"))).toEqual([true, true]);
      expect((await project.ok("show", first)).json).toMatchObject({
        checkpoint: { pinned: true },
      });
      expect(idsOf((await project.ok("cleanup", "--keep", "0")).json, "removed")).toEqual([]);
      const unpinned = await project.ok("unpin", first, second);
      expect(unpinned.json).toMatchObject({ unpinned: [first, second], unchanged: [] });
      expect((await project.ok("unpin", first)).json).toMatchObject({ unchanged: [first] });
      expect((await events(project)).map((event) => field(event, "kind"))).toEqual([
        "pin",
        "pin",
        "unpin",
      ]);
      expect(idsOf((await project.ok("cleanup")).json, "removed")).toEqual([first]);
    });
  });

  it("create --pin takes one of its own when nothing changed", async () => {
    await withSeed(async (project) => {
      await project.create();
      const { json } = await project.ok("create", "--pin");
      expect(json).toMatchObject({ unchanged: false });
      const id = text(json, "checkpoint", "id");
      expect((await project.ok("show", id)).json).toMatchObject({ checkpoint: { pinned: true } });
    });
  });

  it("unpin works for one that was damaged since", async () => {
    await withSeed(async (project) => {
      const id = await project.create("--pin");
      const commit = await project.repo.store("rev-parse", `refs/waymark/cp/${id}`);
      await deleteObject(project.repo, commit.trim());
      expectExit(await project.run("pin", id), 4);
      expectExit(await project.run("delete", id, "--yes"), 5);
      await project.ok("unpin", id);
      await project.ok("delete", id, "--yes");
    });
  });
});
