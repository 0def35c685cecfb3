/** Which refs lead to an object, or to any version of a path: through their history, and through the trees of checkpoints. */
import type { BytePath } from "../../../domain/byte-path.ts";
import { storedName } from "../../../domain/stored-name.ts";
import type { PurgeTarget } from "../../../domain/purge.ts";
import { parentsOf } from "../commit-object.ts";
import { treeOfCommit } from "../head.ts";
import type { ObjectReader } from "../object-reader.ts";
import { KEEP_REFS, OWN_REFS } from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { decodeTree, type TreeEntry } from "../tree-object.ts";

/** Where a checkpoint has files under their paths. */
const PATH_FOLDERS = [
  "worktree",
  "index",
  "files",
  "files/project",
  ...["1", "2", "3"].flatMap((stage) => [`conflicts/${stage}`, `conflicts/resolved/${stage}`]),
];

export interface Found {
  /** Names of the refs. */
  readonly holders: ReadonlySet<string>;
  /** The object, or contents of the path. */
  readonly objects: ReadonlySet<string>;
  /** Refs of which something is missing or damaged. */
  readonly unsearched: readonly string[];
}

interface Start {
  readonly name: string;
  readonly tip: string;
  /** Commits of the user: the tree of a checkpoint has everything in other folders than they have. */
  readonly users: readonly string[];
}

export interface SearchPlace {
  readonly repository: Repository;
  readonly reader: ObjectReader;
  readonly env?: Readonly<Record<string, string>>;
}

export async function findHolders(
  place: SearchPlace,
  target: PurgeTarget,
  tips: ReadonlyMap<string, string>,
): Promise<Found> {
  return new Search(place, target).run(tips);
}

class Search {
  readonly #place: SearchPlace;
  readonly #target: PurgeTarget;
  readonly #objects: Set<string>;
  readonly #trees = new Map<string, boolean>();

  constructor(place: SearchPlace, target: PurgeTarget) {
    this.#place = place;
    this.#target = target;
    this.#objects = new Set(target.kind === "path" ? [] : [target.oid]);
  }

