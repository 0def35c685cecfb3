/** Which files a checkpoint holds beyond what git tracks, or beyond what is committed. */
import { asBytePath, type BytePath } from "../../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument, type GitPart } from "../../domain/checkpoint.ts";
import { headLeadsTo, treeOfCommit } from "./head.ts";
import { IndexFile } from "./index-file.ts";
import { heldPart } from "./local-half.ts";
import type { ObjectReader } from "./object-reader.ts";
import { checkpointRef } from "./ref-names.ts";
import { refValues } from "./ref-values.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { diffTrees, TreeSource, type LeafChange } from "./tree-source.ts";

export interface FileBeyond {
  readonly path: BytePath;
  readonly mode: string;
  readonly oid: string;
}

/** Commits whose files an operation under way brings into the index. Not ORIG_HEAD: that is what somebody went back from. */
const BROUGHT_IN = new Set(["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"]);

/** Texts of commits that are not made yet. Other files of an operation have what commits have. Named as in the tree of the checkpoint. */
const MESSAGES = new Set(["MERGE_MSG", "SQUASH_MSG"]);

interface TakenBack {
  readonly commit: string;
  readonly parents: readonly string[];
}

export class FilesBeyond {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #source: TreeSource;
  readonly #reached = new Map<string, Promise<boolean>>();

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
    this.#source = new TreeSource(repository, reader);
  }

  /** By the index itself: files that are in conflict or only announced (`git add -N`) are in no tree of it, and tracked. */
  async tracked(document: CheckpointDocument): Promise<FileBeyond[]> {
    const part = await heldPart(this.#repository, this.#reader, document);
    if (part === undefined) return [];
    const raw =
      part.index_raw === null ? undefined : await this.#reader.readChecked(part.index_raw, "blob");
    const index = raw === undefined ? undefined : new IndexFile(raw, this.#repository.hash);
    const added = await this.#changed(part.index, part.worktree, asAdded);
    return added.filter(({ path }) => index?.has(path) !== true);
  }

  /**
   * Whatever no commit has under this path: what was only staged or announced can still be taken back, and is in no repository elsewhere.
   * The index and its conflicts count as well, since they hold content that the work tree may not have, and so do commits that
   * somebody took back and that only the checkpoint keeps. A path may come more than once. Not what is in the local half, which stays here.
   */
  async committed(document: CheckpointDocument): Promise<FileBeyond[]> {
    const part = gitPartOf(document);
    if (part === undefined) return [];
    const commits = await this.#commits(document, part);
    const trees = await this.#treesOf(commits);
    const found: FileBeyond[] = [];
    for (const held of [part.worktree, part.index, ...(await this.#stages(part))]) {
      found.push(...(await this.#beyond(trees, held, asAdded)));
    }
    for (const { name, mode, oid } of await this.#source.entries(part.operation ?? undefined)) {
      if (MESSAGES.has(name)) found.push({ path: asBytePath(`operation/${name}`), mode, oid });
    }
    for (const commit of await this.#takenBack(document, commits)) {
      found.push(...(await this.#broughtBy(commit, trees)));
    }
    return found;
  }

  /** What none of these trees has, as the changes from each of them are judged. */
  async #beyond(
    [first, ...others]: readonly string[],
    held: string,
    judge: (change: LeafChange) => FileBeyond[],
  ): Promise<FileBeyond[]> {
    let beyond = await this.#changed(first, held, judge);
    for (const tree of others) {
      if (beyond.length === 0) break;
      const missing = new Set((await this.#changed(tree, held, judge)).map(({ path }) => path));
      beyond = beyond.filter(({ path }) => missing.has(path));
    }
    return beyond;
  }

  /**
   * What a commit that was taken back has from none of its parents, as far as its path is not committed here. The files that it only took over are
   * those of its parents: public history, or commits that were taken back with it and are looked at themselves.
   */
  async #broughtBy(
    { commit, parents }: TakenBack,
    trees: readonly string[],
  ): Promise<FileBeyond[]> {
    const [tree] = await this.#treesOf([commit]);
    if (tree === undefined) return [];
    const brought = await this.#beyond(await this.#treesOf(parents), tree, asBrought);
    if (brought.length === 0) return [];
    const beyond = await this.#beyond(trees, tree, asAdded);
    const paths = new Set(beyond.map(({ path }) => path));
    return brought.filter(({ path }) => paths.has(path));
  }

  /** A commit that no branch leads to was dropped: it goes nowhere with the repository. */
  #isReached(commit: string): Promise<boolean> {
    const known = this.#reached.get(commit);
    if (known !== undefined) return known;
    const asked = runGit(
      this.#repository.project,
      [
        "for-each-ref",
        "--count=1",
        "--format=x",
        `--contains=${commit}`,
        "refs/heads",
        "refs/remotes",
      ],
      { accept: [0, 128, 129] },
    ).then(async ({ exitCode, stdout }) =>
      exitCode === 0 && stdout.length > 0 ? true : headLeadsTo(this.#repository.project, commit),
    );
    this.#reached.set(commit, asked);
    return asked;
  }

  /** That the files belong to: HEAD first, where there is one. */
  async #commits({ git }: CheckpointDocument, { operation }: GitPart): Promise<readonly string[]> {
    const commits = git.commit !== null && (await this.#isReached(git.commit)) ? [git.commit] : [];
    for (const { name, oid } of await this.#source.entries(operation ?? undefined)) {
      if (!BROUGHT_IN.has(name)) continue;
      const text = (await this.#reader.readChecked(oid, "blob")).toString("latin1");
      for (const id of text.split("\n").filter((line) => /^[0-9a-f]{40,64}$/.test(line))) {
        if ((await this.#reader.read(id))?.type === "commit") commits.push(id);
      }
    }
    return commits;
  }

  /**
   * Commits that no branch has and that leave with the checkpoint, since it keeps what git's own files name: before a `reset` (ORIG_HEAD), or
   * put away by `--autostash`. Not by tags: those may be Waymark's.
   */
  async #takenBack(
    { id }: CheckpointDocument,
    commits: readonly string[],
  ): Promise<readonly TakenBack[]> {
    const own = await this.#reader.read(checkpointRef(id));
    const text = own?.content.toString("latin1") ?? "";
    const parents = [...text.slice(0, text.indexOf("\n\n")).matchAll(/^parent ([0-9a-f]+)$/gm)];
    const others = parents.map(([, parent = ""]) => parent).filter((one) => !commits.includes(one));
    if (others.length === 0) return [];
    const branches = await refValues(this.#repository.project, "refs/heads", "refs/remotes");
    const without = [...commits, ...branches.values()].map((oid) => `^${oid}`);
    const input = [...others, ...without].map((line) => `${line}\n`).join("");
    // Git knows where a shallow clone ends, the commits do not.
    const args = ["rev-list", "--parents", "--stdin"];
    const { stdout } = await runGit(this.#repository.store, args, { input });
    return stdout
      .toString("latin1")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [commit = "", ...itsParents] = line.split(" ");
        return { commit, parents: itsParents };
      });
  }

  async #treesOf(commits: readonly string[]): Promise<string[]> {
    const trees: string[] = [];
    for (const commit of commits) {
      const tree = treeOfCommit(await this.#reader.readChecked(commit, "commit"));
      if (tree !== undefined) trees.push(tree);
    }
    return trees;
  }

  /** Conflicts are a folder for each stage, those that were resolved have one in `resolved`. */
  async #stages({ conflicts }: GitPart): Promise<string[]> {
    const stages: string[] = [];
    for (const { name, oid } of await this.#source.entries(conflicts ?? undefined)) {
      if (name !== "resolved") stages.push(oid);
      else stages.push(...(await this.#source.entries(oid)).map((stage) => stage.oid));
    }
    return stages;
  }

  async #changed(
    before: string | undefined,
    after: string,
    judge: (change: LeafChange) => FileBeyond[],
  ): Promise<FileBeyond[]> {
    const source = this.#source;
    const changes = await diffTrees({ source, oid: before }, { source, oid: after });
    return changes.flatMap(judge);
  }
}

function asAdded({ path, before, after }: LeafChange): FileBeyond[] {
  return before === undefined && after !== undefined
    ? [{ path, mode: after.mode, oid: after.oid }]
    : [];
}

function asBrought(change: LeafChange): FileBeyond[] {
  const { path, before, after } = change;
  const isBrought = after !== undefined && after.oid !== before?.oid;
  return isBrought ? [{ path, mode: after.mode, oid: after.oid }] : [];
}
