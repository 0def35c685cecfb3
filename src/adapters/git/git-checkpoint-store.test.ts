import { randomBytes } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";
import { chmod, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import { makeDirty, seedRepository } from "../../../test/support/seed-repository.ts";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import type { ProgressTask } from "../../ports/progress.ts";
import { draftOf, checkpointStoreSuite } from "../../ports/checkpoint-store.suite.ts";
import { countGitProcesses } from "./git-processes.fixture.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import {
  openAt,
  openedPlainFolder,
  openedRepository,
  waitForRefLocks,
  type OpenedRepository,
} from "./temp-repository.fixture.ts";

async function makeSubject(...initArgs: string[]) {
  return await subjectOf(await openedRepository(...initArgs));
}

async function subjectOf({ repo, repository, reader }: OpenedRepository) {
  await waitForRefLocks(repo);
  const workTree = new GitWorkTree(repository, reader);
  const idOf = async (name: string) => (await repo.store("rev-parse", name)).trim();
  return {
    repo,
    workTree,
    store: new GitCheckpointStore(repository, reader),
    newCapture: async (text: string) => {
      await repo.write("file.txt", text);
      return await workTree.capture({ policy: DEFAULT_POLICY });
    },
    reopen: async () => {
      const opened = await openAt(repo.root);
      return new GitCheckpointStore(opened.repository, opened.reader);
    },
    breakCheckpoint: async (id: string) => {
      const commit = await repo.store(
        "commit-tree",
        "-m",
        "garbage",
        `refs/waymark/cp/${id}^{tree}`,
      );
      await repo.store("update-ref", `refs/waymark/cp/${id}`, commit.trim());
    },
    breakContent: async (id: string) =>
      await deleteObject(repo, await idOf(`refs/waymark/cp/${id}:worktree/file.txt`)),
  };
}

type Subject = Awaited<ReturnType<typeof makeSubject>>;

async function publish({ store, newCapture }: Subject, id: string, text = id): Promise<void> {
  expect(await store.publish(draftOf(id, await newCapture(text)))).toEqual({ kind: "published" });
}

/** A flipped byte of a compressed text that repeats itself may well mean the same text. */
const randomText = (): string => randomBytes(2000).toString("hex");

async function refs(repo: TempRepository): Promise<string[]> {
  const format = "--format=%(objecttype) %(refname)";
  return (await repo.storeRefs(format, "refs/waymark")).split("\n").filter(Boolean);
}

describe("GitCheckpointStore", () => {
  checkpointStoreSuite(() => makeSubject());
});

describe("GitCheckpointStore in a plain folder", () => {
  checkpointStoreSuite(async () => await subjectOf(await openedPlainFolder()));
});

describe("GitCheckpointStore in a repository with SHA-256", () => {
  it("publishes, lists and verifies", async () => {
    const subject = await makeSubject("--object-format=sha256");
    await publish(subject, "cp-a");
    expect(await subject.store.list()).toMatchObject([{ kind: "ok", id: "cp-a" }]);
    expect(await subject.store.verify()).toMatchObject([{ git: true, problems: [] }]);
    await subject.repo.git("fsck", "--strict");
    await subject.repo.store("fsck", "--strict");
  });
});

