/** A repository made for random work: main, topic (disagrees with main) and quiet (agrees); a filter that the attributes may switch on. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempRepository } from "../support/temp-repository.ts";

/** `settled`: the files are older than the index. */
export async function history(repo: TempRepository, settled: boolean): Promise<void> {
  await repo.git("init", "-q", "-b", "main");
  await repo.git("config", "filter.swap.clean", "tr a-z b-za");
  await repo.git("config", "filter.swap.smudge", "tr b-za a-z");
  await repo.git("config", "rerere.enabled", "false");
  await repo.write(".gitignore", "*.log\n");
  await repo.write("a", "base\n");
  await repo.write("dir/x", "base\n");
  await repo.write("i.log", "ignored\n");
  await repo.git("add", "-A");
  await repo.commit("base");
  await repo.git("checkout", "-q", "-b", "quiet");
  await repo.write("dir/y", "quiet\n");
  await repo.git("add", "-A");
  await repo.commit("quiet");
  await repo.git("checkout", "-q", "-b", "topic", "main");
  await repo.write("a", "topic\n");
  await repo.git("rm", "-q", "dir/x");
  await repo.write("b", "topic\n");
  await repo.git("add", "-A");
  await repo.commit("topic");
  // For `git am`: it stops where main disagrees.
  const patches = await repo.git("format-patch", "--stdout", "main..topic");
  await writeFile(join(repo.base, "mbox"), patches, "latin1");
  await repo.git("checkout", "-q", "main");
  await repo.write("a", "main\n");
  await repo.write("dir/x", "main\n");
  await repo.write("b", "main\n");
  if (settled) await repo.settle("a", "b", "dir/x", ".gitignore");
  await repo.git("add", "-A");
  await repo.commit("main");
}
