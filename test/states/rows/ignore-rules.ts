import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { seedRepository } from "../../support/seed-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckFiles } from "./wreck.ts";

/** Ignored files are never touched, by the rules before or after; what was captured comes back all the same. */
export const ignoreRules: readonly Row[] = [
  {
    name: "force-added ignored files, staged and committed",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("forced.log", "committed although ignored\n");
      await repo.write("build/forced.o", "in an ignored folder\n");
      await repo.git("add", "-f", "forced.log", "build/forced.o");
      await repo.commit("forced");
      await repo.write("staged.log", "staged although ignored\n");
      await repo.git("add", "-f", "staged.log");
      await repo.write("forced.log", "edited although ignored\n");
    },
    async wreck(repo) {
      await repo.git("rm", "-q", "--cached", "staged.log");
      await repo.remove("build/forced.o");
      await wreckAndCommit(repo);
      await repo.write("forced.log", "edited once more\n");
    },
  },
  {
    name: "untracked files that become ignored afterwards, and ignored ones that do not stay it",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("data/one.dat", "untracked, captured\n");
      await repo.write("data/two.dat", "untracked, captured\n");
      await repo.write("secret.log", "ignored, not captured\n");
    },
    async wreck(repo) {
      await repo.write(".gitignore", "data/\n");
      await repo.write("data/one.dat", "changed while ignored\n");
      await repo.remove("data/two.dat");
      await repo.write("data/three.dat", "new while ignored\n");
      await repo.write("secret.log", "changed while not ignored\n");
      await repo.write("fresh.log", "new while not ignored\n");
      await repo.git("add", "-A");
      await repo.commit("the rules are turned around");
    },
  },
  {
    name: "a .gitignore that is deleted afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("node_modules/m/index.js", "dependency\n");
      await repo.write(".gitignore", "*.log\nbuild/\nnode_modules/\n.env.local\n");
      await repo.write(".env.local", "TOKEN=1\n");
    },
    async wreck(repo) {
      await repo.remove(".gitignore");
      await repo.write(".env.local", "TOKEN=2\n");
      await repo.write("node_modules/m/index.js", "changed dependency\n");
      await repo.write("node_modules/n/index.js", "new dependency\n");
    },
  },
  {
    name: "rules in nested .gitignore files, info/exclude and core.excludesFile, with negations",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("config", "core.excludesFile", join(repo.home, "excludes"));
      await repo.write("../home/excludes", "*.global\n");
      await appendFile(await repo.gitPath("info/exclude"), "*.local\n");
      await repo.write("dir/.gitignore", "*.tmp\n!keep.tmp\n");
      await repo.write("dir/x.tmp", "ignored\n");
      await repo.write("dir/keep.tmp", "not ignored\n");
      await repo.write("x.global", "ignored\n");
      await repo.write("x.local", "ignored\n");
    },
    async wreck(repo) {
      await repo.remove("dir/keep.tmp");
      await repo.write("dir/x.tmp", "changed\n");
      await repo.write("dir/.gitignore", "!x.tmp\nkeep.tmp\n");
      await repo.remove("x.global");
      await repo.write("x.local", "changed\n");
      await repo.write("a.txt", "wrecked\n");
    },
  },
  {
    name: "tracked files below an ignored folder, deleted at the checkpoint, back afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write(".gitignore", "*.log\nbuild/\ndir/\n");
      await repo.git("commit", "-qam", "dir is ignored, its files stay tracked");
      await repo.remove("dir/c.txt");
      await repo.git("rm", "-q", "--cached", "dir/deep/d.bin");
    },
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard");
      await repo.write("dir/deep/d.bin", "edited\n");
    },
  },
  {
    name: "an ignored, empty folder where an untracked file was",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("untracked.txt", "untracked\n");
      await repo.link("untracked-link", "a.txt");
    },
    async wreck(repo) {
      await repo.write(".gitignore", "*.log\nbuild/\nuntracked*\n");
      await repo.remove("untracked.txt");
      await repo.folder("untracked.txt");
      await repo.remove("untracked-link");
      await repo.folder("untracked-link/x.log");
    },
  },
  {
    name: "an ignored folder beside captured files of the same parent",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("pkg/src/main.js", "untracked\n");
      await repo.write("pkg/build/cache.bin", "ignored\n");
      await repo.folder("pkg/build/empty-in-ignored");
    },
    async wreck(repo) {
      await repo.remove("pkg/src");
      await repo.write("pkg/build/cache.bin", "rebuilt\n");
      await repo.write("pkg2/build/only-ignored.bin", "new\n");
      await wreckFiles(repo);
    },
  },
];
