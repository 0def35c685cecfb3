/** What changed in the issue of a session. */
import { followedLabel, issueChanges, type IssueChanges } from "../../issue-snapshot.ts";
import type { IssueSnapshot } from "../../session.ts";
import { finding, type Finding } from "./finding.ts";
import type { IssueNow } from "./moments.ts";

export function issueFindings(
  recorded: IssueSnapshot | null,
  label: string | null,
  now: IssueNow,
): Finding[] {
  // Without a snapshot there is nothing that could have changed.
  if (recorded === null || now.kind === "not_asked") return [];
  const name = `issue #${recorded.number}`;
  if (now.kind === "unavailable") {
    const message = `${name} could not be read: ${now.why}`;
    return [finding("issue_unavailable", message, { number: recorded.number, why: now.why })];
  }
  const changes = issueChanges(recorded, now.snapshot);
  const { title, state } = changes;
  return [
    ...(changes.body
      ? [finding("issue_body_changed", `${name}: its text was edited`, { number: recorded.number })]
      : []),
    ...labelFindings(name, changes, label, labelNow(recorded, label, now)),
    ...(title === null
      ? []
      : [finding("issue_title_changed", `${name} is now called "${title.to}"`, { ...title })]),
    ...(state === null
      ? []
      : [finding("issue_state_changed", `${name} is ${state.to} (it was ${state.from})`, state)]),
    ...listFinding("issue_assignees_changed", `${name}: assignees changed`, {
      added: changes.assigneesAdded,
      removed: changes.assigneesRemoved,
    }),
  ];
}

/** What the workflow is called by the labels as they are now. */
export function labelNow(
  recorded: IssueSnapshot | null,
  label: string | null,
  now: IssueNow,
): string | null {
  if (recorded === null || now.kind !== "taken") return label;
  return followedLabel(label, recorded.labels, now.snapshot.labels);
}

interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function labelFindings(
  name: string,
  { labelsAdded: added, labelsRemoved: removed }: IssueChanges,
  before: string | null,
  after: string | null,
): Finding[] {
  const follows =
    after === before ? "" : `; the workflow's state is now ${after ?? "without a label"}`;
  const kind = "issue_labels_changed";
  return listFinding(kind, `${name}: labels changed`, { added, removed }, follows, {
    state_label: after,
  });
}

function listFinding(
  kind: "issue_labels_changed" | "issue_assignees_changed",
  what: string,
  change: ListChange,
  end = "",
  more: Finding["details"] = {},
): Finding[] {
  if (change.added.length + change.removed.length === 0) return [];
  const words = [
    ...change.added.map((name) => `+${name}`),
    ...change.removed.map((name) => `-${name}`),
  ];
  return [finding(kind, `${what} (${words.join(", ")})${end}`, { ...change, ...more })];
}
