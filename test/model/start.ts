/** Where a model run starts: made once, then copied for each run. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type TempRepository } from "../support/temp-repository.ts";

/** settled: the files are older than the index, as in life; history: of the same second, so that git trusts no time stamp. */
export type Start = "history" | "settled" | "unborn";

/** main, topic (disagrees with main) and quiet (agrees); a filter that the attributes may switch on. */
export async function makeStart(base: TempRepository, start: Start): Promise<void> {
  const repo = base.at(start);
  await base.git("init", "-q", "-b", "main", repo.root);
  await repo.git("config", "filter.swap.clean", "tr a-z b-za");
  await repo.git("config", "filter.swap.smudge", "tr b-za a-z");
  await repo.git("config", "rerere.enabled", "false");
  await repo.write(".gitignore", "*.log\n");
  await repo.write("a", "base\n");
  await repo.write("dir/x", "base\n");
  await repo.write("i.log", "ignored\n");
  if (start === "unborn") {
    return;
  }
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
  await repo.git("checkout", "-q", "main");
  await repo.write("a", "main\n");
  await repo.write("dir/x", "main\n");
  await repo.write("b", "main\n");
  if (start === "settled") {
    await repo.settle("a", "b", "dir/x", ".gitignore");
  }
  await repo.git("add", "-A");
  await repo.commit("main");
}

/** A fresh copy of a start in the folder of the run. */
export function copyStart(base: TempRepository, start: Start, run: TempRepository): TempRepository {
  execFileSync("cp", ["-a", join(base.base, start), join(run.base, "copy")]);
  return run.at("copy");
}