describe("a checkpoint in git", () => {
  it("is one ref that points at a commit", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    await publish(subject, "cp-b");
    expect(await refs(subject.repo)).toEqual([
      "commit refs/waymark/cp/cp-a",
      "commit refs/waymark/cp/cp-b",
    ]);
  });

  it("can be read with plain git", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a", "the text");
    const show = (what: string) => subject.repo.store("cat-file", "blob", what);
    expect(await show("refs/waymark/cp/cp-a:worktree/file.txt")).toBe("the text");
    expect(await subject.repo.store("log", "-1", "--format=%s", "refs/waymark/cp/cp-a")).toBe(
      "waymark manual:\n",
    );
  });

  it("leaves no private files behind, and no pack that gc may not touch", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    (await subject.newCapture("discarded")).discard();
    const packs = await readdir(subject.repo.storePath("objects/pack"));
    expect(packs.map((name) => name.replace(/^.*\./, "")).sort()).toEqual(["idx", "pack"]);
    expect(await readdir(join(subject.repo.root, ".git/waymark/quarantine"))).toEqual([]);
  });

  it("survives `git gc --prune=now`, with everything that it alone holds", async () => {
    const subject = await makeSubject();
    const { repo, store, workTree } = subject;
    await seedRepository(repo);
    await makeDirty(repo);
    const draft = draftOf("cp-a", await workTree.capture({ policy: DEFAULT_POLICY }));
    await store.publish(draft);
    const files = await repo.store("ls-tree", "-r", "refs/waymark/cp/cp-a");
    // Nothing else keeps any of it now: not the branches, not the index, not the reflogs.
    await repo.git("symbolic-ref", "HEAD", "refs/heads/empty");
    await repo.git("branch", "-D", "main", "other");
    await repo.git("read-tree", "--empty");
    await repo.git("reflog", "expire", "--expire=now", "--all");
    await repo.git("gc", "-q", "--prune=now");
    expect(await repo.store("ls-tree", "-r", "refs/waymark/cp/cp-a")).toBe(files);
    expect(await (await subject.reopen()).verify()).toMatchObject([{ git: true, problems: [] }]);
    expect(await repo.git("fsck", "--strict", "--full")).toBe("");
    expect(await repo.store("fsck", "--strict", "--full", "--no-dangling")).toBe("");
  });

  it("keeps commits alive that it was asked to keep", async () => {
    const subject = await makeSubject();
    const { repo, store } = subject;
    const head = await repo.commit("base");
    // On no branch, and in no reflog.
    const leaving = (await repo.git("commit-tree", "-m", "leaving", `${head}^{tree}`)).trim();
    const draft = { ...draftOf("cp-a", await subject.newCapture("x")), keepAlive: [leaving] };
    await store.publish(draft);
    await repo.git("reflog", "expire", "--expire=now", "--all");
    await repo.git("gc", "-q", "--prune=now");
    expect((await repo.store("cat-file", "-t", leaving)).trim()).toBe("commit");
  });

  it("is published although the disk may wait, when the caller asks for it", async () => {
    const { store, newCapture } = await makeSubject();
    for (const durability of ["safe", "fast"]) {
      const draft = draftOf(`cp-${durability}`, await newCapture(durability), { durability });
      expect(await store.publish(draft)).toEqual({ kind: "published" });
    }
    expect(await store.list()).toHaveLength(2);
  });

  it("says that a capture is outdated when the checkpoint that it builds on is gone", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    const capture = await subject.newCapture("b");
    await subject.store.remove(["cp-a"]);
    expect(await subject.store.publish(draftOf("cp-b", capture))).toEqual({ kind: "outdated" });
    expect(await subject.store.list()).toEqual([]);
    await publish(subject, "cp-b");
    expect(await subject.store.verify()).toMatchObject([{ id: "cp-b", git: true }]);
  });
});

describe("a checkpoint whose HEAD moves while it is published", () => {
  it("[R11] is outdated when the commit that it relies on was left: a `git gc` may be about to take that", async () => {
    const subject = await makeSubject();
    const { repo, store } = subject;
    await repo.commit("base");
    const capture = await subject.newCapture("a");
    await repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended");
    expect(await store.publish(draftOf("cp-a", capture))).toEqual({ kind: "outdated" });
    expect(await refs(repo)).toEqual([]);
    await repo.git("reflog", "expire", "--expire=now", "--all");
    await repo.git("gc", "-q", "--prune=now");
    await publish(subject, "cp-a");
    expect(await store.verify()).toMatchObject([{ id: "cp-a", git: true }]);
  });

  it("is whole when HEAD still leads to it", async () => {
    const { repo, store, newCapture } = await makeSubject();
    await repo.commit("base");
    const capture = await newCapture("a");
    await repo.git("commit", "-q", "--allow-empty", "-m", "next");
    expect(await store.publish(draftOf("cp-a", capture))).toEqual({ kind: "published" });
    await repo.git("gc", "-q", "--prune=now");
    expect(await store.verify()).toMatchObject([{ id: "cp-a", git: true }]);
  });
});

