/** The IsolatedWorkTrees port: linked work trees of git, outside of the project's own. */
import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parsePath, type BytePath } from "../../../domain/byte-path.ts";
import { slug } from "../../../domain/checkpoint-id.ts";
import {
  isPlain,
  type CheckpointDocument,
  type Exclusion,
  type GitPart,
} from "../../../domain/checkpoint.ts";
import type { IsolationPlace } from "../../../domain/config.ts";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import { hasMarkers, type MarkerLabels } from "../../../domain/workflow/merge-conflict.ts";
import type {
  IsolatedTree,
  IsolatedWorkTrees,
  LeftOverTree,
  MergedFiles,
  MergeOrder,
  TreeOrder,
  WaitingTree,
} from "../../../ports/isolated-work-trees.ts";
import { onDisk, rootFolder } from "../../files/byte-names.ts";
import { writeDurably } from "../../files/durable-write.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import { A_MINUTE, takeLockNow } from "../../files/owned-lock.ts";
import { namesIn } from "../../files/names-in.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import { indexPath } from "../index-snapshot.ts";
import { heldFiles, type HeldFiles } from "../local-half.ts";
import type { ObjectReader } from "../object-reader.ts";
import { Quarantine } from "../quarantine.ts";
import { openRepository, type Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { bringRevisions } from "../store/copy-objects.ts";
import { TreeSource } from "../tree-source.ts";
import { WorkTreeFiller } from "./fill-work-tree.ts";
import { indexForTree } from "./index-for-tree.ts";
import { isolatedFolder, isOwnTree, knownToGit, treePath } from "./tree-place.ts";
import { mergeResults } from "./merge-results.ts";
import { forgetRecord, readRecords, recordPath, writeRecord } from "./tree-records.ts";

/** Short enough for the whole id to be the work tree's id, as it is. */
const LONGEST_NAME = 20;
/** Where commits go that are made in a tree without one: a ref that only this tree has. */
const UNBORN_HEAD = "refs/worktree/waymark";

const DOT_GIT = Buffer.from(".git");

export class GitIsolatedWorkTrees implements IsolatedWorkTrees {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #place: IsolationPlace;

  constructor(repository: Repository, reader: ObjectReader, place: IsolationPlace) {
    this.#repository = repository;
    this.#reader = reader;
    this.#place = place;
  }

  async make(order: TreeOrder): Promise<IsolatedTree> {
    const { checkpoint, name, commands = null, outputs = [] } = order;
    if (this.#repository.isPlain || isPlain(checkpoint.git)) throw noGit();
    const id = `${slug(name).slice(0, LONGEST_NAME).replace(/-$/, "")}-${randomBytes(4).toString("hex")}`;
    const tree: IsolatedTree = {
      id,
      name,
      path: treePath(this.#repository, this.#place, id),
      baseId: checkpoint.id,
      sessionId: checkpoint.session_id,
      since: new Date().toISOString(),
      commands,
      outputs,
    };
    writeRecord(this.#repository, tree, "making");
    try {
      await this.#makeIn(tree, order);
      writeRecord(this.#repository, tree, "ready");
      return tree;
    } catch (error) {
      await this.remove(tree);
      throw asFailure(error, `creating a work tree for ${name}`);
    }
  }

  async #makeIn({ path }: IsolatedTree, { checkpoint }: TreeOrder): Promise<void> {
    const held = await heldFiles(this.#repository, this.#reader, checkpoint);
    if (held === undefined) throw new Error("the checkpoint contains no work tree");
    const quarantine = new Quarantine(this.#repository);
    try {
      await this.#bringObjects(quarantine, checkpoint, held.part);
      await this.#addTree(path, checkpoint, held);
    } finally {
      quarantine.discard();
    }
  }

  /** The new tree's HEAD and index are for the user's git, which does not see the store. */
  async #bringObjects(
    quarantine: Quarantine,
    { git }: CheckpointDocument,
    part: GitPart,
  ): Promise<void> {
    const trees = [part.index, ...(part.conflicts === null ? [] : [part.conflicts])];
    const needed = git.commit === null ? trees : [git.commit, ...trees];
    await bringRevisions(this.#repository, quarantine, needed);
  }

  async #addTree(
    path: string,
    checkpoint: CheckpointDocument,
    { part, details }: HeldFiles,
  ): Promise<void> {
    const commit = checkpoint.git.commit ?? (await this.#emptyCommit());
    // Locked: `git worktree prune` never takes it.
    const args = ["worktree", "add", "-q", "--detach", "--no-checkout", "--lock", path, commit];
    await runGit(this.#repository, args);
    const linked = await openRepository(path);
    if (checkpoint.git.commit === null) {
      await runGit(linked, ["symbolic-ref", "HEAD", UNBORN_HEAD]);
    }
    const filler = new WorkTreeFiller(
      new TreeSource(this.#repository, this.#reader),
      this.#reader,
      details,
      path,
    );
    await filler.fill(part.worktree);
    if (part.index_raw === null) {
      rmSync(indexPath(linked), { force: true });
      return;
    }
    const raw = await this.#reader.readChecked(part.index_raw, "blob");
    const index = indexForTree(raw, this.#repository.hash, filler.written);
    writeDurably(indexPath(linked), index, false);
  }

  /** `git worktree add` wants a commit, also where HEAD will have none. */
  async #emptyCommit(): Promise<string> {
    const tree = await runGit(this.#repository, ["hash-object", "-t", "tree", "-w", "--stdin"]);
    const args = ["commit-tree", tree.stdout.toString("latin1").trim()];
    const { stdout } = await runGit(this.#repository, args);
    return stdout.toString("latin1").trim();
  }

  merge(order: MergeOrder): Promise<MergedFiles> {
    return mergeResults(this.#repository.store, order);
  }

  unresolved(paths: readonly BytePath[], labels: MarkerLabels): Promise<BytePath[]> {
    const root = rootFolder(this.#repository.workTree);
    const found = paths.filter((path) => {
      const place = onDisk(root, path);
      return statOf(place)?.isFile() === true && hasMarkers(readFileSync(place, "latin1"), labels);
    });
    return Promise.resolve(found);
  }

  wouldBeLost(tree: IsolatedTree, excluded: readonly Exclusion[]): Promise<Exclusion[]> {
    const copies = namesIn(join(tree.path, OWN_FOLDER)).some((name) => name.startsWith("cp-"));
    const root = rootFolder(tree.path);
    const lost = excluded.filter(({ path, reason }) => {
      if (reason === "ignored") return false;
      if (reason === "own_files") return copies;
      return reason !== "submodule" || !isEmptyFolder(onDisk(root, parsePath(path)));
    });
    return Promise.resolve(lost);
  }

  isThere({ path }: IsolatedTree): Promise<boolean> {
    return Promise.resolve(statOf(path) !== undefined);
  }

  waiting(): Promise<WaitingTree[]> {
    const records = readRecords(this.#repository);
    const found = records.filter(({ isDead, isOwn }) => isDead || isOwn);
    return Promise.resolve(
      found.map(({ tree, state, isHere }) => ({
        ...tree,
        isWhole: state === "ready" && statOf(tree.path) !== undefined,
        ...(isHere ? {} : { foreignRecord: recordPath(this.#repository, tree.id) }),
      })),
    );
  }

  async remove(tree: IsolatedTree): Promise<void> {
    if (!isOwnTree(this.#repository, tree)) throw notOurs(tree);
    writeRecord(this.#repository, tree, "removing");
    removeFolder(tree.path);
    // Without the folder there is nothing left to say no to; what git knows of it goes.
    const args = ["worktree", "remove", "--force", "--force", tree.path];
    const { exitCode, stderr } = await runGit(this.#repository, args, { accept: [0, 128] });
    if (exitCode !== 0 && !/is not a working tree/.test(stderr)) {
      throw new Failure(
        "git_failed",
        `git could not remove its record of the work tree ${tree.path}: ${stderr.trim()}`,
        {
          hint: "Run `git worktree prune`, then the command again.",
        },
      );
    }
    // A git that was killed leaves a part of what it knows, which it does not take for a work tree itself.
    const known = knownToGit(this.#repository, tree);
    if (known !== undefined) rmSync(known, { recursive: true, force: true });
    forgetRecord(this.#repository, tree.id);
  }

  leftOver(): Promise<LeftOverTree[]> {
    const lock = takeLockNow(
      join(isolatedFolder(this.#repository), "left-over.lock"),
      "looking for work trees of killed processes",
      A_MINUTE,
    );
    // Somebody else is at it.
    if (lock === undefined) return Promise.resolve([]);
    try {
      const dead = readRecords(this.#repository).filter(({ isDead, isHere }) => isDead && isHere);
      for (const { tree, state } of dead) writeRecord(this.#repository, tree, state);
      return Promise.resolve(
        dead.map(({ tree, state }) => ({
          ...tree,
          isWhole: state === "ready" && statOf(tree.path) !== undefined,
        })),
      );
    } finally {
      lock.release();
    }
  }
}

function noGit(): Failure {
  return new Failure("cannot_isolate", "isolated nodes need a git repository", {
    hint: "Run `git init` in it, or remove `isolate: worktree` from the workflow.",
  });
}

function notOurs({ path }: IsolatedTree): Failure {
  return new Failure("cannot_isolate", `${path} is not a work tree of this repository`, {
    hint: "Nothing there was deleted. Look at the folder, and delete it yourself if you do not need it.",
    details: { path },
  });
}

function isEmptyFolder(place: Buffer): boolean {
  try {
    return readdirSync(place).length === 0;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/** Also one with folders that nobody may write to. */
function removeFolder(path: string): void {
  try {
    removeAll(path);
  } catch (error) {
    if (!isDenied(error)) throw error;
    makeWritable(Buffer.from(path));
    removeAll(path);
  }
}

/** `.git` last: it tells whose the folder is, also when this is interrupted. */
function removeAll(path: string): void {
  const folder = Buffer.from(`${path}/`);
  const names =
    statOf(path)?.isDirectory() === true ? readdirSync(path, { encoding: "buffer" }) : [];
  for (const name of names) {
    if (name.equals(DOT_GIT)) continue;
    rmSync(Buffer.concat([folder, name]), { recursive: true, force: true });
  }
  rmSync(path, { recursive: true, force: true });
}

function makeWritable(folder: Buffer): void {
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder, { encoding: "buffer" })) {
    const child = Buffer.concat([folder, Buffer.from("/"), name]);
    if (statOf(child)?.isDirectory() === true) makeWritable(child);
  }
}
