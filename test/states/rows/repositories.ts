import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDirty, seedRepository } from "../../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../../support/temp-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckByReset, wreckFiles } from "./wreck.ts";

/** A seeded repository beside the project, to be cloned; it is removed before Waymark runs: there is no network. */
async function cloneAndLose(
  repo: TempRepository,
  ...args: readonly string[]
): Promise<TempRepository> {
  const origin = repo.at("origin");
  await repo.git("init", "-q", "-b", "main", origin.root);
  await seedRepository(origin);
  await origin.git("config", "uploadpack.allowFilter", "true");
  await repo.git("clone", "-q", ...args, `file://${origin.root}`, join(repo.base, "clone"));
  await rm(origin.root, { recursive: true });
  return repo.at("clone");
}

/** Clones, object formats, sparse checkouts, replaced objects, repositories inside. */
export const repositories: readonly Row[] = [
  {
    name: "a shallow clone",
    async prepare(repo) {
      const clone = await cloneAndLose(repo, "--depth", "1");
      await makeDirty(clone);
      return clone;
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a partial clone without blobs, whose remote is gone",
    async prepare(repo) {
      const clone = await cloneAndLose(repo, "--filter=blob:none");
      await makeDirty(clone);
      return clone;
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a partial clone without trees, whose remote is gone",
    async prepare(repo) {
      const clone = await cloneAndLose(repo, "--filter=tree:0");
      await makeDirty(clone);
      return clone;
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a clone that borrows its objects (alternates)",
    async prepare(repo) {
      const origin = repo.at("origin");
      await repo.git("init", "-q", "-b", "main", origin.root);
      await seedRepository(origin);
      await repo.git("clone", "-q", "--shared", origin.root, join(repo.base, "clone"));
      const clone = repo.at("clone");
      await makeDirty(clone);
      return clone;
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a sha256 repository",
    async prepare(repo) {
      await init(repo, "--object-format=sha256");
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a sha256 repository with an unborn branch",
    async prepare(repo) {
      await init(repo, "--object-format=sha256");
      await repo.write("a.txt", "staged\n");
      await repo.git("add", "-A");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a reftable repository",
    possible: async () =>
      await withTempProject(
        async (probe) => (await probe.tryGit(["init", "-q", "--ref-format=reftable"])).code === 0,
      ),
    async prepare(repo) {
      await init(repo, "--ref-format=reftable");
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a sparse checkout in cone mode",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("wide/x.txt", "outside the cone\n");
      await repo.git("add", "-A");
      await repo.commit("wide");
      await repo.git("sparse-checkout", "set", "--cone", "dir");
      await repo.write("dir/c.txt", "edited inside\n");
      await repo.write("dir/new.txt", "untracked inside\n");
    },
    async wreck(repo) {
      await repo.write("a.txt", "wrecked\n");
      await repo.git("rm", "-q", "dir/deep/d.bin");
      await repo.git("commit", "-qam", "wrecked");
      await repo.remove("dir/new.txt");
    },
  },
  {
    name: "a sparse checkout that is widened afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("wide/x.txt", "outside the cone\n");
      await repo.git("add", "-A");
      await repo.commit("wide");
      await repo.git("sparse-checkout", "set", "--cone", "dir");
    },
    async wreck(repo) {
      await repo.git("sparse-checkout", "add", "wide");
      await repo.write("wide/x.txt", "edited\n");
    },
  },
  {
    name: "a sparse checkout without cones, with an edited file outside of it",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("sparse-checkout", "set", "--no-cone", "/*", "!b.txt", "!dir/deep");
      await repo.write("b.txt", "written although it is sparse\n");
      await repo.write("dir/deep/untracked.txt", "untracked outside\n");
    },
    async wreck(repo) {
      await repo.remove("b.txt");
      await repo.remove("dir/deep");
      await repo.write("a.txt", "wrecked\n");
      await repo.git("commit", "-qam", "wrecked");
    },
  },
  {
    name: "a sparse index",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("wide/deep/x.txt", "outside the cone\n");
      await repo.write("wide/y.txt", "outside the cone\n");
      await repo.git("add", "-A");
      await repo.commit("wide");
      await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir");
      await repo.write("dir/c.txt", "staged inside\n");
      await repo.git("add", "dir/c.txt");
    },
    async wreck(repo) {
      await repo.write("a.txt", "wrecked\n");
      await repo.remove("dir/deep");
      await repo.git("commit", "-qam", "wrecked");
      await repo.git("ls-files");
    },
  },
  {
    name: "replaced objects (git replace)",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
      const original = (await repo.git("rev-parse", "HEAD:b.txt")).trim();
      const other = (await repo.gitWithInput("replaced\n", "hash-object", "-w", "--stdin")).trim();
      await repo.git("replace", original, other);
      await repo.git("replace", "--graft", "HEAD");
    },
    wreck: wreckFiles,
  },
  {
    name: "a nested repository with commits, and one without",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
      await repo.git("init", "-q", "nested");
      await repo.write("nested/file.txt", "of the nested repository\n");
      await repo.git("-C", "nested", "add", "-A");
      await repo.git("-C", "nested", "commit", "-q", "-m", "nested");
      await repo.git("init", "-q", "vendor/unborn");
      await repo.write("vendor/unborn/file.txt", "of the unborn one\n");
    },
    async wreck(repo) {
      await wreckFiles(repo);
      await repo.write("nested/file.txt", "changed by its own agent\n");
      await repo.write("vendor/unborn/more.txt", "more\n");
      await repo.git("init", "-q", "nested-later");
      await repo.write("nested-later/file.txt", "made after the checkpoint\n");
    },
  },
  {
    name: "a submodule with uncommitted work",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      const library = repo.at("library");
      await repo.git("init", "-q", "-b", "main", library.root);
      await seedRepository(library);
      await repo.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.root,
        "module",
      );
      await repo.commit("with a submodule");
      await makeDirty(repo);
      await repo.write("module/a.txt", "dirty inside the submodule\n");
    },
    async wreck(repo) {
      await wreckAndCommit(repo);
      await repo.write("module/b.txt", "more work inside\n");
    },
  },
  {
    name: "submodules that were not initialised, whose folders are deleted",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await addUninitialised(repo);
      await makeDirty(repo);
    },
    async wreck(repo) {
      for (const path of MODULES) await repo.remove(path);
      await repo.write("a.txt", "changed since\n");
    },
  },
  {
    name: "a commit before submodules came, with one that has them checked out since",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.git("checkout", "-q", "-b", "with-modules");
      await addUninitialised(repo);
      await repo.git("checkout", "-q", "main");
      for (const path of ["library", "vendor"]) await repo.remove(path);
      await makeDirty(repo);
    },
    async wreck(repo) {
      await repo.git("checkout", "-q", "-f", "with-modules");
      for (const path of MODULES) await repo.folder(path);
    },
  },
  {
    name: "a submodule in conflict, and one whose folder is missing",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await addUninitialised(repo);
      const stages = [1, 2, 3].map(
        (stage) => `160000 ${String(stage).repeat(40)} ${stage}\tlibrary`,
      );
      const lines = [`0 ${"0".repeat(40)}\tlibrary`, ...stages, ""];
      await repo.gitWithInput(lines.join("\n"), "update-index", "--index-info");
      await repo.remove("vendor/deep/library");
    },
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard");
      await repo.remove("library");
      await repo.folder("vendor/deep/library");
    },
  },
  {
    name: "a project whose global config sets everything that changes output",
    async prepare(repo) {
      for (const [key, value] of Object.entries(noisySettings)) {
        await repo.git("config", "--file", join(repo.home, ".gitconfig"), key, value);
      }
      await init(repo);
      await seedRepository(repo);
      await makeDirty(repo);
    },
    wreck: wreckByReset,
  },
];

