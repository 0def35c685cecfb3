/** The Stashes port. An entry is three commits, as `git stash push -u` makes them: work tree, index, untracked files. */
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { ESCAPED } from "../../../domain/stored-name.ts";
import type { StashEntry, Stashes } from "../../../ports/stashes.ts";
import { encodeCommit, messageOf } from "../commit-object.ts";
import { treeOfCommit } from "../head.ts";
import { heldFiles } from "../local-half.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { PackSpool } from "../pack-spool.ts";
import { storePack } from "../publish.ts";
import { Quarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { bringRevisions } from "../store/copy-objects.ts";
import { TreeBuilder } from "../tree-builder.ts";
import { BlobCleaner } from "./blob-cleaner.ts";
import { stashContent, type StashContent } from "./stash-content.ts";

/** What the commits of an entry say. */
interface Entry {
  readonly base: string;
  readonly worktree: string;
  readonly index: string;
  readonly untracked: string | undefined;
  /** `main: 1234567 subject`, as git words it. */
  readonly where: string;
  readonly title: string;
}

export class GitStashes implements Stashes {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async add(checkpoint: CheckpointDocument, message: string): Promise<StashEntry | undefined> {
    const held = await heldFiles(this.#repository, this.#reader, checkpoint);
    const base = checkpoint.git.commit;
    if (held === undefined || base === null) throw new Error("it has no commit to stash upon");
    const baseCommit = await this.#reader.readChecked(base, "commit");
    const headTree = treeOfCommit(baseCommit) ?? "";
    const cleaner = new BlobCleaner(this.#repository, this.#reader);
    const content = await stashContent(this.#repository, this.#reader, held, headTree, cleaner);
    refuseEscapedNames(content);
    const builder = new TreeBuilder(content.index, this.#repository.hash);
    const branch = checkpoint.git.branch?.replace(/^refs\/heads\//, "") ?? "(no branch)";
    const entry: Entry = {
      base,
      worktree: builder.workTree(content.tracked),
      index: held.part.index,
      untracked: content.untracked.size === 0 ? undefined : builder.treeOf(content.untracked),
      where: `${branch}: ${base.slice(0, 7)} ${messageOf(baseCommit).split("\n")[0] ?? ""}`,
      title: `On ${branch}: ${message}`,
    };
    const isChanged = entry.worktree !== headTree || entry.index !== headTree;
    if (!isChanged && entry.untracked === undefined) return undefined;
    const leaves = [...content.tracked.values(), ...content.untracked.values()];
    const blobs = leaves.flatMap((leaf) => leaf?.oid ?? []);
    const commit = await this.#store(builder, entry, blobs);
    return { commit, notExact: [...content.notExact] };
  }

  /** Objects first, checked, then the one ref: whatever happens in between leaves the list as it was. */
  async #store(builder: TreeBuilder, entry: Entry, blobs: readonly string[]): Promise<string> {
    const quarantine = new Quarantine(this.#repository);
    const spool = new PackSpool(() => quarantine.path("stash.pack"), this.#repository.hash);
    try {
      const bases = [entry.base, entry.index, ...blobs];
      if (!(await bringRevisions(this.#repository, quarantine, bases))) throw notWhole();
      for (const [oid, content] of builder.made) spool.add(oid, "tree", content);
      const commit = this.#addCommits(spool, entry);
      await storePack(this.#repository, spool, quarantine, "safe");
      await runGit(this.#repository, ["rev-list", "--objects", "--quiet", "--no-walk", commit]);
      await runGit(this.#repository, ["stash", "store", "-q", "-m", entry.title, commit]);
      return commit;
    } finally {
      spool.close();
      quarantine.discard();
    }
  }

  #addCommits(spool: PackSpool, entry: Entry): string {
    const at = new Date();
    const add = (tree: string, parents: readonly string[], message: string): string => {
      const content = encodeCommit({ tree, parents, at, message: `${message}\n` });
      const oid = objectId(this.#repository.hash, "commit", content);
      spool.add(oid, "commit", content);
      return oid;
    };
    const parents = [entry.base, add(entry.index, [entry.base], `index on ${entry.where}`)];
    if (entry.untracked !== undefined) {
      parents.push(add(entry.untracked, [], `untracked files on ${entry.where}`));
    }
    return add(entry.worktree, parents, entry.title);
  }
}

function notWhole(): Failure {
  return new Failure("checkpoint_damaged", "objects of the checkpoint are missing or damaged", {
    hint: "`waymark rebuild` may repair it. Nothing was changed.",
  });
}

function refuseEscapedNames({ index }: StashContent): void {
  if (index?.mentions(ESCAPED) !== true) return;
  throw new Failure("cannot_stash", `the index has names that begin with ${ESCAPED}`, {
    hint: "Checkpoints store those under another name; roll back to the checkpoint instead.",
  });
}
