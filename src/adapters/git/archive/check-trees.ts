/**
 * Looks at every tree of an archive for what `git fsck --strict` does not look for: folders within folders without
 * end, and names that become hostile when Waymark turns them back into what they were.
 */
import { isHostileName } from "../../../domain/hostile-path.ts";
import { originalName } from "../../../domain/stored-name.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { decodeTree } from "../tree-object.ts";
import type { QuarantinedPack } from "./quarantined-pack.ts";
import { refusal } from "./refusal.ts";

/** 100664 is what git wrote in its first year. Any other kind is one that programs disagree about. */
const MODES: ReadonlySet<string> = new Set([
  "040000",
  "100644",
  "100755",
  "100664",
  "120000",
  "160000",
]);

/** Reads that are under way at a time. */
const AT_ONCE = 256;

export async function checkTrees(
  repository: Repository,
  pack: QuarantinedPack,
  mostDepth: number,
  foldsCase: boolean,
): Promise<void> {
  const trees = await treesIn(repository, pack);
  const numbers = new Map(trees.map((oid, number) => [oid, number]));
  const children: number[][] = [];
  for (let start = 0; start < trees.length; start += AT_ONCE) {
    const some = trees.slice(start, start + AT_ONCE);
    for (const tree of await Promise.all(some.map((oid) => pack.reader.readChecked(oid, "tree")))) {
      const below: number[] = [];
      for (const entry of decodeTree(tree, repository.hash)) {
        if (isHostileName(originalName(entry.name), foldsCase)) {
          throw refusal(
            `it has a file or folder that is called ${JSON.stringify(originalName(entry.name))}`,
          );
        }
        if (!MODES.has(entry.mode)) {
          throw refusal(`it has ${JSON.stringify(entry.name)} of the unknown kind ${entry.mode}`);
        }
        const number = entry.mode === "040000" ? numbers.get(entry.oid) : undefined;
        if (number !== undefined) below.push(number);
      }
      children.push(below);
    }
  }
  if (deepest(children, mostDepth) > mostDepth) {
    throw refusal(`its folders are more than ${mostDepth} deep`);
  }
}

async function treesIn(repository: Repository, pack: QuarantinedPack): Promise<string[]> {
  const format = "--batch-check=%(objecttype) %(objectname)";
  const { stdout } = await runGit(
    repository,
    ["cat-file", format, "--batch-all-objects", "--unordered"],
    { env: pack.only },
  );
  return stdout
    .toString("latin1")
    .split("\n")
    .flatMap((line) => (line.startsWith("tree ") ? [line.slice(5)] : []));
}

/** Level by level from the bottom; no recursion, because depth is what is in doubt. Stops soon after `most`. */
function deepest(children: readonly (readonly number[])[], most: number): number {
  const parents: number[][] = children.map(() => []);
  const waitsFor = children.map((below) => new Set(below).size);
  for (const [tree, below] of children.entries()) {
    for (const child of new Set(below)) parents[child]?.push(tree);
  }
  let level = waitsFor.flatMap((count, tree) => (count === 0 ? [tree] : []));
  let depth = 0;
  while (level.length > 0 && depth <= most) {
    depth += 1;
    const next: number[] = [];
    for (const tree of level) {
      for (const parent of parents[tree] ?? []) {
        const left = (waitsFor[parent] ?? 0) - 1;
        waitsFor[parent] = left;
        if (left === 0) next.push(parent);
      }
    }
    level = next;
  }
  return depth;
}