describe("a checkpoint in the middle of a merge", () => {
  it("[R11] holds the tree that git noted, though nothing else does", async () => {
    const { repo, store, newCapture } = await makeSubject();
    await repo.write("merged", "base\n");
    await repo.git("add", "merged");
    await repo.commit("base");
    await repo.git("checkout", "-q", "-b", "other");
    await repo.write("merged", "theirs\n");
    await repo.git("add", "merged");
    await repo.commit("theirs");
    await repo.git("checkout", "-q", "main");
    await repo.write("merged", "ours\n");
    await repo.git("add", "merged");
    await repo.commit("ours");
    await repo.gitStops("merge", "other");
    const noted = (await repo.git("rev-parse", "AUTO_MERGE")).trim();
    const capture = await newCapture("a");
    await repo.git("gc", "-q", "--prune=now");
    expect((await repo.tryGit(["cat-file", "-e", noted])).code).not.toBe(0);
    expect(await store.publish(draftOf("cp-a", capture))).toEqual({ kind: "published" });
    expect(await store.verify()).toMatchObject([{ id: "cp-a", git: true, problems: [] }]);
    expect(await repo.store("cat-file", "blob", `${noted}:merged`)).toContain("<<<<<<<");
    await repo.git("fsck", "--strict");
  });
});

describe("a checkpoint that keeps commits alive beside HEAD", () => {
  /** One that nothing leads to, and a capture of a project in whose operation it plays a part. */
  async function withLooseCommit() {
    const subject = await makeSubject();
    const { repo } = subject;
    const head = await repo.commit("base");
    const loose = (await repo.git("commit-tree", "-m", "loose", `${head}^{tree}`)).trim();
    await repo.git("update-ref", "ORIG_HEAD", loose);
    return { ...subject, loose, capture: await subject.newCapture("a") };
  }

  it("[R11] does not hold one that was pruned meanwhile, from a pack that was read before", async () => {
    const subject = await makeSubject();
    const { repo, store } = subject;
    await repo.commit("base");
    await repo.commit("left");
    await repo.git("gc", "-q");
    await repo.git("reset", "-q", "--hard", "HEAD~1");
    await repo.git("reflog", "expire", "--expire=now", "--all");
    const capture = await subject.newCapture("a");
    await repo.git("gc", "-q", "--prune=now");
    expect(await store.publish(draftOf("cp-a", capture))).toEqual({ kind: "published" });
    expect(await (await subject.reopen()).verify()).toMatchObject([{ git: true, problems: [] }]);
    await repo.git("gc", "-q", "--prune=now");
    await repo.git("fsck", "--strict");
  });

  it("[R11] has copies of them, which outlive what the user's git collects", async () => {
    const { repo, store, reopen, capture, loose } = await withLooseCommit();
    expect(await store.publish(draftOf("cp-a", capture))).toEqual({ kind: "published" });
    const parents = await repo.store("log", "-1", "--format=%P", "refs/waymark/cp/cp-a");
    expect(parents).toContain(loose);
    await repo.git("update-ref", "-d", "ORIG_HEAD");
    await repo.git("gc", "-q", "--prune=now");
    expect((await repo.tryGit(["cat-file", "-e", loose])).code).not.toBe(0);
    expect(await (await reopen()).verify()).toMatchObject([{ git: true, problems: [] }]);
  });
});

describe("a list that is read while another process works", () => {
  const LATER = "cp-00-manual-20261115-184530-a3f2";

  it("has what was there when its refs were read, and calls nothing damaged that is whole", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    const { repo, store } = subject;
    const fileOf = (id: string): string => repo.storePath(`refs/waymark/cp/${id}`);
    const list = store.list();
    // Its refs were read by now, and their commits were not.
    copyFileSync(fileOf("cp-a"), fileOf(LATER));
    expect(await list).toMatchObject([{ kind: "ok", id: "cp-a" }]);
    await writeFile(fileOf(LATER), "");
    expect(await store.list()).toMatchObject([{ id: "cp-a" }, { kind: "damaged", id: LATER }]);
  });

  it("is verified without what was removed meanwhile", async () => {
    const subject = await makeSubject();
    for (const id of [LATER, "cp-a"]) await publish(subject, id);
    const { repo, store } = subject;
    const begin = (): ProgressTask => {
      rmSync(repo.storePath(`refs/waymark/cp/${LATER}`));
      return { advance: () => undefined, end: () => undefined };
    };
    expect(await store.verify(undefined, { begin })).toMatchObject([{ id: "cp-a", file: true }]);
    // Asked for by its name, it is missing.
    expect(await store.verify([LATER])).toMatchObject([{ id: LATER, file: false }]);
  });
});

