import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openGitProject } from "../../../app.ts";
import { createCheckpoint } from "../../../operations/create-checkpoint.ts";
import { planRollback } from "../../../operations/plan-rollback.ts";
import type { RecoverySteps, Restore } from "../../../ports/restorer.ts";
import { TempRepository } from "../../../../test/support/temp-repository.ts";
import { folderOnOtherDisk, otherDisk } from "../../files/other-disk.fixture.ts";
import { deadIdentity } from "../../files/process-identity.fixture.ts";
import { ownIdentity, type ProcessIdentity } from "../../files/process-identity.ts";
import { openedRepository, tempRepository } from "../temp-repository.fixture.ts";
import { GitRestorer } from "./git-restorer.ts";

async function restorer() {
  const { repository, reader } = await openedRepository();
  return { repository, restorer: new GitRestorer(repository, reader) };
}

describe("the activity of a restorer", () => {
  it("changes while a rollback runs, and with one that began and ended in between", async () => {
    const { restorer: own } = await restorer();
    const before = own.activity();
    const restore = await own.begin("rb-1", "cp-1");
    const during = own.activity();
    await restore.takeBack();
    const after = own.activity();
    expect(new Set([before, during, after]).size).toBe(3);
    const again = await own.begin("rb-2", "cp-1");
    await again.takeBack();
    expect(own.activity()).not.toBe(after);
  });

  it("does not change when files that an old rollback had moved away are swept", async () => {
    const { repository, restorer: own } = await restorer();
    const kept = join(repository.privateDir, "restore", "kept-rb-0");
    mkdirSync(kept, { recursive: true });
    const before = own.activity();
    rmSync(kept, { recursive: true });
    expect(own.activity()).toBe(before);
  });
});

/** One that has been carried out and not ended; `then`: what the checkpoint holds, `now`: what it takes back. */
async function appliedRollback(
  repo: TempRepository,
  then: () => Promise<unknown>,
  now: () => Promise<unknown>,
): Promise<Restore> {
  await then();
  const project = await openGitProject({ directory: repo.root });
  onTestFinished(() => project.close());
  const { checkpoint: target } = await createCheckpoint(project, { force: true });
  await now();
  const scope = { filesOnly: false, keepHead: false, paths: null };
  const { plan, capture } = await planRollback(project, target, scope);
  const { checkpoint: safety } = await createCheckpoint(project, { force: true });
  const restore = await project.restorer.begin("rb-1", target.id);
  await restore.prepare({
    rollbackId: "rb-1",
    target,
    before: capture,
    files: plan.files,
    head: null,
    refs: [],
    index: { kind: "all" },
    operation: true,
    parts: [],
    partPaths: null,
  });
  await restore.apply(safety);
  return restore;
}

describe("the check of a rollback", () => {
  it("[R22] misses an empty folder that is not there, or only behind a link", async () => {
    const repo = await tempRepository();
    const restore = await appliedRollback(
      repo,
      async () => mkdirSync(join(repo.root, "hollow/deep"), { recursive: true }),
      async () => rmSync(join(repo.root, "hollow"), { recursive: true }),
    );
    expect(await restore.mismatches()).toEqual([]);
    renameSync(join(repo.root, "hollow"), join(repo.root, "elsewhere"));
    expect(await restore.mismatches()).toEqual(["hollow/deep"]);
    symlinkSync("elsewhere", join(repo.root, "hollow"));
    expect(await restore.mismatches()).toEqual(["hollow/deep"]);
    rmSync(join(repo.root, "hollow"));
    await restore.takeBack();
  });
});

const FAR: ProcessIdentity = { ...deadIdentity(), host: "far-away", boot: "another" };

const STEPS: RecoverySteps = {
  beforeTakingBack: () => Promise.resolve(),
  takeBackParts: () => Promise.resolve(),
  takeBackTask: () => Promise.resolve([]),
  isJournaled: () => Promise.resolve(false),
};

/** As one leaves it that was killed before it changed anything. */
async function abandoned(owner: ProcessIdentity) {
  const scene = await restorer();
  const { privateDir } = scene.repository;
  const restore = await scene.restorer.begin("rb-1", "cp-1");
  const intent = JSON.parse(
    readFileSync(join(privateDir, "rollback-intent.json"), "utf8"),
  ) as object;
  await restore.takeBack();
  writeFileSync(join(privateDir, "rollback-intent.json"), JSON.stringify({ ...intent, owner }));
  const hold = (name: string, holder: ProcessIdentity): string => {
    const path = join(privateDir, name);
    const rest = { token: "far", since: "2026-11-15T18:00:00.000Z", doing: "rolling back" };
    writeFileSync(path, JSON.stringify({ ...holder, ...rest }));
    return path;
  };
  return { ...scene, hold, intent: join(privateDir, "rollback-intent.json") };
}

