import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { makeDirty, seedRepository } from "../../support/seed-repository.ts";
import { type TempRepository } from "../../support/temp-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckFiles, wreckOnNewBranch } from "./wreck.ts";

async function dirty(repo: TempRepository): Promise<void> {
  await init(repo);
  await seedRepository(repo);
  await makeDirty(repo);
}

/** As `core.preferSymlinkRefs` makes it; the link points to no file while the branch is packed or unborn. */
async function linkHead(repo: TempRepository): Promise<void> {
  const head = join(repo.root, ".git/HEAD");
  await rm(head);
  await symlink("refs/heads/main", head);
}

/** Where HEAD points, branches that come and go, the stash. */
export const heads: readonly Row[] = [
  {
    name: "an unborn branch without any file",
    prepare: async (repo) => await init(repo),
    wreck: wreckAndCommit,
  },
  {
    name: "an unborn branch with staged, intended and untracked files",
    async prepare(repo) {
      await init(repo);
      await repo.write("staged.txt", "staged\n");
      await repo.write("intended.txt", "intended\n");
      await repo.git("add", "staged.txt");
      await repo.git("add", "-N", "intended.txt");
      await repo.write("staged.txt", "staged, edited\n");
      await repo.write("untracked.txt", "untracked\n");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "an orphan branch beside a branch with commits",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("checkout", "-q", "--orphan", "fresh");
    },
    async wreck(repo) {
      await repo.commit("no longer unborn");
      await repo.git("checkout", "-q", "-f", "main");
      await wreckFiles(repo);
    },
  },
  {
    name: "a detached HEAD that no branch reaches",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("checkout", "-q", "--detach");
      await repo.commit("only HEAD knows me");
      await repo.write("b.txt", "detached edit\n");
    },
    async wreck(repo) {
      await repo.git("checkout", "-q", "-f", "main");
      await wreckAndCommit(repo);
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
    },
  },
  {
    name: "a branch, with HEAD detached and moved afterwards",
    prepare: dirty,
    async wreck(repo) {
      await repo.git("checkout", "-q", "-f", "--detach", "HEAD~1");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "a branch, with another one checked out afterwards",
    prepare: dirty,
    async wreck(repo) {
      await repo.git("checkout", "-q", "-f", "other");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "a branch that is deleted afterwards",
    prepare: dirty,
    async wreck(repo) {
      await wreckOnNewBranch(repo);
      await repo.git("branch", "-q", "-D", "main");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
    },
  },
  {
    name: "a branch that is renamed afterwards",
    prepare: dirty,
    async wreck(repo) {
      await repo.git("branch", "-m", "main", "renamed");
      await wreckFiles(repo);
    },
  },
  {
    name: "a branch that is reset to an earlier commit afterwards",
    prepare: dirty,
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await repo.write("later.txt", "later\n");
    },
  },
  {
    name: "a commit that is amended afterwards",
    prepare: dirty,
    async wreck(repo) {
      await repo.git("commit", "-q", "--amend", "-a", "-m", "amended");
    },
  },
  {
    name: "a HEAD that is a link to a packed branch",
    async prepare(repo) {
      await dirty(repo);
      await linkHead(repo);
      await repo.git("pack-refs", "--all");
    },
    wreck: wreckFiles,
  },
  {
    name: "a HEAD that is a link to a packed branch, with another one checked out afterwards",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("config", "core.preferSymlinkRefs", "true");
      await linkHead(repo);
      await repo.git("pack-refs", "--all");
    },
    async wreck(repo) {
      await repo.git("checkout", "-q", "-f", "other");
      await wreckAndCommit(repo);
    },
  },
  {
    name: "a HEAD that is a link to a branch without commits",
    async prepare(repo) {
      await init(repo);
      await repo.write("untracked.txt", "untracked\n");
      await linkHead(repo);
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a branch whose name has a slash, with all refs packed",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("checkout", "-q", "-b", "feature/deep/name");
      await repo.git("pack-refs", "--all");
    },
    async wreck(repo) {
      await wreckOnNewBranch(repo);
      await repo.git("branch", "-q", "-D", "feature/deep/name");
      // `feature` as a branch keeps `feature/deep/name` from coming back until it is out of the way.
      await repo.git("pack-refs", "--all");
    },
  },
  {
    name: "a stash with two entries, one dropped and one made afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("a.txt", "first stash\n");
      await repo.git("stash");
      await repo.write("a.txt", "second stash\n");
      await repo.git("stash");
      await makeDirty(repo);
    },
    async wreck(repo) {
      await repo.git("stash", "drop", "-q", "stash@{1}");
      await repo.git("stash", "push", "-q", "-u");
      await wreckFiles(repo);
    },
  },
  {
    name: "a linked work tree",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("worktree", "add", "-q", "-b", "linked", "../linked");
      const linked = repo.at("linked");
      await makeDirty(linked);
      return linked;
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a linked work tree in the middle of a merge",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("worktree", "add", "-q", "-b", "linked", "../linked", "other");
      const linked = repo.at("linked");
      await linked.write("a.txt", "disagrees\n");
      await linked.git("commit", "-qam", "disagrees");
      await linked.gitStops("merge", "main");
      return linked;
    },
    async wreck(linked) {
      await linked.git("merge", "--abort");
      await wreckAndCommit(linked);
    },
  },
  {
    name: "a main work tree with a linked one inside it",
    async prepare(repo) {
      await dirty(repo);
      await repo.git("worktree", "add", "-q", "-b", "inside", "trees/inside");
      await repo.write("trees/inside/own.txt", "not of the main work tree\n");
    },
    async wreck(repo) {
      await wreckAndCommit(repo);
      await repo.write("trees/inside/own.txt", "changed by its own agent\n");
    },
  },
  {
    name: "a separate git directory (.git is a file)",
    async prepare(repo) {
      await init(repo, "--separate-git-dir", join(repo.base, "git-directory"));
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckAndCommit,
  },
];
