/**
 * The project that most tests start from: two commits, a second branch, every ordinary kind of file, ignored ones too.
 * All tracked files but a.txt are older than the index, as in life; a.txt is of the same moment.
 */
import { utimes } from "node:fs/promises";
import { runCommand } from "./run-command.ts";
import { type TempRepository } from "./temp-repository.ts";

export async function seedRepository(repo: TempRepository): Promise<void> {
  await repo.write(".gitignore", "*.log\nbuild/\n");
  await repo.write("a.txt", "alpha\n");
  await repo.write("b.txt", "beta\n");
  await repo.write("dir/c.txt", "gamma\n");
  await repo.write("dir/deep/d.bin", Buffer.from([0, 1, 2, 253, 254, 255]));
  await repo.write("run.sh", "#!/bin/sh\n", 0o755);
  await repo.link("link", "a.txt");
  await repo.settle(".gitignore", "b.txt", "dir/c.txt", "dir/deep/d.bin", "run.sh", "link");
  await repo.git("add", "-A");
  await repo.commit("first");
  await repo.write("a.txt", "alpha\nsecond line\n");
  await repo.git("add", "-A");
  await repo.commit("second");
  await repo.git("branch", "other", "HEAD~1");
  await repo.write("trace.log", "ignored\n");
  await repo.write("build/out.o", "ignored too\n");
}

/** The same in an empty project, copied from the one that was made before the tests (`clean-environment.ts`): two processes in place of ten. */
export async function copySeed(repo: TempRepository): Promise<void> {
  const copied = await runCommand(
    "cp",
    ["-a", `${process.env["WAYMARK_TEST_SEEDED"]}/.`, repo.root],
    { env: repo.env },
  );
  if (copied.code !== 0) throw new Error(copied.stderr);
  const now = new Date();
  await utimes(repo.path("a.txt"), now, now);
  // The copies have times and inodes of their own.
  await repo.git("update-index", "--refresh");
}

/** Changes of every kind on top of the seed: staged, unstaged, both, deleted, untracked, renamed, modes, empty folder. */
export async function makeDirty(repo: TempRepository): Promise<void> {
  await repo.write("staged.txt", "staged, new\n");
  await repo.write("a.txt", "alpha, staged\n");
  await repo.git("add", "staged.txt", "a.txt");
  await repo.write("a.txt", "alpha, staged, edited again\n");
  await repo.write("b.txt", "beta, edited\n");
  await repo.remove("dir/c.txt");
  await repo.git("mv", "dir/deep/d.bin", "moved.bin");
  await repo.chmod("run.sh", 0o644);
  await repo.write("untracked.txt", "untracked\n", 0o600);
  await repo.write("new/deep/untracked.sh", "#!/bin/sh\n", 0o700);
  await repo.link("untracked-link", "nowhere");
  await repo.folder("empty/inside");
}
