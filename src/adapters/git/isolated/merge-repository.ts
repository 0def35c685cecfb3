/**
 * A repository for the time of a merge, in the quarantine: it borrows the objects of the project's one and has nothing else of
 * it. So no merge driver, filter or attribute of the project runs code, what git writes is nowhere until it is published, and
 * the branches are called as they should be in the markers.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import type { BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { encodeCommit } from "../commit-object.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectPlace } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { runGit, type GitResult } from "../run-git.ts";
import type { Leaf } from "../tree-builder.ts";
import { readMergeTree, type TreeMerge } from "./merge-tree-output.ts";

/** Settings of the user's own say how they like to see a merge; this one has to come out the same everywhere. */
const SETTINGS = [
  "merge.renames=true",
  "merge.directoryRenames=false",
  "merge.conflictStyle=merge",
  "merge.renormalize=false",
  "core.attributesFile=/dev/null",
  // Names that are dangerous elsewhere are escaped in our trees.
  "core.protectNTFS=false",
  "core.protectHFS=false",
].flatMap((setting) => ["-c", setting]);

const ALONE = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1" };

/** `merge-tree --write-tree` came with this one. */
const MERGE_GIT = "2.38";

export class MergeRepository {
  /** For reading what is merged. */
  readonly place: ObjectPlace;
  readonly #folder: string;
  #edited = 0;

  constructor(repository: Repository, folder: string) {
    this.#folder = folder;
    this.place = { directory: folder, gitDir: folder, hash: repository.hash };
    const isSha256 = repository.hash === "sha256";
    const config = `[core]\n\tbare = true\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n`;
    this.#write("HEAD", "ref: refs/heads/none\n");
    this.#write("config", isSha256 ? `${config}[extensions]\n\tobjectFormat = sha256\n` : config);
    this.#write("objects/info/alternates", `${cQuoted(join(repository.commonDir, "objects"))}\n`);
    makeFolders(join(folder, "refs/heads"), 0o700);
  }

  /** Attributes that say how to merge a file: `merge=union`, `binary`. */
  useAttributes(content: Buffer): void {
    this.#write("info/attributes", content);
  }

  /** A commit for the time of the merge. */
  commit(tree: string, parents: readonly string[]): string {
    const content = encodeCommit({ tree, parents, at: new Date(0), message: "merge\n" });
    const oid = objectId(this.place.hash, "commit", content);
    const header = Buffer.from(`commit ${content.length}\0`);
    const path = `objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
    this.#write(path, deflateSync(Buffer.concat([header, content])));
    return oid;
  }

  async merge(ours: Branch, theirs: Branch): Promise<TreeMerge> {
    for (const { label, commit } of [ours, theirs]) this.#write(`refs/heads/${label}`, commit);
    const args = ["merge-tree", "--write-tree", "-z", "--messages", ours.label, theirs.label];
    const { stdout } = await this.#git(args, { accept: [0, 1] });
    return readMergeTree(stdout);
  }

  /** The tree with other leaves in it; null: without. Paths are as the tree has them. */
  async edit(tree: string, changes: ReadonlyMap<BytePath, Leaf | null>): Promise<string> {
    const env = { GIT_INDEX_FILE: join(this.#folder, `index-${this.#edited++}`) };
    await this.#git(["read-tree", tree], { env });
    const zero = "0".repeat(tree.length);
    const lines = [...changes].map(([path, leaf]) =>
      leaf === null ? `0 ${zero}\t${path}\0` : `${leaf.mode} ${leaf.oid}\t${path}\0`,
    );
    const input = Buffer.from(lines.join(""), "latin1");
    await this.#git(["update-index", "-z", "--index-info"], { env, input });
    const { stdout } = await this.#git(["write-tree"], { env });
    return stdout.toString("latin1").trim();
  }

  async #git(
    args: readonly string[],
    options: {
      readonly accept?: readonly number[];
      readonly env?: Readonly<Record<string, string>>;
      readonly input?: Buffer;
    },
  ): Promise<GitResult> {
    try {
      return await runGit(this.place, [...SETTINGS, ...args], {
        ...options,
        env: { ...ALONE, ...options.env },
      });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "git_too_old") throw error;
      throw new Failure("git_too_old", "this git cannot merge without a work tree", {
        hint: `\`isolate: worktree\` needs git ${MERGE_GIT} or newer. Nothing was merged; the results are kept.`,
        cause: error,
      });
    }
  }

  #write(name: string, content: string | Buffer): void {
    const path = join(this.#folder, name);
    makeFolders(dirname(path), 0o700);
    writeFileSync(path, content);
  }
}

export interface Branch {
  readonly label: string;
  readonly commit: string;
}

/** As git reads it where a path begins with a quote. */
function cQuoted(path: string): string {
  return `"${path.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
