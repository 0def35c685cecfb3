/** A task of Backlog.md as a checkpoint remembers it, and what of it a rollback brings back. */

export const TASK_FOLDERS = ["tasks", "completed", "drafts", "archive"] as const;
export type TaskFolder = (typeof TASK_FOLDERS)[number];

export interface TaskSnapshot {
  /** As the file has it: `TASK-12`. */
  readonly id: string;
  /** From the root of the project. */
  readonly path: string;
  readonly folder: TaskFolder;
  /** Null: the file names none. */
  readonly status: string | null;
  readonly labels: readonly string[];
  readonly assignee: readonly string[];
  /** `sha256:` of the file. */
  readonly file_digest: string;
  /** `sha256:` of everything but status, labels, assignee and the date of the last edit. */
  readonly rest_digest: string;
}

/** What became of the task in a rollback, for the journal and for documents. */
export interface TaskRecord {
  readonly id: string;
  /** Null, like the other fields of before and after: there was no such task, or it could not be read. */
  readonly status_before: string | null;
  readonly status_after: string | null;
  readonly labels_before: readonly string[] | null;
  readonly labels_after: readonly string[] | null;
  readonly folder_before: TaskFolder | null;
  readonly folder_after: TaskFolder | null;
  /** What of it stayed as it was, in words. */
  readonly kept: readonly string[];
  /** What could not be brought back, with what to do by hand. */
  readonly problems: readonly string[];
}

const WORKFLOW_LABEL = /^workflow:/i;

export function isWorkflowLabel(label: string): boolean {
  return WORKFLOW_LABEL.test(label);
}

/** The state that the task says the work is in: flowspec keeps it as a label, others as the status. */
export function workflowStateOf({ status, labels }: TaskSnapshot): string | undefined {
  const state = labels.findLast(isWorkflowLabel)?.replace(WORKFLOW_LABEL, "").trim();
  return state === undefined || state === "" ? (status ?? undefined) : state;
}

const TASK_ID = /^(?:([a-z]+)-)?(\d+(?:\.\d+)*)$/i;
const TASK_FILE = /^([a-z]+)-(\d+(?:\.\d+)*)(?:(?: - |-).*)?\.md$/i;

/** The same for every way of writing an id: `12`, `task-12`, `TASK-012`. Undefined: it is none. */
export function taskKey(id: string, prefix: string): string | undefined {
  const [, own, number] = TASK_ID.exec(id.trim()) ?? [];
  return number === undefined ? undefined : keyOf(own ?? prefix, number);
}

/** The key of the task that a file is about, by its name. */
export function keyOfFile(name: string): string | undefined {
  const [, prefix, number] = TASK_FILE.exec(name) ?? [];
  return prefix === undefined || number === undefined ? undefined : keyOf(prefix, number);
}

function keyOf(prefix: string, number: string): string {
  const plain = number.split(".").map((digits) => digits.replace(/^0+(?=\d)/, ""));
  return `${prefix.toLowerCase()}-${plain.join(".")}`;
}

/** The labels of now with the workflow labels of then in the place of its own. */
export function labelsBack(now: readonly string[], then: readonly string[]): readonly string[] {
  const others = now.filter((label) => !isWorkflowLabel(label));
  if (isSameList(otherLabels(then), others)) return then;
  const first = now.findIndex(isWorkflowLabel);
  const place = first < 0 ? others.length : first;
  return others.toSpliced(place, 0, ...then.filter(isWorkflowLabel));
}

function otherLabels(labels: readonly string[]): readonly string[] {
  return labels.filter((label) => !isWorkflowLabel(label));
}

export function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one, at) => one === right[at]);
}

type Standing = Pick<TaskSnapshot, "folder" | "status" | "labels">;

/** Nothing that a rollback brings back differs. */
export function isSameStanding(left: Standing, right: Standing): boolean {
  return (
    left.folder === right.folder &&
    left.status === right.status &&
    isSameList(left.labels.filter(isWorkflowLabel), right.labels.filter(isWorkflowLabel))
  );
}

/** Each of folder, status and workflow labels is that of one side or the other: nobody else changed it. */
export function isBetween(now: Standing, before: Standing, after: Standing): boolean {
  const workflow = ({ labels }: Standing): string => labels.filter(isWorkflowLabel).join("\n");
  return [(one: Standing) => one.folder, (one: Standing) => one.status, workflow].every(
    (of) => of(now) === of(before) || of(now) === of(after),
  );
}

/** In words: what a rollback changes of the task. */
export function standingChanges(now: Standing, then: Standing): string[] {
  const workflow = ({ labels }: Standing): string =>
    labels.filter(isWorkflowLabel).join(", ") || "no workflow label";
  const pairs = [
    [now.status ?? "no status", then.status ?? "no status"],
    [workflow(now), workflow(then)],
    [`in ${now.folder}`, `in ${then.folder}`],
  ] as const;
  return pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from} -> ${to}`);
}

/** In words: what was changed besides since then, and stays. */
export function editsThatStay(now: TaskSnapshot, then: TaskSnapshot): string[] {
  const names = (list: readonly string[]): string => list.join(", ") || "none";
  const [labels, labelsThen] = [otherLabels(now.labels), otherLabels(then.labels)];
  return [
    ...(isSameList(now.assignee, then.assignee)
      ? []
      : [`the assignee is kept: ${names(now.assignee)} (was ${names(then.assignee)})`]),
    ...(isSameList(labels, labelsThen)
      ? []
      : [
          `other labels are kept: ${labels.join(", ") || "none"} (were: ${labelsThen.join(", ") || "none"})`,
        ]),
    ...(now.rest_digest === then.rest_digest
      ? []
      : ["other edits of the task since then are kept"]),
  ];
}
