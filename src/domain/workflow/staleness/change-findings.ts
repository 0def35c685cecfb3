/** What happened to the branch, to HEAD and to the files of a session while it did not run. */
import { counted } from "../../counted.ts";
import { shortBranch } from "../../branch-name.ts";
import { finding, type Finding } from "./finding.ts";
import type { ChangedPart, KnownChanges, PresentMoment, RecordedMoment } from "./moments.ts";

/** Longer lists say how many more there are. */
const MOST_LISTED = 200;
/** As many are named in a message. */
const MOST_NAMED = 3;

export function branchFindings(
  { branch, checkpoint }: RecordedMoment,
  now: PresentMoment,
): Finding[] {
  if (branch === null) return [];
  const name = shortBranch(branch);
  const details = { branch, checked_out: now.checkedOut };
  if (!now.branchExists) {
    const again =
      checkpoint === null ? "" : `; \`waymark rollback ${checkpoint.id}\` creates it again`;
    return [finding("branch_gone", `the branch ${name} no longer exists${again}`, details)];
  }
  if (now.checkedOut === branch) return [];
  const instead =
    now.checkedOut === null ? "no branch" : `the branch ${shortBranch(now.checkedOut)}`;
  return [
    finding(
      "branch_switched",
      `the work was on the branch ${name}; ${instead} is checked out`,
      details,
    ),
  ];
}

export function changeFindings(
  { checkpoint }: RecordedMoment,
  { changes }: PresentMoment,
): Finding[] {
  if (checkpoint === null || changes.kind === "not_asked") return [];
  if (changes.kind === "unknown") {
    const message = `what changed since checkpoint ${checkpoint.id} could not be determined: ${changes.why}`;
    return [finding("not_compared", message, { why: changes.why })];
  }
  const found = changes.changes;
  return [
    ...headFinding(checkpoint.head, found),
    ...fileFinding(checkpoint.id, found),
    ...operationFinding(checkpoint.operation, found),
    ...partFinding(checkpoint.id, found.parts),
  ];
}

function headFinding(before: string | null, { head, ...commits }: KnownChanges): Finding[] {
  if (head === before) return [];
  const { commitsGained: gained, commitsLost: lost } = commits;
  const counts = [
    ...(gained.length === 0 ? [] : [`${counted(gained.length, "commit")} added`]),
    ...(lost.length === 0 ? [] : [`${counted(lost.length, "commit")} removed`]),
  ];
  const how = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  return [
    finding("head_moved", `HEAD moved from ${short(before)} to ${short(head)}${how}`, {
      from: before,
      to: head,
      ...listed("commits_gained", gained),
      ...listed("commits_lost", lost),
    }),
  ];
}

function fileFinding(id: string, { files, isIndexChanged }: KnownChanges): Finding[] {
  if (files.length > 0) {
    const message = `${counted(files.length, "file")} changed since checkpoint ${id}: ${named(
      files.map(({ path }) => path),
    )}`;
    return [finding("files_changed", message, listed("files", files))];
  }
  if (!isIndexChanged) return [];
  return [finding("index_changed", `the index (staged changes) changed since checkpoint ${id}`)];
}

function operationFinding(before: string, { operation }: KnownChanges): Finding[] {
  if (operation === before) return [];
  const message =
    operation === "none"
      ? `the ${before} that was in progress has ended`
      : `a ${operation} is in progress`;
  return [finding("operation_changed", message, { from: before, to: operation })];
}

function partFinding(id: string, parts: readonly ChangedPart[]): Finding[] {
  if (parts.length === 0) return [];
  const names = named(parts.map(({ what }) => what));
  const message = `copied files or databases changed since checkpoint ${id}: ${names}`;
  return [finding("parts_changed", message, listed("parts", parts))];
}

function listed(name: string, items: readonly unknown[]): Record<string, unknown> {
  return { [name]: items.slice(0, MOST_LISTED), [`${name}_total`]: items.length };
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const first = names.slice(0, MOST_NAMED).join(", ");
  return more > 0 ? `${first} and ${more} more` : first;
}

function short(commit: string | null): string {
  return commit === null ? "nothing" : commit.slice(0, 10);
}
