import { writeFile, rm } from "node:fs/promises";
import { makeDirty, seedRepository } from "../../support/seed-repository.ts";
import { type TempRepository } from "../../support/temp-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckByReset, wreckFiles } from "./wreck.ts";

async function dirty(repo: TempRepository): Promise<void> {
  await init(repo);
  await seedRepository(repo);
  await makeDirty(repo);
}

/** Flags and formats of the index. */
export const indexStates: readonly Row[] = [
  {
    name: "intent-to-add entries, with and without content, one in a folder",
    async prepare(repo) {
      await dirty(repo);
      await repo.write("intended.txt", "content\n");
      await repo.write("intended-empty.txt", "");
      await repo.write("sub/intended.txt", "below\n");
      await repo.git("add", "-N", "intended.txt", "intended-empty.txt", "sub/intended.txt");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "an intent-to-add entry whose file is gone",
    async prepare(repo) {
      await dirty(repo);
      await repo.write("intended.txt", "content\n");
      await repo.git("add", "-N", "intended.txt");
      await repo.remove("intended.txt");
    },
    wreck: wreckByReset,
  },
  {
    name: "edits hidden behind assume-unchanged",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("update-index", "--assume-unchanged", "b.txt", "run.sh");
      await repo.write("b.txt", "hidden edit\n");
      await repo.chmod("run.sh", 0o600);
    },
    async wreck(repo) {
      await repo.git("update-index", "--no-assume-unchanged", "b.txt");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "edits hidden behind skip-worktree",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("update-index", "--skip-worktree", "b.txt", "run.sh");
      await repo.write("b.txt", "hidden edit\n");
      await repo.remove("run.sh");
      await repo.write("run.sh/inside", "a folder hides behind the flag\n");
    },
    async wreck(repo) {
      await repo.git("update-index", "--no-skip-worktree", "b.txt", "run.sh");
      await repo.remove("run.sh");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "deletions hidden behind assume-unchanged and skip-worktree",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("update-index", "--assume-unchanged", "b.txt");
      await repo.git("update-index", "--skip-worktree", "run.sh");
      await repo.remove("b.txt");
      await repo.remove("run.sh");
    },
    async wreck(repo) {
      await repo.git("update-index", "--no-assume-unchanged", "b.txt");
      await repo.git("update-index", "--no-skip-worktree", "run.sh");
      await repo.git("checkout", "-q", "--", "b.txt", "run.sh");
    },
  },
  {
    name: "flags that somebody sets only after the checkpoint, with edits behind them",
    prepare: dirty,
    async wreck(repo) {
      await wreckFiles(repo);
      await repo.write("b.txt", "edited behind the flag\n");
      await repo.git("update-index", "--assume-unchanged", "a.txt");
      await repo.git("update-index", "--skip-worktree", "b.txt");
    },
  },
  {
    name: "a split index",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("update-index", "--split-index");
      await makeDirty(repo);
    },
    async wreck(repo) {
      await wreckAndCommit(repo);
      await repo.git("update-index", "--no-split-index");
      await rm(await repo.gitPath("index")).catch(() => undefined);
      await repo.git("read-tree", "HEAD");
      await repo.git("gc", "-q", "--prune=now");
    },
  },
  {
    name: "index version 4",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("update-index", "--index-version", "4");
    },
    async wreck(repo) {
      await repo.git("update-index", "--index-version", "2");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "an index with untracked cache and end-of-entries extensions",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("config", "index.threads", "2");
      await repo.git("config", "core.untrackedCache", "true");
      await repo.git("update-index", "--force-untracked-cache");
      await repo.git("status");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "no index file at all in a repository with commits",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await rm(await repo.gitPath("index"));
    },
    wreck: wreckAndCommit,
  },
  {
    name: "somebody holds index.lock while the checkpoint is made",
    async prepare(repo) {
      await dirty(repo);
      await writeFile(await repo.gitPath("index.lock"), "held");
    },
    async afterCreate(repo) {
      await rm(await repo.gitPath("index.lock"));
    },
    wreck: wreckByReset,
    exempt: {
      differences: /^lock: lacks index\.lock/,
      because: "the row itself removes the lock before the rollback",
    },
  },
  {
    name: "staged objects that nothing else names, garbage-collected after a reset",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("a.txt", "only in the index\n");
      await repo.git("add", "a.txt");
      await repo.write("a.txt", "only in the work tree\n");
    },
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
    },
  },
];
