/**
 * One file without what a session did to it: the changes of all others, one after the other, on what was there before. Each is a
 * three-way merge, so a clean result has every line that others wrote and no line that only the session wrote.
 */
import { sameContent, sameFile, type FileState } from "../file-state.ts";
import type { Doubt } from "./claims.ts";

/** Null: not there. `unknown`: the checkpoint left it out. */
export type Seen = FileState | null | "unknown";

export interface FileChange {
  /** It changed from the moment with this number to the next. */
  readonly from: number;
  readonly before: Seen;
  readonly after: Seen;
  readonly by: "session" | "others" | Doubt;
}

/** A rollback, after the moment `from`, to the moment `to`. */
export interface WayBack {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

export const KEPT_REASONS = [
  "changed_since",
  "not_told_apart",
  "step_lost",
  "not_known",
  "in_the_way",
  "ignored",
] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

export type Without =
  | { readonly kind: "is"; readonly file: FileState | null }
  /** Nobody can say what it would be. */
  | { readonly kind: "kept"; readonly reason: KeptReason };

/** The merged content as an object id, or undefined where both sides changed the same lines, or it is no text. */
export type MergeContent = (
  ours: string,
  base: string,
  theirs: string,
) => Promise<string | undefined>;

/** `changes`: all of them, oldest first, by whomever, beginning before the session's first one. */
export async function withoutSession(
  changes: readonly FileChange[],
  waysBack: readonly WayBack[],
  merge: MergeContent,
): Promise<Without> {
  const [first] = changes;
  if (first === undefined) throw new Error("a file that was not changed has nothing to undo");
  const real = new Line<Seen>(first.before);
  const without = new Line<Without>(asWithout(first.before));
  const byFrom = new Map(changes.map((change) => [change.from, change]));
  const ways = new Map(waysBack.map((way) => [way.from, way]));
  const stops = [...new Set([...byFrom.keys(), ...ways.keys()])].toSorted((a, b) => a - b);
  for (const from of stops) {
    const change = byFrom.get(from);
    const way = ways.get(from);
    const before = real.at(from);
    const after = change === undefined ? before : change.after;
    real.add(from + 1, after);
    const isBack = way !== undefined && same(real.at(way.to), after);
    if (isBack && (way.isWhole || change !== undefined)) {
      without.add(from + 1, without.at(way.to));
    } else if (change !== undefined) {
      without.add(from + 1, await next(without.at(from), change, merge));
    }
  }
  return without.last();
}

async function next(now: Without, change: FileChange, merge: MergeContent): Promise<Without> {
  const { before, after, by } = change;
  if (by !== "session" && by !== "others") return kept(by);
  if (before === "unknown" || after === "unknown") return kept("not_known");
  if (by === "session" || now.kind === "kept") return now;
  return mergeFiles(now.file, before, after, merge);
}

/** What one side changed counts; where both did and not the same, lines are merged, and nothing else is. */
async function mergeFiles(
  ours: FileState | null,
  base: FileState | null,
  theirs: FileState | null,
  merge: MergeContent,
): Promise<Without> {
  if (sameFile(ours, base)) return { kind: "is", file: theirs };
  if (sameFile(theirs, base) || sameFile(ours, theirs)) return { kind: "is", file: ours };
  if (ours === null || base === null || theirs === null) return kept("changed_since");
  if ([ours, base, theirs].some(({ type }) => type !== "file")) return kept("changed_since");
  const mode = oneOf(ours.mode, base.mode, theirs.mode);
  const oid = sameContent(ours, base)
    ? theirs.oid
    : sameContent(theirs, base) || sameContent(ours, theirs)
      ? ours.oid
      : await merge(ours.oid, base.oid, theirs.oid);
  if (mode === undefined || oid === undefined) return kept("changed_since");
  return { kind: "is", file: { type: "file", oid, mode } };
}

function oneOf(ours: number, base: number, theirs: number): number | undefined {
  if (ours === base) return theirs;
  return theirs === base || ours === theirs ? ours : undefined;
}

function asWithout(seen: Seen): Without {
  return seen === "unknown" ? kept("not_known") : { kind: "is", file: seen };
}

function kept(reason: KeptReason): Without {
  return { kind: "kept", reason };
}

function same(left: Seen, right: Seen): boolean {
  if (left === "unknown" || right === "unknown") return left === right;
  return sameFile(left, right);
}

/** What something was at each moment, as the moments at which it changed. */
class Line<Value> {
  readonly #values: { readonly since: number; readonly value: Value }[];
  readonly #first: Value;

  constructor(first: Value) {
    this.#first = first;
    this.#values = [];
  }

  add(since: number, value: Value): void {
    this.#values.push({ since, value });
  }

  at(moment: number): Value {
    const found = this.#values.findLast(({ since }) => since <= moment);
    return found === undefined ? this.#first : found.value;
  }

  last(): Value {
    return this.at(Number.POSITIVE_INFINITY);
  }
}
