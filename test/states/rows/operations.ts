import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seedRepository } from "../../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../../support/temp-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit, wreckFiles } from "./wreck.ts";

/** Two branches that disagree in every way that leaves unmerged stages; main is checked out. */
async function diverge(repo: TempRepository): Promise<void> {
  await init(repo);
  await seedRepository(repo);
  await repo.write("ours-deletes.txt", "1\n");
  await repo.write("theirs-deletes.txt", "1\n");
  await repo.git("add", "-A");
  await repo.commit("base");
  await repo.git("checkout", "-q", "-b", "topic");
  await repo.write("a.txt", "theirs\n");
  await repo.write("ours-deletes.txt", "2\n");
  await repo.git("rm", "-q", "theirs-deletes.txt");
  await repo.write("both-add.txt", "theirs\n");
  await repo.write("clean.txt", "merges cleanly\n");
  await repo.git("add", "-A");
  await repo.commit("topic 1");
  await repo.write("topic-2.txt", "second\n");
  await repo.git("add", "-A");
  await repo.commit("topic 2");
  await repo.git("checkout", "-q", "main");
  await repo.write("a.txt", "ours\n");
  await repo.write("theirs-deletes.txt", "2\n");
  await repo.git("rm", "-q", "ours-deletes.txt");
  await repo.write("both-add.txt", "ours\n");
  await repo.git("add", "-A");
  await repo.commit("main 1");
  await repo.write("beside.txt", "untracked beside the operation\n");
}

async function resolveAll(repo: TempRepository): Promise<void> {
  await repo.write("a.txt", "resolved\n");
  await repo.git("add", "-A");
}