describe("a checkpoint with a NUL in its reason", () => {
  // It goes into the first line of the commit's message as it is, and git's list ends the message there.
  it("is listed as it was published", async () => {
    const { store, newCapture } = await makeSubject();
    await store.publish(draftOf("cp-a", await newCapture("x"), { reason: "before\0after" }));
    expect(await store.list()).toMatchObject([{ kind: "ok", id: "cp-a" }]);
  });
});

describe("a checkpoint that cannot be complete", () => {
  // The file is on disk, but as it is clean it is not read: `create` says "created" and `validate` says BAD.
  it("is not published when a staged blob is missing from the repository", async () => {
    const { repo, store, workTree } = await makeSubject();
    await repo.write("staged", "staged");
    await utimes(repo.path("staged"), 1000, 1000);
    await repo.git("add", "staged");
    await deleteObject(repo, (await repo.git("rev-parse", ":staged")).trim());
    const capture = await workTree.capture({ policy: DEFAULT_POLICY }).catch(() => undefined);
    const draft = capture === undefined ? undefined : draftOf("cp-a", capture);
    await (draft === undefined ? undefined : store.publish(draft).catch(() => undefined));
    expect((await store.verify()).filter(({ git }) => !git)).toEqual([]);
  });
});

describe("removing a checkpoint from git", () => {
  // Git is asked for every ref that the name matches, and then for the deletion of a ref of that name.
  it.each(["", "*", "cp-?"])("does nothing for the name %j", async (id) => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    expect(await subject.store.remove([id])).toEqual([]);
    expect(await subject.store.list()).toHaveLength(1);
  });
});

describe("the list of checkpoints in git", () => {
  it("is one git process, however many there are", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    const commit = (await subject.repo.store("rev-parse", "refs/waymark/cp/cp-a")).trim();
    const names = Array.from({ length: 300 }, (_, at) => `refs/waymark/cp/cp-${at}`);
    const input = names.map((name) => `create ${name} ${commit}\n`).join("");
    await subject.repo.storeWithInput(input, "update-ref", "--stdin");
    const { result, processes } = await countGitProcesses(subject.repo, () => subject.store.list());
    expect(result).toHaveLength(301);
    expect(processes).toHaveLength(1);
  });

  it("packs refs when there are many loose ones", async () => {
    const subject = await makeSubject();
    await publish(subject, "cp-a");
    const commit = (await subject.repo.store("rev-parse", "refs/waymark/cp/cp-a")).trim();
    const names = Array.from({ length: 140 }, (_, at) => `refs/waymark/cp/cp-${at}`);
    const input = names.map((name) => `create ${name} ${commit}\n`).join("");
    await subject.repo.storeWithInput(input, "update-ref", "--stdin");
    await publish(subject, "cp-b");
    expect(await refs(subject.repo)).toHaveLength(142);
    const loose = await readdir(subject.repo.storePath("refs/waymark/cp")).catch(() => []);
    expect(loose).toEqual([]);
    expect(await subject.store.read("cp-b")).toMatchObject({ kind: "ok" });
  });

  it("is not changed by settings that change what git prints", async () => {
    const subject = await makeSubject();
    const { repo, store } = subject;
    const settings = {
      "i18n.logOutputEncoding": "ISO-8859-1",
      "i18n.commitEncoding": "ISO-8859-1",
      "log.showSignature": "true",
      "core.quotePath": "true",
      "color.ui": "always",
      "core.abbrev": "4",
    };
    for (const [name, value] of Object.entries(settings)) await repo.git("config", name, value);
    const draft = draftOf("cp-a", await subject.newCapture("x"), { reason: "ünïcödé 日本" });
    await store.publish(draft);
    expect(await store.list()).toMatchObject([{ kind: "ok", document: draft.document }]);
  });
});

