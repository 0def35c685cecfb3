/** What an agent is told about rollbacks that happened behind its back. */
import { isRecord } from "../is-record.ts";
import { shortLine } from "./short-line.ts";

export interface RollbackNote {
  readonly id: string;
  readonly at: string;
  /** rollback, undo or redo */
  readonly what: string;
  readonly restoredTo: string;
  readonly stateBefore: string;
  readonly files: readonly string[];
  readonly by: string | null;
  /** The agent's session that did it, if it is known. */
  readonly session: string | null;
  readonly reason: string | null;
}

/** Undefined for what is no note: it was written by another version, or by hand. */
export function readNote(value: unknown): RollbackNote | undefined {
  if (!isRecord(value)) return undefined;
  const { rollback_id: id, at, what, restored_to: to, state_before: before, files } = value;
  if (typeof id !== "string" || typeof at !== "string" || typeof to !== "string") return undefined;
  return {
    id,
    at,
    what: typeof what === "string" ? what : "rollback",
    restoredTo: to,
    stateBefore: typeof before === "string" ? before : "",
    files: Array.isArray(files) ? files.filter((file) => typeof file === "string") : [],
    by: typeof value["by"] === "string" ? value["by"] : null,
    session: typeof value["agent_session_id"] === "string" ? value["agent_session_id"] : null,
    reason: typeof value["reason"] === "string" ? value["reason"] : null,
  };
}

/** Those that a session has to hear of: it was there before they happened, and was not told. `notes`: the oldest first. */
export function untold(
  notes: readonly RollbackNote[],
  session: { readonly since: string; readonly toldOf: string | null },
): readonly RollbackNote[] {
  const last = notes.findLastIndex(({ id }) => id === session.toldOf);
  return notes.slice(last + 1).filter(({ at }) => Date.parse(at) > Date.parse(session.since));
}

/**
 * Without what this session did itself. A rollback and the undo that took all of it back are no news either: the files are what the agent knows, unless
 * it did the rollback and another undid it.
 */
export function newsFor(
  sessionId: string,
  notes: readonly RollbackNote[],
): readonly RollbackNote[] {
  const isOwn = ({ session }: RollbackNote): boolean => session !== null && session === sessionId;
  const left: RollbackNote[] = [];
  for (const note of notes) {
    const before = left.at(-1);
    const isUndone = before !== undefined && note.what === "undo" && takesBack(note, before);
    if (isUndone && (isOwn(note) || !isOwn(before))) left.pop();
    else left.push(note);
  }
  return left.filter((note) => !isOwn(note));
}

function takesBack(undo: RollbackNote, { stateBefore, files }: RollbackNote): boolean {
  const own = new Set(undo.files);
  return (
    undo.restoredTo === stateBefore &&
    own.size === files.length &&
    files.every((file) => own.has(file))
  );
}

const MOST_FILES = 20;
const MOST_NAME = 200;
const MOST_REASON = 200;

/** For the model. Names and reasons are data of others: each is one line, short and quoted. */
export function newsText(notes: readonly RollbackNote[]): string | undefined {
  const last = notes.at(-1);
  if (last === undefined) return undefined;
  const files = [...new Set(notes.flatMap((note) => note.files))];
  const shown = files.slice(0, MOST_FILES).map((file) => `- ${quoted(file, MOST_NAME)}`);
  const more = files.length - shown.length;
  const isUndo = last.what === "undo";
  return [
    `Note from Waymark: ${isUndo ? "a rollback of files of this project was undone" : "files of this project were rolled back"} since your last turn.`,
    ...notes.map(noteLine),
    ...(files.length === 0
      ? ["No files changed."]
      : [`Changed by it (${files.length === 1 ? "1 file" : `${files.length} files`}):`, ...shown]),
    ...(more > 0 ? [`and ${more} more`] : []),
    `What you read in these files before may be outdated: read them again before you change them. ${
      isUndo
        ? "The work that was rolled back is restored: do not do it again."
        : "Do not redo what was reverted unless you are asked to."
    }`,
    ...(last.stateBefore === ""
      ? []
      : [
          `\`waymark diff ${quotedId(last.stateBefore)}\` shows what was ${isUndo ? "restored" : "reverted"}.`,
        ]),
  ].join("\n");
}

const WHAT: Readonly<Record<string, string>> = {
  undo: "rollback undone, restored to",
  redo: "rollback redone, back to",
};

function noteLine({ at, what, restoredTo, by, reason }: RollbackNote): string {
  const who = by === null ? "" : ` by ${quoted(by, MOST_NAME)}`;
  const why = reason === null ? "" : `; reason given: ${quoted(reason, MOST_REASON)}`;
  return `- ${quotedId(at)}: ${WHAT[what] ?? "rolled back to"} checkpoint ${quotedId(restoredTo)}${who}${why}`;
}

function quoted(text: string, most: number): string {
  return JSON.stringify(shortLine(text, most));
}

/** Ids and times are words of ours; what is not may not look like one. */
function quotedId(text: string): string {
  return /^[\w.:-]{1,120}$/.test(text) ? text : quoted(text, MOST_NAME);
}
