/** Reads what `git merge-tree --write-tree -z` prints: the tree, the stages of paths in conflict, and messages about paths. */
import { asBytePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { EntryMode } from "../../../domain/file-state.ts";
import { originalName } from "../../../domain/stored-name.ts";
import type {
  ConflictReason,
  ConflictSide,
  MergeConflict,
} from "../../../domain/workflow/merge-conflict.ts";

/** Whether the file has markers is for the reader of the tree to see. */
export type PathConflict = Omit<MergeConflict, "has_markers">;

export interface TreeMerge {
  readonly tree: string;
  readonly conflicts: readonly PathConflict[];
}

interface Message {
  readonly paths: readonly BytePath[];
  readonly type: string;
  readonly text: string;
}

type Sides = { base: ConflictSide | null; ours: ConflictSide | null; theirs: ConflictSide | null };

const STAGES = { "1": "base", "2": "ours", "3": "theirs" } as const;

export function readMergeTree(output: Buffer): TreeMerge {
  const fields = output.toString("latin1").split("\0");
  const tree = fields[0] ?? "";
  const sides = new Map<BytePath, Sides>();
  let at = 1;
  for (; at < fields.length && fields[at] !== ""; at++) {
    const [, mode, oid, stage, stored] =
      /^(\d{6}) ([0-9a-f]+) ([123])\t([^]*)$/.exec(fields[at] ?? "") ?? [];
    if (mode === undefined || oid === undefined || stored === undefined) {
      throw new Error(`git merge-tree said "${fields[at] ?? ""}"`);
    }
    const path = realPath(stored);
    const side = sides.get(path) ?? { base: null, ours: null, theirs: null };
    side[STAGES[stage as keyof typeof STAGES]] = { mode: mode as EntryMode, oid };
    sides.set(path, side);
  }
  const messages = readMessages(fields, at + 1);
  const paths = [...sides].map(([path, side]) => conflictAt(path, side, messages));
  return { tree, conflicts: paths };
}

/** `<number of paths>` NUL paths… NUL type NUL text NUL */
function readMessages(fields: readonly string[], start: number): Message[] {
  const messages: Message[] = [];
  for (let at = start; at + 2 < fields.length;) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count).map(realPath);
    const type = fields[at + 1 + count] ?? "";
    const text = (fields[at + 2 + count] ?? "").trim();
    messages.push({ paths, type, text });
    at += count + 3;
  }
  return messages;
}

function conflictAt(path: BytePath, sides: Sides, messages: readonly Message[]): PathConflict {
  const about = messages.filter(
    ({ paths, type }) => paths.includes(path) && type.startsWith("CONFLICT"),
  );
  const why = reasonOf(about[0]?.type ?? "", sides);
  return {
    path: showPath(path),
    why,
    says: saysOf(about, why),
    ...sides,
  };
}

const REASONS: readonly (readonly [RegExp, ConflictReason])[] = [
  [/binary/, "binary"],
  [/modify\/delete/, "modify_delete"],
  [/rename/, "rename"],
  [/file\/directory|distinct types|distinct modes|directory/, "type"],
  [/contents/, "content"],
];

function reasonOf(type: string, { base, ours, theirs }: Sides): ConflictReason {
  const known = REASONS.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
  if (known !== "content") return known;
  if (ours?.mode === "120000" || theirs?.mode === "120000") return "type";
  return base === null ? "both_added" : "content";
}

/** Git's own words, without the part in capitals. */
function saysOf(about: readonly Message[], why: ConflictReason): string {
  const [first] = about;
  const text = Buffer.from(first?.text ?? "", "latin1").toString("utf8");
  return text.replace(/^CONFLICT \([^)]*\): /, "") || `they differ (${why})`;
}

function realPath(stored: string): BytePath {
  return asBytePath(stored.split("/").map(originalName).join("/"));
}
