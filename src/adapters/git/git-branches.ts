/** The Branches port. */
import type {
  Branches,
  BranchUse,
  CheckedOut,
  LeavingCommit,
  OperationInProgress,
} from "../../ports/branches.ts";
import { commitsOnlyIn } from "./commits-only-in.ts";
import { headBranch } from "./head.ts";
import { countConflicts } from "./capture/index-facts.ts";
import { readIndex } from "./index-snapshot.ts";
import { readOperationState, readStateRefs } from "./operation-state.ts";
import { operationElsewhere } from "./operations-elsewhere.ts";
import { resolveRef } from "./read-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export class GitBranches implements Branches {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async current(): Promise<CheckedOut> {
    if (this.#repository.isPlain) return { kind: "no_git" };
    const name = await headBranch(this.#repository);
    return name === undefined ? { kind: "detached" } : { kind: "branch", name };
  }

  tip(ref: string): Promise<string | undefined> {
    return resolveRef(this.#repository, ref);
  }

  async inTheWayOf(ref: string): Promise<string | undefined> {
    const parts = ref.split("/");
    const above = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join("/"));
    const args = ["for-each-ref", "--format=%(refname)", "--", `${ref}/`, ...above.slice(2)];
    const { stdout } = await runGit(this.#repository, args);
    const names = stdout.toString("utf8").split("\n");
    return names.find((name) => name.startsWith(`${ref}/`) || above.includes(name));
  }

  async inUseElsewhere(ref: string): Promise<BranchUse | undefined> {
    const { stdout } = await runGit(this.#repository, ["worktree", "list", "--porcelain"]);
    const trees = stdout
      .toString("utf8")
      .split("\n\n")
      .map((block) => block.split("\n"))
      .map((lines) => ({ lines, folder: folderIn(lines) }));
    for (const [position, { lines, folder }] of trees.entries()) {
      // The main one comes first; with a separate git folder git shows that in place of the work tree.
      const isOwn =
        this.#repository.worktreeId === "main"
          ? position === 0
          : folder === this.#repository.workTree;
      if (folder === undefined || isOwn) continue;
      if (lines.includes(`branch ${ref}`)) return { folder, use: "checked out" };
    }
    const found = operationElsewhere(this.#repository, ref);
    if (found === undefined) return undefined;
    const folder = found.folder ?? trees[0]?.folder ?? this.#repository.commonDir;
    return { folder, use: `being ${found.use}` };
  }

  async leaving(branch: string, from: string, to: string | undefined): Promise<LeavingCommit[]> {
    const commits = await commitsOnlyIn(this.#repository.store, from, to);
    return commits.map((commit) => ({ branch, ...commit }));
  }

  async operation(): Promise<OperationInProgress | undefined> {
    const { operation: kind } = await readOperationState(this.#repository);
    if (kind === "none") return undefined;
    const { index } = await readIndex(this.#repository);
    return { kind, conflicts: countConflicts(index) };
  }

  operationRefs(): Promise<ReadonlyMap<string, string>> {
    return readStateRefs(this.#repository);
  }
}

function folderIn(lines: readonly string[]): string | undefined {
  return lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
}