/** Operations in progress, with their state files. */
export const operations: readonly Row[] = [
  {
    name: "a merge with every kind of conflict, aborted",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("merge", "topic");
    },
    async wreck(repo) {
      await repo.git("merge", "--abort");
      await wreckFiles(repo);
    },
    async goesOn(repo) {
      await resolveAll(repo);
      await repo.git("commit", "-q", "--no-edit");
      await repo.git("rev-parse", "--verify", "HEAD^2");
    },
  },
  {
    name: "a merge with conflicts, resolved and committed",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("merge", "--no-ff", "topic");
      await repo.write("a.txt", "half resolved\n");
    },
    async wreck(repo) {
      await resolveAll(repo);
      await repo.git("commit", "-q", "--no-edit");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("merge", "--abort");
    },
  },
  {
    name: "a merge with some conflicts resolved (resolve-undo)",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("config", "rerere.enabled", "true");
      await repo.gitStops("merge", "topic");
      await repo.write("a.txt", "resolved\n");
      await repo.git("add", "a.txt");
    },
    async wreck(repo) {
      await repo.git("reset", "-q", "--hard");
      await repo.git("gc", "-q", "--prune=now");
    },
    async goesOn(repo) {
      await repo.git("checkout", "-q", "-m", "--", "a.txt");
    },
  },
  {
    name: "a merge without conflicts that waits for its commit",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("checkout", "-q", "-b", "quiet", "topic");
      await repo.git("merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "main");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a squashed merge that waits for its commit",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("checkout", "-q", "-b", "quiet", "other");
      await repo.git("merge", "-q", "--squash", "main");
    },
    wreck: wreckAndCommit,
  },
  {
    name: "a merge with an autostash",
    async prepare(repo) {
      await diverge(repo);
      await repo.write("run.sh", "#!/bin/sh\n# stashed by merge\n", 0o755);
      await repo.gitStops("merge", "--autostash", "topic");
    },
    async wreck(repo) {
      await resolveAll(repo);
      await repo.git("commit", "-q", "--no-edit");
      await repo.git("reset", "-q", "--hard");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
    },
    async goesOn(repo) {
      await repo.git("cat-file", "-e", (await repo.read(".git/MERGE_AUTOSTASH")).toString().trim());
      await repo.git("merge", "--abort");
    },
  },
  {
    name: "a cherry-pick with a conflict",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("cherry-pick", "topic~1");
    },
    async wreck(repo) {
      await resolveAll(repo);
      await repo.git("cherry-pick", "--continue");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await resolveAll(repo);
      await repo.git("cherry-pick", "--continue");
    },
  },
  {
    name: "a cherry-pick of several commits, aborted",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("cherry-pick", "topic~2..topic");
    },
    async wreck(repo) {
      await repo.git("cherry-pick", "--abort");
      await wreckFiles(repo);
    },
    async goesOn(repo) {
      await resolveAll(repo);
      await repo.git("cherry-pick", "--continue");
      await repo.git("rev-parse", "--verify", "HEAD:topic-2.txt");
    },
  },
  {
    name: "a revert with a conflict",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("revert", "--no-edit", "HEAD~2");
    },
    async wreck(repo) {
      await repo.git("revert", "--quit");
      await repo.git("reset", "-q", "--hard");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("revert", "--abort");
    },
  },
  {
    name: "a rebase with a conflict, continued to its end",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("checkout", "-q", "topic");
      await repo.gitStops("rebase", "main");
    },
    async wreck(repo) {
      await resolveAll(repo);
      await repo.git("rebase", "--continue");
      await wreckFiles(repo);
    },
    async goesOn(repo) {
      await resolveAll(repo);
      await repo.git("rebase", "--continue");
    },
  },
  {
    name: "a rebase that moves other branches and makes one, continued to its end",
    possible: async () =>
      await withTempProject(async (probe) => {
        await init(probe);
        await probe.commit("one");
        return (await probe.tryGit(["rebase", "--update-refs", "HEAD"])).code === 0;
      }),
    async prepare(repo) {
      await diverge(repo);
      await repo.git("branch", "part", "topic~1");
      await repo.git("checkout", "-q", "topic");
      const edit = { GIT_SEQUENCE_EDITOR: "sed -i -e '$ a update-ref refs/heads/made'" };
      await repo.tryGit(["rebase", "-i", "--update-refs", "main"], { env: edit });
      await repo.git("rev-parse", "--verify", "REBASE_HEAD");
    },
    async wreck(repo) {
      await resolveAll(repo);
      await repo.git("rebase", "--continue");
      await repo.git("rev-parse", "--verify", "made");
      await wreckFiles(repo);
    },
    async goesOn(repo) {
      await resolveAll(repo);
      await repo.git("rebase", "--continue");
      await repo.git("merge-base", "--is-ancestor", "main", "part");
      await repo.git("rev-parse", "--verify", "made");
    },
  },
  {
    name: "a rebase with a conflict, aborted",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("checkout", "-q", "topic");
      await repo.gitStops("rebase", "main");
      await repo.write("a.txt", "half resolved\n");
    },
    async wreck(repo) {
      await repo.git("rebase", "--abort");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("rebase", "--abort");
    },
  },
  {
    name: "a rebase with merges that stopped for an edit, with an autostash",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("merge", "-q", "-s", "ours", "--no-ff", "topic", "-m", "merged");
      await repo.write("after.txt", "after the merge\n");
      await repo.git("add", "after.txt");
      await repo.commit("after");
      await repo.write("run.sh", "#!/bin/sh\n# stashed by rebase\n", 0o755);
      // The first pick becomes an edit; `label` lines before it make refs/rewritten.
      const edit = { GIT_SEQUENCE_EDITOR: "sed -i -e '0,/^pick/s//edit/'" };
      const args = ["rebase", "-i", "-r", "--autostash", "--no-ff", "HEAD~2"];
      await repo.tryGit(args, { env: edit });
      await repo.git("rev-parse", "--verify", "REBASE_HEAD");
      await repo.write("added-while-editing.txt", "staged\n");
      await repo.git("add", "added-while-editing.txt");
    },
    async wreck(repo) {
      await repo.git("rebase", "--abort");
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
    },
    async goesOn(repo) {
      await repo.git("rebase", "--abort");
    },
  },
  {
    name: "a rebase by the apply backend with a conflict",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("checkout", "-q", "topic");
      await repo.gitStops("rebase", "--apply", "main");
    },
    async wreck(repo) {
      await repo.git("rebase", "--abort");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("rebase", "--abort");
    },
  },
  {
    name: "git am with a patch that does not apply",
    async prepare(repo) {
      await diverge(repo);
      const patches = await repo.git("format-patch", "--stdout", "topic~2..topic");
      await writeFile(join(repo.base, "mbox"), patches, "latin1");
      await repo.gitStops("am", "-3", join(repo.base, "mbox"));
    },
    async wreck(repo) {
      await repo.git("am", "--skip");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("am", "--abort");
    },
  },
  {
    name: "a bisect, reset afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      for (let step = 0; step < 6; step += 1) {
        await repo.write("step.txt", `${step}\n`);
        await repo.git("add", "-A");
        await repo.commit(`step ${step}`);
      }
      await repo.git("bisect", "start", "HEAD", "HEAD~6");
      await repo.write("b.txt", "looking around\n");
    },
    async wreck(repo) {
      await repo.git("checkout", "-q", "--", ".");
      await repo.git("bisect", "bad");
      await repo.git("bisect", "reset");
      await wreckAndCommit(repo);
    },
    async goesOn(repo) {
      await repo.git("checkout", "-q", "--", ".");
      await repo.git("bisect", "good");
    },
  },
  {
    name: "a bisect and a cherry-pick at the same time",
    async prepare(repo) {
      await diverge(repo);
      await repo.git("bisect", "start", "HEAD", "HEAD~1");
      await repo.gitStops("cherry-pick", "topic~1");
    },
    wreck: wreckFiles,
    async goesOn(repo) {
      await repo.git("cherry-pick", "--abort");
      await repo.git("bisect", "reset");
    },
  },
  {
    name: "a revert whose recorded tree (AUTO_MERGE) was garbage-collected",
    async prepare(repo) {
      await diverge(repo);
      // Without untracked files the checkpoint's own tree is that very tree: it exists again once the checkpoint does.
      await repo.remove("beside.txt");
      await repo.gitStops("revert", "--no-edit", "HEAD~2");
      await repo.git("gc", "-q", "--prune=now");
    },
    wreck: wreckAndCommit,
    async goesOn(repo) {
      await repo.git("revert", "--abort");
    },
  },
  {
    name: "no operation, and a merge in progress afterwards",
    prepare: diverge,
    async wreck(repo) {
      await repo.gitStops("merge", "topic");
      await wreckFiles(repo);
    },
  },
  {
    name: "a merge, and a rebase in progress afterwards",
    async prepare(repo) {
      await diverge(repo);
      await repo.gitStops("merge", "topic");
    },
    async wreck(repo) {
      await repo.git("merge", "--abort");
      await repo.git("checkout", "-q", "topic");
      await repo.gitStops("rebase", "main");
    },
  },
];
