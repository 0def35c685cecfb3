/** What a tool answers: the document that the command line prints for the same, and a short text for models that read no documents. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Failure } from "../../domain/failure.ts";
import { asFailure } from "../../domain/system-error.ts";
import { limitedDocument } from "./limited-document.ts";
import { shownText } from "./shown-text.ts";
import { inToolWords } from "./tool-words.ts";

export interface Answer {
  /** Of the document: the name of its schema. */
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** Lines of our own that come last, also when the others are cut. */
  readonly closing?: readonly string[];
  /** Fields that are safe and short enough as they are. */
  readonly added?: Readonly<Record<string, unknown>>;
  /** What is not in the document, in words, beside what its size keeps out. */
  readonly leftOut?: readonly string[];
}

/** About a third of what the strictest clients take. */
const MOST_DOCUMENT = 60_000;
const MOST_TEXT = 20_000;

export function answered(answer: Answer, notices: readonly string[]): CallToolResult {
  const { document, leftOut } = sendable(answer);
  const lines = [
    ...answer.lines,
    ...notices.map((notice) => `note: ${notice}`),
    ...leftOut.map((what) => `omitted: ${what}`),
  ];
  const text = [shownText(lines, MOST_TEXT), ...(answer.closing ?? [])].join("\n");
  return {
    content: [{ type: "text", text }],
    structuredContent: document,
  };
}

export function sendable({ kind, document, added, leftOut: also = [] }: Answer): {
  readonly document: Record<string, unknown>;
  readonly leftOut: readonly string[];
} {
  const limited = limitedDocument(document, MOST_DOCUMENT);
  const leftOut = [...limited.leftOut, ...also];
  const whole = {
    schema_version: 1,
    kind,
    ...limited.document,
    ...added,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
  return { document: whole, leftOut };
}

/** A refusal as the command line's error document. What is no `Failure` is a bug: `log` gets the rest of it. */
export function refused(
  thrown: unknown,
  log: (line: string) => void,
  more: Pick<Answer, "lines" | "closing" | "added"> = { lines: [] },
): CallToolResult {
  const { code, message: said, hint, details } = failureOf(thrown, log);
  const message = inToolWords(said);
  const text = inToolWords(hint);
  const answer = {
    kind: "error",
    document: { error: { code, message, hint: text, details } },
    ...more,
    lines: [`${code}: ${message}`, text, ...more.lines],
  };
  return { ...answered(answer, []), isError: true };
}

interface Refusal extends Pick<Failure, "message" | "hint" | "details"> {
  readonly code: string;
}

function failureOf(thrown: unknown, log: (line: string) => void): Refusal {
  const error = asFailure(thrown);
  if (error instanceof Failure) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log(`${text}\nThis is a bug in Waymark. Please report it with the lines above.`);
  return {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
    hint: "This is a bug in Waymark. Please report it with what the server wrote to stderr.",
    details: {},
  };
}
