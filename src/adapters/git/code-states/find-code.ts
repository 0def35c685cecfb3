/** Whether the code that an old record names is here: its commit with everything below it, its branch, its stash entry. */
import { isRestorableRef } from "../../../domain/hostile-path.ts";
import { fullBranch } from "../../../domain/old-formats/imported-session.ts";
import type { OldCode } from "../../../domain/old-formats/old-session.ts";
import type { CodeProblem, FoundCode } from "../../../ports/code-states.ts";
import type { ObjectReader } from "../object-reader.ts";
import { resolveRef } from "../read-refs.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";

interface StashLine {
  readonly commit: string;
  /** The commit that it was made on. */
  readonly base: string;
  readonly message: string;
}

export class CodeFinder {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  /** Records share commits; each is looked at once. */
  readonly #whole = new Map<string, boolean>();
  #stashes: Promise<readonly StashLine[]> | undefined;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async find(wanted: OldCode): Promise<FoundCode> {
    const problems: CodeProblem[] = [];
    const commit = await this.#commit(wanted, problems);
    if (commit === null) return { commit, branch: null, stash: null, problems };
    const branch = branchOf(wanted.branch, problems);
    const stash = wanted.stash === null ? null : await this.#stash(wanted.stash, commit, problems);
    return { commit, branch, stash, problems };
  }

  async #commit({ commit, tag }: OldCode, problems: CodeProblem[]): Promise<string | null> {
    const named = commit === null || !isFullId(commit) ? undefined : commit;
    const tagged = named === undefined ? await this.#tagged(tag) : undefined;
    const oid = named ?? tagged;
    if (oid === undefined) {
      const message =
        commit === null
          ? "it names no commit"
          : `${JSON.stringify(commit)} is not a full commit id`;
      problems.push({ code: "no_commit", message });
      return null;
    }
    if (await this.#isHere(oid)) return oid;
    problems.push({
      code: "commit_missing",
      message: `this repository does not have the commit ${oid}, or not all of it`,
    });
    return null;
  }

  async #tagged(tag: string | null): Promise<string | undefined> {
    // The name comes from outside, and git takes more than names there.
    if (tag === null || !/^refs\/tags\/(?!.*(?:\.\.|@\{|\/\/|\.lock))[\w./-]+$/.test(tag)) {
      return undefined;
    }
    const oid = await resolveRef(this.#repository, tag);
    const found = oid === undefined ? undefined : await this.#reader.read(`${oid}^{commit}`);
    return found?.type === "commit" ? found.oid : undefined;
  }

  /**
   * A commit can be here without what it needs, as one that git has begun to prune. A ref that leads to it would make git call the repository
   * broken, so everything is looked at that no ref of the repository holds.
   */
  async #isHere(oid: string): Promise<boolean> {
    const known = this.#whole.get(oid);
    if (known !== undefined) return known;
    const args = ["rev-list", "--quiet", "--objects", oid, "--not", "--all"];
    const isCommit = (await this.#read(oid)) === "commit";
    const isWhole =
      isCommit && (await runGit(this.#repository, args, { accept: [0, 128] })).exitCode === 0;
    this.#whole.set(oid, isWhole);
    return isWhole;
  }

  async #read(oid: string): Promise<string | undefined> {
    const result = await runGit(this.#repository, ["cat-file", "-t", oid], { accept: [0, 128] });
    return result.exitCode === 0 ? result.stdout.toString("latin1").trim() : undefined;
  }

  async #stash(message: string, base: string, problems: CodeProblem[]): Promise<string | null> {
    this.#stashes ??= this.#readStashes();
    const named = (await this.#stashes).filter((line) => line.message.includes(message));
    const found = named.find((line) => line.base === base);
    if (found !== undefined && (await this.#isHere(found.commit))) return found.commit;
    const why =
      named.length === 0
        ? "no stash entry has its message"
        : "the stash entry with its message was created on another commit";
    problems.push({ code: "stash_missing", message: `its uncommitted changes are lost: ${why}` });
    return null;
  }

  async #readStashes(): Promise<StashLine[]> {
    const { stdout, exitCode } = await runGit(
      this.#repository,
      [
        "-c",
        "log.showSignature=false",
        "log",
        "-g",
        "-z",
        "--format=%H%x09%P%x09%gs",
        "refs/stash",
        "--",
      ],
      { accept: [0, 128] },
    );
    if (exitCode !== 0) return [];
    return stdout
      .toString("utf8")
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => {
        const [commit = "", parents = "", ...message] = line.split("\t");
        return { commit, base: parents.split(" ")[0] ?? "", message: message.join("\t") };
      });
  }
}

function isFullId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function branchOf(name: string | null, problems: CodeProblem[]): string | null {
  const branch = fullBranch(name);
  if (branch === null) return null;
  if (branch.startsWith("refs/heads/") && isRestorableRef(branch)) return branch;
  problems.push({
    code: "branch",
    message: `${JSON.stringify(name)} is not a branch name; a rollback to it detaches HEAD at its commit`,
  });
  return null;
}