describe("damage to a checkpoint in git", () => {
  async function twoOfWhich(damage: (subject: Subject, id: string) => Promise<void>) {
    const subject = await makeSubject();
    // Content of their own, so that damage to one is none to the other.
    await publish(subject, "cp-a", randomText());
    await publish(subject, "cp-b", randomText());
    await damage(subject, "cp-a");
    const store = await subject.reopen();
    const kinds = Object.fromEntries((await store.list()).map(({ id, kind }) => [id, kind]));
    const verdicts = Object.fromEntries(
      (await store.verify()).map(({ id, file, hash, git, state }) => [
        id,
        file && hash && git && state,
      ]),
    );
    return { kinds, verdicts, read: (await store.read("cp-a"))?.kind };
  }

  const idOf = async ({ repo }: Subject, name: string) =>
    (await repo.store("rev-parse", name)).trim();

  const DAMAGED = {
    kinds: { "cp-a": "damaged", "cp-b": "ok" },
    verdicts: { "cp-a": false, "cp-b": true },
    read: "damaged",
  };

  it("is found when the commit is missing", async () => {
    const found = await twoOfWhich(async (subject, id) =>
      deleteObject(subject.repo, await idOf(subject, `refs/waymark/cp/${id}`)),
    );
    expect(found).toEqual({ ...DAMAGED, read: undefined });
  });

  it("is found when a byte of the commit was flipped", async () => {
    const found = await twoOfWhich(async (subject, id) =>
      flipByteOfObject(subject.repo, await idOf(subject, `refs/waymark/cp/${id}`)),
    );
    expect(found).toEqual(DAMAGED);
  });

  it("is found when the ref points at a blob", async () => {
    const found = await twoOfWhich(async (subject, id) => {
      const blob = await idOf(subject, `refs/waymark/cp/${id}:worktree.json`);
      await subject.repo.store("update-ref", `refs/waymark/cp/${id}`, blob);
    });
    expect(found).toEqual(DAMAGED);
  });

  it("is found when the ref points at a commit of the user", async () => {
    const found = await twoOfWhich(async (subject, id) => {
      const commit = await subject.repo.commit("mine\n\n{}");
      await subject.repo.store("update-ref", `refs/waymark/cp/${id}`, commit);
    });
    expect(found).toEqual(DAMAGED);
  });

  it("is found when the ref points at another checkpoint", async () => {
    const found = await twoOfWhich(async (subject, id) => {
      await subject.repo.store("update-ref", `refs/waymark/cp/${id}`, "refs/waymark/cp/cp-b");
    });
    expect(found).toEqual(DAMAGED);
  });

  it("is found by verifying when a byte of a file was flipped", async () => {
    const found = await twoOfWhich(async (subject, id) =>
      flipByteOfObject(
        subject.repo,
        await idOf(subject, `refs/waymark/cp/${id}:worktree/file.txt`),
      ),
    );
    expect(found).toEqual({ ...DAMAGED, kinds: { "cp-a": "ok", "cp-b": "ok" }, read: "ok" });
  });

  it.each(["worktree", "index", "worktree.json"])(
    "is found by verifying when %s is missing",
    async (name) => {
      const found = await twoOfWhich(async (subject, id) => {
        // A staged file, so that the index tree is this checkpoint's own.
        const { repo } = subject;
        await repo.write("staged.txt", "staged");
        await repo.git("add", "staged.txt");
        await repo.chmod("staged.txt", 0o600);
        await subject.store.remove([id]);
        await publish(subject, id, randomText());
        await deleteObject(repo, await idOf(subject, `refs/waymark/cp/${id}:${name}`));
      });
      expect(found).toEqual({ ...DAMAGED, kinds: { "cp-a": "ok", "cp-b": "ok" }, read: "ok" });
    },
  );

  // A file that a power cut left empty is not a checkpoint that nobody made.
  it.each(["", "garbage\n", `${"0".repeat(40)}\n`])(
    "is found when the file of the ref says %j",
    async (text) => {
      const found = await twoOfWhich(async ({ repo }, id) => {
        const path = repo.storePath(`refs/waymark/cp/${id}`);
        await chmod(path, 0o644);
        await writeFile(path, text);
      });
      expect(found.kinds).toEqual(DAMAGED.kinds);
    },
  );
});

describe("many checkpoints in the trash", () => {
  it("are no files of their own, which would slow git down", async () => {
    const { repo, store } = await makeSubject();
    const commit = await repo.commit("one");
    const ids = Array.from(
      { length: 130 },
      (_, at) => `cp-00-manual-20260101-000000-${(at + 0x1000).toString(16)}`,
    );
    const made = ids.map((id) => `create refs/waymark/cp/${id} ${commit}\n`).join("");
    await repo.storeWithInput(made, "update-ref", "--stdin");
    expect(await store.trash(ids)).toHaveLength(ids.length);
    const listed = await repo.storeRefs("refs/waymark/trash");
    expect(listed.trim().split("\n")).toHaveLength(ids.length);
    expect(await readdir(repo.storePath("refs/waymark/trash")).catch(() => [])).toEqual([]);
  });
});
