/** The Holdings port: `git rev-list` from the checkpoints, without what the project has anyway. */
import type { Holdings } from "../../ports/holdings.ts";
import { SILENT, type Progress } from "../../ports/progress.ts";
import { readCheckpointRefs } from "./checkpoint-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { readBases } from "./store/bases.ts";
import { userTips } from "./store/copy-objects.ts";

export class GitHoldings implements Holdings {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository.store;
  }

  async bytes(
    ids: readonly string[],
    progress: Progress = SILENT,
  ): Promise<ReadonlyMap<string, number>> {
    const tips = await this.#tips(ids);
    if (tips.size === 0) return new Map();
    const task = progress.begin("measuring checkpoints", { items: tips.size });
    try {
      let rest = "";
      return await this.#measure(tips, (chunk) => {
        const lines = (rest + chunk.toString("latin1")).split("\n");
        rest = lines.pop() ?? "";
        task.advance(lines.filter((line) => tips.has(line)).length);
      });
    } finally {
      task.end();
    }
  }

  async #measure(
    tips: ReadonlyMap<string, string>,
    onStdout: (chunk: Buffer) => void,
  ): Promise<Map<string, number>> {
    const bytes = new Map<string, number>();
    // Newest commit first, and after each commit what only it and older ones refer to. Aggressive: all that the borrowed commits
    // have is left out, and not only what the last commit had that a checkpoint is based on.
    const { borrowed, stored, owns } = readBases(this.#repository);
    // A store that owns its objects has the user's history too. It is no cost of a checkpoint: no cleanup by size frees it.
    const history = owns === true ? stored : Object.values(borrowed);
    const lines = await this.#revList(
      [...tips.keys(), ...history.map((oid) => `^${oid}`)],
      [
        "--objects-edge-aggressive",
        "--no-object-names",
        "--in-commit-order",
        "--missing=allow-any",
      ],
      onStdout,
    );
    const objects = lines.filter((line) => !line.startsWith("-"));
    const { stdout } = await runGit(
      this.#repository,
      ["cat-file", "--batch-check=%(objectsize:disk)", "--buffer"],
      { input: objects.map((oid) => `${oid}\n`).join("") },
    );
    const sizes = stdout.toString("latin1").split("\n");
    let holder = "";
    for (const [at, oid] of objects.entries()) {
      holder = tips.get(oid) ?? holder;
      const size = Number(sizes[at]);
      if (Number.isInteger(size)) bytes.set(holder, (bytes.get(holder) ?? 0) + size);
    }
    return bytes;
  }

  async commits(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const tips = await this.#tips(ids);
    const held = new Map<string, string[]>();
    if (tips.size === 0) return held;
    const parents = new Map<string, string[]>();
    const users = (await userTips(this.#repository.project)).map((oid) => `^${oid}`);
    for (const line of await this.#revList([...tips.keys(), ...users], ["--parents"])) {
      const [commit = "", ...rest] = line.split(" ");
      parents.set(commit, rest);
    }
    const claimed = new Set<string>();
    // Newest first, as the list is.
    for (const commit of parents.keys()) {
      const id = tips.get(commit);
      if (id === undefined) continue;
      const own = reachedFrom(commit, parents, claimed).filter((reached) => !tips.has(reached));
      if (own.length > 0) held.set(id, own);
    }
    return held;
  }

  /** Checkpoint ids, in the trash too, by the commit that their ref points at. */
  async #tips(ids: readonly string[]): Promise<Map<string, string>> {
    const { present, trash } = await readCheckpointRefs(this.#repository);
    const tips = new Map<string, string>();
    for (const id of ids) {
      const oid = present.get(id) ?? trash.get(id);
      if (oid !== undefined) tips.set(oid, id);
    }
    return tips;
  }

  async #revList(
    revisions: readonly string[],
    args: readonly string[],
    onStdout?: (chunk: Buffer) => void,
  ): Promise<string[]> {
    const { stdout } = await runGit(
      this.#repository,
      ["rev-list", "--ignore-missing", ...args, "--stdin"],
      { input: revisions.map((line) => `${line}\n`).join(""), onStdout },
    );
    return stdout.toString("latin1").split("\n").filter(Boolean);
  }
}

/** Commits that nobody reached before, this one included; the list of parents ends where the user's refs begin. */
function reachedFrom(
  start: string,
  parents: ReadonlyMap<string, readonly string[]>,
  claimed: Set<string>,
): string[] {
  const found: string[] = [];
  const waiting = [start];
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    const above = parents.get(commit);
    if (above === undefined || claimed.has(commit)) continue;
    claimed.add(commit);
    found.push(commit);
    waiting.push(...above);
  }
  return found;
}