describe("a rollback of a process that cannot be seen from here", () => {
  it("[R23] is reported, with who began it, and waits for somebody who knows", async () => {
    const { restorer: own, hold, intent } = await abandoned(FAR);
    const locks = ["rollback.lock", "run.lock"].map((name) => hold(name, FAR));
    expect(own.unfinished()).toMatchObject({
      rollbackId: "rb-1",
      owner: { host: "far-away", pid: FAR.pid, mayBeAtWork: true },
    });
    minutesLater();
    for (const takeOver of [undefined, "rb-2"]) {
      await expect(own.recover(STEPS, takeOver)).rejects.toMatchObject({
        code: "locked",
        message: expect.stringContaining("far-away"),
        hint: expect.stringContaining("waymark recover --take-over rb-1"),
      });
    }
    expect([intent, ...locks].map((path) => existsSync(path))).toEqual([true, true, true]);
  });

  it("is put right by whoever names it, and all locks of that process go, and no other", async () => {
    const { restorer: own, hold, intent, repository } = await abandoned(FAR);
    const oid = "1".repeat(40);
    const refLock = join(repository.commonDir, "refs/waymark-test.lock");
    const quarantine = join(repository.sharedDir, "quarantine", "far");
    mkdirSync(quarantine, { recursive: true });
    const record = { ...FAR, keeps: [], refLocks: [{ path: refLock, oid }] };
    writeFileSync(join(quarantine, "owner.json"), JSON.stringify(record));
    writeFileSync(refLock, `${oid}\n`);
    const locks = ["rollback.lock", "run.lock"].map((name) => hold(name, FAR));
    const gone = [...locks, refLock, quarantine];
    const stays = hold("guard.lock", { ...FAR, pid: FAR.pid + 1 });
    expect(await own.recover(STEPS, "rb-1")).toMatchObject({ outcome: "taken_back" });
    expect([intent, ...gone].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(stays)).toBe(true);
    expect(own.unfinished()).toBeUndefined();
  });

  it("is put right by anybody when its lock is gone: whoever rolls back holds it", async () => {
    const { restorer: own, intent } = await abandoned(FAR);
    expect(own.unfinished()).toMatchObject({ owner: { mayBeAtWork: false } });
    expect(await own.recover(STEPS)).toMatchObject({ outcome: "taken_back" });
    expect(existsSync(intent)).toBe(false);
  });

  it("is waited for as long as it is young, and not at all when it has come to its end", async () => {
    const { restorer: own, hold, intent } = await abandoned(FAR);
    const lock = hold("rollback.lock", FAR);
    const recovered = own.recover(STEPS);
    rmSync(intent);
    rmSync(lock);
    expect(await recovered).toBeUndefined();
  });

  it("holds up a checkpoint only as long as a rollback may take", async () => {
    const { restorer: own, hold } = await abandoned(FAR);
    const lock = hold("rollback.lock", FAR);
    let isIdle = false;
    const idle = own.whenIdle().then(() => (isIdle = true));
    await sleep(60);
    expect(isIdle).toBe(false);
    minutesLater();
    await idle;
    expect(existsSync(lock)).toBe(true);
  });
});

describe("a rollback of a process that lives", () => {
  it("is going on while that process holds the lock, and was left when it does not", async () => {
    const parent = { ...ownIdentity(), pid: process.ppid, started: "" };
    const { restorer: own, hold } = await abandoned(parent);
    const lock = hold("rollback.lock", parent);
    expect(own.unfinished()).toBeUndefined();
    rmSync(lock);
    expect(own.unfinished()).toMatchObject({ owner: { mayBeAtWork: false } });
  });
});

describe("the record of an unfinished rollback", () => {
  it("[R23] is never replaced by that of another one", async () => {
    const { restorer: own, intent } = await abandoned(FAR);
    const before = readFileSync(intent, "utf8");
    await expect(own.begin("rb-2", "cp-2")).rejects.toMatchObject({
      code: "locked",
      hint: expect.stringContaining("waymark recover"),
    });
    expect(readFileSync(intent, "utf8")).toBe(before);
    await own.recover(STEPS);
    await (await own.begin("rb-2", "cp-2")).takeBack();
  });
});

