/** Ways to spoil a project that is made of the seed files; each copes with whatever the state has left of them. */
import { type TempRepository } from "../../support/temp-repository.ts";

/** Edits, deletions, new files, type changes, modes, empty folders, ignored files. Git is not told. */
export async function wreckFiles(repo: TempRepository): Promise<void> {
  await repo.write("a.txt", "wrecked\n");
  await repo.remove("b.txt");
  await repo.remove("dir");
  await repo.write("dir", "a file where a folder was\n");
  await repo.remove("link");
  await repo.write("link/inside.txt", "a folder where a link was\n");
  await repo.write("run.sh", "#!/bin/sh\necho wrecked\n", 0o600);
  await repo.write("wreck/new.txt", "new\n");
  await repo.folder("wreck/empty");
  await repo.remove("empty");
  await repo.remove("untracked.txt");
  await repo.write("trace.log", "ignored, changed after the checkpoint\n");
  await repo.write("wreck.log", "ignored, new after the checkpoint\n");
}

/** The above, staged and committed, then changed once more. */
export async function wreckAndCommit(repo: TempRepository): Promise<void> {
  await wreckFiles(repo);
  await repo.git("add", "-A");
  await repo.commit("wrecked");
  await repo.write("a.txt", "wrecked again\n");
  await repo.write("wreck/later.txt", "later\n");
}

/** The above on a branch made for it, so that HEAD itself must come back too. */
export async function wreckOnNewBranch(repo: TempRepository): Promise<void> {
  await repo.git("checkout", "-q", "-B", "wreckage");
  await wreckAndCommit(repo);
}

/** Everything thrown away the hard way, as an agent that "starts over" does it. */
export async function wreckByReset(repo: TempRepository): Promise<void> {
  await repo.git("reset", "-q", "--hard");
  await repo.git("clean", "-q", "-fd");
  await wreckFiles(repo);
  await repo.git("rm", "-q", "--cached", "-r", "--ignore-unmatch", "a.txt", "dir");
}
