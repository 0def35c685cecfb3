import { makeDirty, seedRepository } from "../../support/seed-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckByReset, wreckFiles, wreckOnNewBranch } from "./wreck.ts";

/** What every work tree has: tracked, staged, unstaged, untracked, deleted, renamed; links, modes, empty folders. */
export const ordinaryWork: readonly Row[] = [
  {
    name: "a clean work tree",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
    },
    wreck: wreckAndCommit,
  },
  {
    name: "staged, unstaged, untracked, deleted and renamed files, reset and cleaned away",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckByReset,
  },
  {
    name: "the same, swallowed by add -A and commit",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckAndCommit,
  },
  {
    name: "the same, with nothing but work tree files changed afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckFiles,
  },
  {
    name: "tracked paths that have changed their type on disk, tidied up afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await wreckFiles(repo);
    },
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard");
      await repo.git("clean", "-q", "-fd");
    },
  },
  {
    name: "a staged file that is deleted, and a deleted file that is there again untracked",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("gone.txt", "staged, then deleted\n");
      await repo.git("add", "gone.txt");
      await repo.remove("gone.txt");
      await repo.git("rm", "-q", "--cached", "b.txt");
      await repo.git("rm", "-q", "dir/c.txt");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a chain of staged renames that swaps two files",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("mv", "a.txt", "swap.txt");
      await repo.git("mv", "b.txt", "a.txt");
      await repo.git("mv", "swap.txt", "b.txt");
      await repo.write("b.txt", "renamed, then edited\n");
    },
    wreck: wreckOnNewBranch,
  },
  {
    name: "a same-size edit in the same instant as git add",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      for (let round = 0; round < 20; round += 1) {
        await repo.write(`racy-${round}.txt`, "before\n");
      }
      await repo.git("add", "-A");
      await Promise.all(
        Array.from({ length: 20 }, (_, round) => repo.write(`racy-${round}.txt`, "AFTER!\n")),
      );
    },
    async wreck(repo) {
      await repo.git("checkout", "-q", "--", ".");
      await wreckFiles(repo);
    },
  },
  {
    name: "a chmod in the same second as the file was put there, which git does not see",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      // Git compares whole seconds: all of this has to happen within one.
      await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
      await repo.write("quiet.txt", "one\n");
      await repo.write("refreshed.txt", "two\n");
      await repo.settle("quiet.txt", "refreshed.txt");
      await repo.git("add", "quiet.txt", "refreshed.txt");
    },
    async wreck(repo) {
      await repo.chmod("refreshed.txt", 0o600);
      await repo.git("status");
      await repo.chmod("quiet.txt", 0o600);
    },
  },
  {
    name: "symlinks: tracked, untracked, dangling, absolute, out of the tree, to a folder",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.link("dangling", "no/such/file");
      await repo.link("out", "../home");
      await repo.link("to-folder", "dir");
      await repo.git("add", "-A");
      await repo.link("link", "b.txt");
      await repo.link("untracked-absolute", "/nowhere/at/all");
      await repo.link("untracked-loop", "untracked-loop");
    },
    async wreck(repo) {
      await repo.link("dangling", "dir/c.txt");
      await repo.remove("out");
      await repo.write("out", "no link any more\n");
      await repo.remove("to-folder");
      await repo.write("to-folder/x", "a folder\n");
      await repo.remove("untracked-loop");
      await wreckFiles(repo);
    },
  },
  {
    name: "exec bits and full mode bits, also where core.fileMode is off",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("config", "core.fileMode", "false");
      await repo.chmod("a.txt", 0o755);
      await repo.chmod("b.txt", 0o400);
      await repo.chmod("run.sh", 0o640);
      await repo.write("private.txt", "private\n", 0o600);
      await repo.write("tool", "#!/bin/sh\n", 0o4755);
    },
    async wreck(repo) {
      await repo.chmod("a.txt", 0o644);
      await repo.chmod("b.txt", 0o666);
      await repo.chmod("run.sh", 0o777);
      await repo.chmod("private.txt", 0o644);
      await repo.chmod("tool", 0o755);
    },
  },
  {
    name: "empty folders, nested and beside files",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.folder("empty/one");
      await repo.folder("empty/two/three");
      await repo.folder("dir/empty");
    },
    async wreck(repo) {
      await repo.remove("empty");
      await repo.write("empty", "a file now\n");
      await repo.write("dir/empty/file.txt", "not empty now\n");
      await repo.folder("other-empty/inside");
    },
  },
  {
    name: "tracked files only, wrecked into an empty work tree",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
    },
    async wreck(repo) {
      await repo.git("rm", "-q", "-r", "-f", ".");
      await repo.commit("everything removed");
    },
  },
];