function minutesLater(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe("a rollback that is taken back", () => {
  it("leaves an empty folder that was there, and that git ignores by now", async () => {
    const repo = await tempRepository();
    const folder = join(repo.root, "dir", "deep");
    const restore = await appliedRollback(
      repo,
      async () => {
        mkdirSync(folder, { recursive: true });
        await repo.write("a", "a\n");
      },
      () => repo.write(".gitignore", "dir/\n"),
    );
    expect(existsSync(join(repo.root, ".gitignore"))).toBe(false);
    await restore.takeBack();
    expect(existsSync(join(repo.root, ".gitignore"))).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });

  describe("gives the index back", () => {
    const stagedChanges = async (repo: TempRepository): Promise<Restore> =>
      await appliedRollback(
        repo,
        async () => {
          await repo.write("a", "one\n");
          await repo.git("add", "-A");
        },
        async () => {
          await repo.write("a", "two\n");
          await repo.write("staged", "staged\n");
          await repo.git("add", "-A");
          await repo.write("a", "three\n");
        },
      );
    const TWO = "f719efd430d52bcfc8566a43b2eb655688d38871";

    it.each(["as it is", "in a split index", "in a sparse index"])(
      "although a `git status` has written our entries anew, %s",
      async (form) => {
        const repo = await tempRepository();
        const restore = await stagedChanges(repo);
        const index = join(repo.root, ".git/index");
        const ours = readFileSync(index);
        utimesSync(join(repo.root, "a"), 1, 1);
        if (form === "in a split index") await repo.git("update-index", "--split-index");
        if (form === "in a sparse index") await repo.git("config", "index.sparse", "true");
        await repo.git("status");
        expect(readFileSync(index).equals(ours)).toBe(false);
        expect(await restore.takeBack()).toEqual([]);
        const entries = await repo.git("ls-files", "-s");
        expect(entries).toContain(TWO);
        expect(entries).toContain("\tstaged");
      },
    );

    it("not in the place of what somebody staged since, and says so", async () => {
      const repo = await tempRepository();
      const restore = await stagedChanges(repo);
      await repo.write("later", "later\n");
      await repo.git("add", "later");
      expect(await restore.takeBack()).toEqual([{ path: ".git/index", keptAt: "its path" }]);
      expect(await repo.git("ls-files")).toContain("later");
    });
  });
});

describe("a project on another file system than its git folder", () => {
  it.skipIf(otherDisk === undefined)(
    "is rolled back with index and merge, and taken back",
    async () => {
      const repo = await tempRepository();
      await repo.write("a", "base\n");
      await repo.git("add", "-A");
      await repo.commit("base");
      await repo.git("checkout", "-q", "-b", "topic");
      await repo.write("a", "topic\n");
      await repo.git("commit", "-qam", "topic");
      await repo.git("checkout", "-q", "-");
      await repo.write("a", "main\n");
      await repo.git("commit", "-qam", "main");
      const folder = folderOnOtherDisk();
      await repo.git("worktree", "add", "-q", join(folder, "tree"));
      const tree = new TempRepository(folder, join(folder, "tree"));
      const restore = await appliedRollback(
        tree,
        () => tree.tryGit(["merge", "-q", "topic"]),
        async () => {
          await tree.git("merge", "--abort");
          await tree.write("new", "new\n");
          await tree.git("add", "-A");
        },
      );
      expect(await tree.git("status", "--short")).toBe("UU a\n");
      await restore.takeBack();
      expect(await tree.git("status", "--short")).toBe("A  new\n");
      const left = await appliedRollback(
        tree,
        () => Promise.resolve(),
        () => tree.git("rm", "-q", "--cached", "new"),
      );
      // Git sees nothing of it; it is there until what was moved away is ten minutes old.
      expect(readdirSync(tree.root)).toContain(".waymark-tmp");
      expect(await tree.git("status", "--short")).toBe("A  new\n");
      left.finish();
      expect(await tree.git("status", "--short")).toBe("A  new\n");
      for (const name of readdirSync(join(tree.root, ".waymark-tmp/restore"))) {
        expect(name).toMatch(/^kept-/);
      }
      expect(readdirSync(join(repo.root, ".git/worktrees/tree/waymark/restore"))).toEqual([]);
    },
  );
});