  async run(tips: ReadonlyMap<string, string>): Promise<Found> {
    const holders = new Set<string>();
    const unsearched: string[] = [];
    const starts: Start[] = [];
    for (const [name, tip] of tips) {
      const commit = await this.#place.reader.read(tip).catch(() => undefined);
      if (commit === undefined) unsearched.push(name);
      if (commit?.type !== "commit") continue;
      const isOwn = name.startsWith(`${OWN_REFS}/`) && !name.startsWith(`${KEEP_REFS}/`);
      starts.push({ name, tip, users: isOwn ? parentsOf(commit.content) : [tip] });
      if (!isOwn) continue;
      try {
        if (await this.#isInTree(treeOfCommit(commit.content) ?? "")) holders.add(name);
      } catch {
        unsearched.push(name);
      }
    }
    if (!(await this.#history(starts, holders))) {
      for (const one of starts) {
        if (!(await this.#history([one], holders))) unsearched.push(one.name);
      }
    }
    return { holders, objects: this.#objects, unsearched: [...new Set(unsearched)] };
  }

  /** False: something on the way is missing. */
  async #history(starts: readonly Start[], holders: Set<string>): Promise<boolean> {
    const tips = [...new Set(starts.map(({ tip }) => tip))];
    const users = [...new Set(starts.flatMap((start) => start.users))];
    const graph = await this.#git(tips, ["rev-list", "--topo-order", "--reverse", "--parents"]);
    const changing = graph === undefined ? undefined : await this.#changingCommits(users);
    if (graph === undefined || changing === undefined) return false;
    const holding = new Set(changing);
    for (const line of graph) {
      const [commit = "", ...parents] = line.split(" ");
      if (parents.some((parent) => holding.has(parent))) holding.add(commit);
    }
    for (const { name, tip } of starts) if (holding.has(tip)) holders.add(name);
    return true;
  }

  /** Commits before which it was not there. */
  async #changingCommits(commits: readonly string[]): Promise<string[] | undefined> {
    const target = this.#target;
    if (target.kind === "commit") return [target.oid];
    const args = ["log", "--no-show-signature", "--no-notes", "--no-renames", "-m", "--root", "-t"];
    if (target.kind !== "path") {
      return this.#git(commits, [...args, "--format=%H", `--find-object=${target.oid}`]);
    }
    const raw = ["--full-history", "--raw", "--no-abbrev", "--format=%H", "-r"];
    const path = Buffer.from(target.path, "latin1").toString();
    const lines = await this.#git(commits, [...args, ...raw], ["--", path]);
    for (const line of lines ?? []) this.#addRaw(line);
    return lines?.filter((line) => /^[0-9a-f]+$/.test(line));
  }

  #addRaw(line: string): void {
    const [, before, after, old = "", now = ""] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(line) ?? [];
    if (before?.startsWith("10") === true || before === "120000") this.#objects.add(old);
    if (after?.startsWith("10") === true || after === "120000") this.#objects.add(now);
  }

  /** Undefined: git failed. */
  async #git(
    commits: readonly string[],
    args: readonly string[],
    paths: readonly string[] = [],
  ): Promise<string[] | undefined> {
    if (commits.length === 0) return [];
    const { repository, env } = this.#place;
    const input = commits.map((oid) => `${oid}\n`).join("");
    const { exitCode, stdout } = await runGit(repository, [...args, "--stdin", ...paths], {
      input,
      accept: [0, 128],
      ...(env === undefined ? {} : { env }),
    });
    return exitCode === 0 ? stdout.toString("latin1").split("\n").filter(Boolean) : undefined;
  }

  async #isInTree(tree: string): Promise<boolean> {
    const target = this.#target;
    if (target.kind === "path") return this.#hasPath(tree, target.path);
    if (target.kind === "commit" || tree === target.oid) return tree === target.oid;
    const known = this.#trees.get(tree);
    if (known !== undefined) return known;
    let isIn = false;
    for (const entry of await this.#entries(tree)) {
      isIn ||= entry.oid === target.oid;
      if (!isIn && entry.mode === "040000") isIn = await this.#isInTree(entry.oid);
    }
    this.#trees.set(tree, isIn);
    return isIn;
  }

  async #hasPath(tree: string, path: BytePath): Promise<boolean> {
    let isIn = false;
    for (const folder of PATH_FOLDERS) {
      const entry = await this.#entryAt(tree, [...folder.split("/"), ...path.split("/")]);
      if (entry === undefined) continue;
      isIn = true;
      await this.#addBelow(entry);
    }
    return isIn;
  }

  async #addBelow(entry: TreeEntry): Promise<void> {
    if (entry.mode === "160000") return;
    if (entry.mode !== "040000") this.#objects.add(entry.oid);
    else if (!this.#trees.has(entry.oid)) {
      this.#trees.set(entry.oid, true);
      for (const each of await this.#entries(entry.oid)) await this.#addBelow(each);
    }
  }

  async #entryAt(tree: string, names: readonly string[]): Promise<TreeEntry | undefined> {
    let entry: TreeEntry | undefined = { mode: "040000", name: "", oid: tree };
    for (const name of names) {
      if (entry.mode !== "040000") return undefined;
      const entries: readonly TreeEntry[] = await this.#entries(entry.oid);
      const isNamed = (each: TreeEntry): boolean =>
        [
          name,
          storedName(name, "file"),
          storedName(name, "link"),
          storedName(name, "folder"),
        ].includes(each.name);
      const found = entries.find(isNamed);
      if (found === undefined) return undefined;
      entry = found;
    }
    return entry;
  }

  async #entries(tree: string): Promise<TreeEntry[]> {
    const { repository, reader } = this.#place;
    return decodeTree(await reader.readChecked(tree, "tree"), repository.hash);
  }
}
