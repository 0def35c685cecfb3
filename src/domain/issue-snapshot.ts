/** What is kept of an issue, and what of it counts as changed. */
import { redact } from "./secrets/redact.ts";
import type { IssueSnapshot } from "./session.ts";

/** As large as GitHub allows a body of plain letters to be. */
export const MOST_BODY_BYTES = 64 * 1024;
/** GitHub allows 256 letters in a title, and 100 labels. */
const MOST_TITLE_BYTES = 1024;
const MOST_NAMES = 100;
const MOST_NAME_BYTES = 256;

/** As somebody else's server tells it. */
export interface SeenIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly branch: string | null;
  readonly state?: string;
  readonly url?: string;
}

/** Without secrets, and not longer than it may be. */
export function issueSnapshot(
  seen: SeenIssue,
  at: Date,
  sha256: (text: string) => string,
): IssueSnapshot {
  // First the secrets, then the cut: half a secret is not recognized.
  const whole = redact(seen.body);
  const body = cut(whole, MOST_BODY_BYTES);
  return {
    number: seen.number,
    title: cut(redact(seen.title), MOST_TITLE_BYTES),
    body,
    ...(body === whole ? {} : { body_cut: `sha256:${sha256(plainText(whole))}` }),
    labels: names(seen.labels),
    assignees: names(seen.assignees),
    branch: seen.branch,
    ...(seen.state === undefined ? {} : { state: seen.state }),
    ...(seen.url === undefined ? {} : { url: redact(seen.url) }),
    taken_at: at.toISOString(),
  };
}

function names(given: readonly string[]): string[] {
  return given.slice(0, MOST_NAMES).map((name) => cut(redact(name), MOST_NAME_BYTES));
}

/** Between characters. */
function cut(text: string, mostBytes: number): string {
  // A UTF-16 unit has three bytes at most.
  if (text.length * 3 <= mostBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character.codePointAt(0) ?? 0);
    if (bytes > mostBytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Saving a body in a browser turns its line ends round; that is no change. */
function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").trimEnd();
}

export interface IssueChanges {
  readonly title: { readonly from: string; readonly to: string } | null;
  readonly body: boolean;
  readonly labelsAdded: readonly string[];
  readonly labelsRemoved: readonly string[];
  readonly assigneesAdded: readonly string[];
  readonly assigneesRemoved: readonly string[];
  readonly state: { readonly from: string; readonly to: string } | null;
}

export function issueChanges(before: IssueSnapshot, now: IssueSnapshot): IssueChanges {
  return {
    title: changed(before.title, now.title),
    body: !sameBody(before, now),
    labelsAdded: without(now.labels, before.labels),
    labelsRemoved: without(before.labels, now.labels),
    assigneesAdded: without(now.assignees, before.assignees),
    assigneesRemoved: without(before.assignees, now.assignees),
    state:
      before.state === undefined || now.state === undefined
        ? null
        : changed(before.state.toLowerCase(), now.state.toLowerCase()),
  };
}

function changed(from: string, to: string): { from: string; to: string } | null {
  return from.trim() === to.trim() ? null : { from, to };
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !others.includes(name));
}

/** A snapshot from elsewhere, or of an earlier version, may be longer and show what is redacted by now. */
function sameBody(before: IssueSnapshot, now: IssueSnapshot): boolean {
  const [left, right] = [before, now].map(({ body }) =>
    plainText(cut(redact(body), MOST_BODY_BYTES)),
  );
  if (left !== right) return false;
  if (before.body_cut === undefined || now.body_cut === undefined) return true;
  return before.body_cut === now.body_cut;
}

/** `state:enrich`, `workflow:In Review`: labels that say where a workflow is. */
const STATE_LABEL = /^(state|workflow):./i;

/**
 * What the workflow's label is by the labels of the issue. One that came since counts before one that was there, and one of the
 * same kind as the recorded one before others. Labels that say nothing about it leave it as it is.
 */
export function followedLabel(
  recorded: string | null,
  before: readonly string[],
  now: readonly string[],
): string | null {
  const found = now.filter((label) => STATE_LABEL.test(label));
  if (recorded !== null && found.includes(recorded) && !hasNew(found, before)) return recorded;
  if (found.length === 0) return recorded !== null && before.includes(recorded) ? null : recorded;
  const kind = kindOf(recorded);
  const rank = (label: string): number =>
    (before.includes(label) ? 0 : 2) + (kindOf(label) === kind ? 1 : 0);
  return found.toSorted((left, right) => rank(right) - rank(left))[0] ?? null;
}

function hasNew(found: readonly string[], before: readonly string[]): boolean {
  return found.some((label) => !before.includes(label));
}

function kindOf(label: string | null): string | undefined {
  return label === null ? undefined : STATE_LABEL.exec(label)?.[1]?.toLowerCase();
}
