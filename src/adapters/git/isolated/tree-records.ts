/**
 * What is known about isolated work trees: one small file for each, in the folder that all work trees of the repository share.
 * It is there before the tree is and goes after it, so that nothing is ever left that nobody knows of.
 */
import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { parsePath, showPath } from "../../../domain/byte-path.ts";
import type { IsolatedTree } from "../../../ports/isolated-work-trees.ts";
import { writeDurably } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { namesIn } from "../../files/names-in.ts";
import {
  isAlive,
  isSame,
  ownIdentity,
  type ProcessIdentity,
} from "../../files/process-identity.ts";
import type { Repository } from "../repository.ts";
import { isolatedFolder, isOwnTree } from "./tree-place.ts";

/** ready: a node may have worked in it. */
export type TreeState = "making" | "ready" | "removing";

interface StoredTree {
  readonly version: 1;
  readonly owner: ProcessIdentity;
  readonly state: TreeState;
  readonly name: string;
  readonly path: string;
  readonly base_id: string;
  readonly session_id: string;
  readonly since: string;
  /** Not in records of earlier versions. */
  readonly commands_of?: string | null;
  readonly outputs?: readonly string[];
}

export interface TreeRecord {
  readonly tree: IsolatedTree;
  readonly state: TreeState;
  /** The process that it belongs to is gone. */
  readonly isDead: boolean;
  /** It belongs to this process. */
  readonly isOwn: boolean;
  /** False: the record names another folder, which is never removed. */
  readonly isHere: boolean;
}

export function writeRecord(repository: Repository, tree: IsolatedTree, state: TreeState): void {
  const stored: StoredTree = {
    version: 1,
    owner: ownIdentity(),
    state,
    name: tree.name,
    path: tree.path,
    base_id: tree.baseId,
    session_id: tree.sessionId,
    since: tree.since,
    commands_of: tree.commands,
    outputs: tree.outputs.map(showPath),
  };
  writeDurably(recordPath(repository, tree.id), JSON.stringify(stored), true);
}

export function forgetRecord(repository: Repository, id: string): void {
  rmSync(recordPath(repository, id), { force: true });
}

export function readRecords(repository: Repository): TreeRecord[] {
  return namesIn(isolatedFolder(repository)).flatMap((name) => {
    const id = /^([a-z0-9][a-z0-9-]*)\.json$/.exec(name)?.[1];
    const stored = id === undefined ? undefined : readStored(repository, id);
    if (id === undefined || stored === undefined) return [];
    const tree: IsolatedTree = {
      id,
      name: stored.name,
      path: stored.path,
      baseId: stored.base_id,
      sessionId: stored.session_id,
      since: stored.since,
      commands: typeof stored.commands_of === "string" ? stored.commands_of : null,
      outputs: (stored.outputs ?? []).map(parsePath),
    };
    const isDead = isAlive(stored.owner) === "dead";
    const isOwn = isSame(stored.owner, ownIdentity());
    return [{ tree, state: stored.state, isDead, isOwn, isHere: isOwnTree(repository, tree) }];
  });
}

export function recordPath(repository: Repository, id: string): string {
  return join(isolatedFolder(repository), `${id}.json`);
}

/** Written whole or not at all. One that cannot be understood is of another version, and its tree is left alone. */
function readStored(repository: Repository, id: string): StoredTree | undefined {
  try {
    const stored = JSON.parse(
      readFileSync(recordPath(repository, id), "utf8"),
    ) as Partial<StoredTree> | null;
    const isWhole =
      stored?.version === 1 &&
      typeof stored.name === "string" &&
      typeof stored.path === "string" &&
      basename(stored.path) === id &&
      typeof stored.base_id === "string" &&
      typeof stored.session_id === "string" &&
      typeof stored.since === "string" &&
      typeof stored.owner?.pid === "number" &&
      (stored.state === "making" || stored.state === "ready" || stored.state === "removing");
    return isWhole ? (stored as StoredTree) : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
