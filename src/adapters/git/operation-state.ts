/** The files and refs with which git remembers a merge, rebase, bisect … that is under way. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../../domain/checkpoint.ts";
import { isMissing } from "../files/errors.ts";
import { kindOf, permissions, statOf } from "../files/file-stat.ts";
import { resolveRef } from "./read-refs.ts";
import { refsBelow } from "./ref-values.ts";
import type { Repository } from "./repository.ts";

/** Files and folders directly inside the git folder. A rollback replaces exactly these. */
export const STATE_NAMES = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "MERGE_RR",
  "MERGE_AUTOSTASH",
  "AUTO_MERGE",
  "SQUASH_MSG",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "BISECT_LOG",
  "BISECT_NAMES",
  "BISECT_START",
  "BISECT_TERMS",
  "BISECT_EXPECTED_REV",
  "BISECT_ANCESTORS_OK",
  "BISECT_FIRST_PARENT",
  "BISECT_HEAD",
  "BISECT_RUN",
  // `git am --abort` goes back to it.
  "ORIG_HEAD",
  "sequencer",
  "rebase-merge",
  "rebase-apply",
] as const;

/** Refs of this work tree that belong to an operation. */
const STATE_REFS = ["refs/bisect", "refs/rewritten"];

export interface StateFile {
  /** Relative to the git folder, with slashes. */
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

export interface OperationState {
  readonly operation: Operation;
  readonly files: readonly StateFile[];
  /** Null: does not exist, and the end of the operation makes it. */
  readonly refs: ReadonlyMap<string, string | null>;
}

export async function readOperationState(repository: Repository): Promise<OperationState> {
  const files = readStateFiles(repository.gitDir);
  const operation = nameOperation(files);
  const refs: Map<string, string | null> = files.some(({ path }) =>
    /^(?:BISECT_|rebase-)/.test(path),
  )
    ? await readStateRefs(repository)
    : new Map();
  for (const branch of rebasedBranches(files)) {
    refs.set(branch, (await resolveRef(repository, branch)) ?? null);
  }
  return { operation, files, refs };
}

/**
 * HEAD is detached during a rebase; the branch moves only at its end, and has to be there as it was. So do those on the way that
 * `--update-refs` moves with it, of which git keeps three lines each: the name, the tip, and what it will be.
 */
function rebasedBranches(files: readonly StateFile[]): string[] {
  const lines = files
    .filter(({ path }) => /^rebase-(?:merge|apply)\/(?:head-name|update-refs)$/.test(path))
    .flatMap(({ content }) => content.toString("utf8").split("\n"));
  return lines.filter((line) => line.startsWith("refs/heads/"));
}

export function readStateRefs(repository: Repository): Promise<Map<string, string>> {
  return refsBelow(repository, STATE_REFS, repository.gitDir);
}

function readStateFiles(gitDir: string): StateFile[] {
  const files: StateFile[] = [];
  const present = new Set(readdirSync(gitDir));
  for (const name of STATE_NAMES) if (present.has(name)) addFile(gitDir, name, files);
  return files;
}

function addFile(gitDir: string, path: string, files: StateFile[]): void {
  const onDisk = join(gitDir, path);
  const stat = statOf(onDisk);
  if (stat === undefined) return;
  if (kindOf(stat) === "folder") {
    for (const name of readdirSync(onDisk).toSorted()) addFile(gitDir, `${path}/${name}`, files);
  } else if (kindOf(stat) === "file") {
    try {
      files.push({ path, mode: permissions(stat), content: readFileSync(onDisk) });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

/** Which operation leaves such files. */
export function nameOperation(files: readonly StateFile[]): Operation {
  const has = (start: string): boolean => files.some((file) => file.path.startsWith(start));
  if (has("rebase-merge/")) return "rebase";
  if (has("rebase-apply/")) return has("rebase-apply/applying") ? "am" : "rebase";
  if (has("MERGE_HEAD")) return "merge";
  if (has("CHERRY_PICK_HEAD")) return "cherry-pick";
  if (has("REVERT_HEAD")) return "revert";
  if (has("sequencer/")) return sequencerOperation(files);
  return has("BISECT_LOG") || has("BISECT_START") ? "bisect" : "none";
}

function sequencerOperation(files: readonly StateFile[]): Operation {
  const todo = files.find((file) => file.path === "sequencer/todo")?.content.toString("utf8");
  return todo?.startsWith("revert") === true ? "revert" : "cherry-pick";
}

const LONG_ID = /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g;
const TODO_LINE = /^\s*(?:[a-z]+) (?:-[cC] )?([0-9a-f]{7,64})\b/gm;

/** Every object that the state files name; short ids stand in the to-do lists of cherry-pick and revert. */
export function namedObjects(state: OperationState): Set<string> {
  const named = new Set([...state.refs.values()].filter((oid) => oid !== null));
  for (const file of state.files) {
    const text = file.content.toString("latin1");
    for (const [id] of text.matchAll(LONG_ID)) named.add(id);
    if (/(?:todo|done)/.test(file.path)) {
      for (const [, id] of text.matchAll(TODO_LINE)) if (id !== undefined) named.add(id);
    }
  }
  return named;
}
