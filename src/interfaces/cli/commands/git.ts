/** `waymark git` */
import { Failure } from "../../../domain/failure.ts";
import type { Context } from "../command-spec.ts";

/** They drop what the project has at that moment, and it may lose that later. */
const REFUSED = new Set(["gc", "repack", "prune", "prune-packed", "maintenance"]);

/** Options of git itself whose value is the next word. */
const WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"]);

export async function run(context: Context): Promise<number> {
  const [words] = context.args as [readonly string[]];
  const called = calledCommand(words);
  if (called !== undefined && REFUSED.has(called)) {
    throw new Failure("usage", `git ${called} is not run on the store`, {
      hint: "It would drop objects that checkpoints need. `waymark cleanup` removes old checkpoints and packs the store.",
    });
  }
  const { runGitOnStore } = await import("../../../app.ts");
  // Ctrl+C reaches git as well, which decides what it means.
  return context.interruption.handOver(
    () => undefined,
    () => runGitOnStore(context.directory, words),
  );
}

function calledCommand(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (WITH_VALUE.has(word)) at += 1;
    else if (!word.startsWith("-")) return word;
  }
  return undefined;
}