const MODULES = ["library", "vendor/deep/library"] as const;

/** As a clone without `--recurse-submodules` has them: an entry in the index, and an empty folder. */
async function addUninitialised(repo: TempRepository): Promise<void> {
  for (const path of MODULES) {
    await repo.git("update-index", "--add", "--cacheinfo", `160000,${"a".repeat(40)},${path}`);
    await repo.folder(path);
  }
  await repo.commit("with submodules");
}

const noisySettings: Readonly<Record<string, string>> = {
  "color.ui": "always",
  "core.quotePath": "true",
  "core.abbrev": "5",
  "core.logAllRefUpdates": "always",
  "core.preloadIndex": "false",
  "core.compression": "0",
  "diff.noprefix": "true",
  "diff.renames": "copies",
  "diff.ignoreSubmodules": "all",
  "log.showSignature": "true",
  "log.decorate": "full",
  "status.short": "true",
  "status.branch": "true",
  "status.relativePaths": "false",
  "status.showUntrackedFiles": "no",
  "status.renames": "copies",
  "index.recordOffsetTable": "true",
  "i18n.commitEncoding": "ISO-8859-1",
  "i18n.logOutputEncoding": "UTF-16",
  "gc.auto": "1",
  "fetch.writeCommitGraph": "true",
  "init.defaultBranch": "trunk",
  "advice.detachedHead": "true",
};
