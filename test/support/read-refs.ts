/**
 * HEAD, refs and the stash as git would tell them, read from its files: thousands of model runs ask for them, and a process costs more than all
 * that is read here. `fingerprint.test.ts` compares this with git's own answers. A reftable is left to git.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromKey, joinBytes } from "./byte-path.ts";
import { type GitPlaces } from "./git-places.ts";
import { walkTree } from "./work-tree-walk.ts";

export interface RefState {
  /** The branch or `detached`, and its commit or `unborn`. */
  readonly head: string;
  /** Object and, behind a space, what a symbolic ref points to. Without those that Waymark may make. */
  readonly refs: ReadonlyMap<string, string>;
  /** Newest first: commit and subject. */
  readonly stash: readonly string[];
}

/** Undefined: they are not in files. */
export function readRefs(places: GitPlaces): RefState | undefined {
  if (existsSync(join(places.common, "reftable"))) return undefined;
  const raw = rawRefs(places);
  const resolve = (name: string, depth = 0): string | undefined => {
    const value = raw.get(name);
    if (value === undefined || !value.startsWith(SYMBOLIC)) return value;
    return depth > 5 ? undefined : resolve(value.slice(SYMBOLIC.length), depth + 1);
  };
  const refs = new Map<string, string>();
  for (const name of [...raw.keys()].sort()) {
    const oid = resolve(name);
    const value = raw.get(name) ?? "";
    const target = value.startsWith(SYMBOLIC) ? value.slice(SYMBOLIC.length) : "";
    if (oid !== undefined && !name.startsWith(KEPT)) refs.set(name, `${oid} ${target}`);
  }
  const head = readFileSync(join(places.own, "HEAD"), "latin1").trimEnd();
  const branch = head.startsWith(SYMBOLIC) ? head.slice(SYMBOLIC.length) : undefined;
  return {
    head: branch === undefined ? `detached ${head}` : `${branch} ${resolve(branch) ?? "unborn"}`,
    refs,
    stash: refs.has("refs/stash") ? stashOf(places) : [],
  };
}

const SYMBOLIC = "ref: ";

/** They point at commits that the user has, and are all that Waymark makes in the user's repository. */
export const KEPT = "refs/waymark/keep/";

/** These are each work tree's own; all others are shared. */
const OWN = /^refs\/(?:bisect|worktree|rewritten)\//;

function rawRefs({ own, common }: GitPlaces): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, oid = "", name = ""] of readOr(join(common, "packed-refs")).matchAll(
    /^([0-9a-f]{40,64}) (.*)$/gm,
  )) {
    found.set(name, oid);
  }
  const folders = own === common ? [common] : [common, own];
  for (const folder of folders.filter((one) => existsSync(join(one, "refs")))) {
    for (const [key, entry] of walkTree(join(folder, "refs"), () => false)) {
      const name = `refs/${key}`;
      const isElsewhere = own !== common && OWN.test(name) !== (folder === own);
      if (entry.type !== "file" || name.endsWith(".lock") || isElsewhere) continue;
      found.set(name, readFileSync(joinBytes(folder, fromKey(name)), "latin1").trimEnd());
    }
  }
  return found;
}

function stashOf({ common }: GitPlaces): string[] {
  return readOr(join(common, "logs/refs/stash"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${line.split(" ")[1] ?? ""} ${line.slice(line.indexOf("\t") + 1)}`)
    .reverse();
}

function readOr(file: string): string {
  return existsSync(file) ? readFileSync(file, "latin1") : "";
}
