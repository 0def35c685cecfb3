/** What a rollback will do, and what it did. */
import { wayBack } from "../../domain/agent-contract.ts";
import { shortBranch } from "../../domain/branch-name.ts";
import { shortened, showPath, type BytePath } from "../../domain/byte-path.ts";
import { isPlain } from "../../domain/checkpoint.ts";
import type { KeepReason } from "../../domain/rollback-plan.ts";
import { rollbackWarnings } from "../../operations/documents/rollback-document.ts";
import { operationLeft, type RollbackPlan } from "../../operations/plan-rollback.ts";
import type { RollbackResult } from "../../operations/roll-back.ts";
import { exclusionWords } from "./exclusion-text.ts";
import type { Output } from "./output.ts";
import type { PartChange } from "../../ports/part-keeper.ts";
import type { Paint, Style } from "./style.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";

export interface PlanLook {
  readonly paint: Paint;
  readonly leftBehind: readonly string[];
  /** Lines of each kind. */
  readonly most: number;
}

export function planLines(plan: RollbackPlan, look: PlanLook): string[] {
  const { paint } = look;
  const { files } = plan;
  if (plan.isEmpty && look.leftBehind.length === 0)
    return [`nothing differs from ${plan.target.id}`, ...notRestoredLines(plan, look)];
  const { write, remove, mode, keep } = files;
  const restored = write.filter((step) => step.before === null);
  const changed = write.filter((step) => step.before !== null);
  const path = (step: { readonly path: BytePath }): string => oneLine(showPath(step.path));
  const list = <Step>(steps: readonly Step[], line: (step: Step) => string): string[] => [
    ...steps.slice(0, look.most).map(line),
    ...(steps.length > look.most ? [`  … and ${steps.length - look.most} more`] : []),
  ];
  return [
    paint("bold", `Roll back to ${plan.target.id}:`),
    ...list(restored, (step) => paint("green", `  + ${path(step)}`)),
    ...list(changed, (step) => paint("yellow", `  ~ ${path(step)}`)),
    ...list(remove, (step) => paint("red", `  - ${path(step)}`)),
    ...list(mode, (step) => paint("yellow", `  ~ ${path(step)} (permissions)`)),
    ...list([...files.makeFolders.keys()], (folder) =>
      paint("green", `  + ${oneLine(showPath(folder))}/`),
    ),
    ...list(keep, (kept) => paint("dim", `  = ${path(kept)} stays (${KEPT[kept.reason]})`)),
    ...notRestoredLines(plan, look),
    ...partLines(plan, look),
    ...taskLines(plan, paint),
    ...(plan.restoresIndex ? ["  what is staged comes back as it was"] : []),
    ...(plan.restoresOperation ? operationLines(plan) : []),
    ...leftLines(plan),
    ...headLines(plan, look),
    ...(plan.overBorder ? [borderLine(plan)] : []),
    ...leftBehindLines(look),
  ];
}

const KEPT: Readonly<Record<KeepReason, string>> = {
  ignored: "git ignores it",
  nested_repository: "a repository of its own",
  submodule: "a submodule",
  excluded: "kept out by the settings",
  over_budget: "too large to have been captured",
  sensitive: "may hold a secret, was not captured",
  sensitive_content: "looked like a secret, was not captured",
  special_file: "no ordinary file",
  unreadable: "could not be read then",
  own_files: "belongs to Waymark",
  in_database: "belongs to a database",
  out_of_scope: "not asked for",
};

const SIGNS: Readonly<Record<PartChange["operation"], readonly ["+" | "~" | "-", Style]>> = {
  restored: ["+", "green"],
  changed_back: ["~", "yellow"],
  removed: ["-", "red"],
  mode_changed_back: ["~", "yellow"],
};

function partLines(plan: RollbackPlan, { paint, most }: PlanLook): string[] {
  return plan.parts.flatMap(({ part, preview }) => [
    ...preview.changes.slice(0, most).map(({ what, operation, summary }) => {
      const [sign, style] = SIGNS[operation];
      return paint(
        style,
        `  ${sign} ${oneLine(what)} (${PART_NAMES[part.type]}: ${oneLine(summary)})`,
      );
    }),
    ...(preview.changes.length > most ? [`  … and ${preview.changes.length - most} more`] : []),
    ...preview.kept
      .slice(0, most)
      .map(({ what, reason }) => paint("dim", `  = ${oneLine(what)} stays (${keptWords(reason)})`)),
  ]);
}

function taskLines({ task }: RollbackPlan, paint: Paint): string[] {
  if (task === undefined) return [];
  const name = `  task ${oneLine(task.snapshot.id)}`;
  if (!task.isRestored) return [paint("dim", `${name} stays as it is`)];
  switch (task.now.kind) {
    case "found":
      return task.changes.length === 0
        ? []
        : [paint("yellow", `${name}: ${task.changes.map(oneLine).join("; ")}`)];
    case "unreadable":
      return [paint("yellow", `${name} cannot be read now: ${oneLine(task.now.problem)}`)];
    default:
      return [paint("green", `${name}: gone -> ${oneLine(task.snapshot.status ?? "no status")}`)];
  }
}

/** Parts give a reason of the list above, or words of their own. */
function keptWords(reason: string): string {
  const known = Object.entries(KEPT).find(([name]) => name === reason);
  return known?.[1] ?? oneLine(reason);
}

const PART_NAMES = {
  file_backup: "copied file",
  state_snapshot: "state",
  database_savepoint: "database",
} as const;

function leftLines(plan: RollbackPlan): string[] {
  const left = operationLeft(plan);
  return left === null ? [] : [`  ${left}`];
}

function operationLines({ target, operationNow }: RollbackPlan): string[] {
  const { operation } = target.git;
  if (operation !== "none") return [`  the ${operation} in progress comes back`];
  return operationNow === "none" ? [] : [`  the ${operationNow} in progress ends`];
}

function borderLine({ target }: RollbackPlan): string {
  return isPlain(target.git)
    ? "  HEAD, branches and what is staged stay: it was a plain folder without git then"
    : "  only files come back: this is a plain folder without git";
}

function headLines(plan: RollbackPlan, { paint, most }: PlanLook): string[] {
  const { head, leaving } = plan;
  if (head === null) return [];
  const name = (branch: string | null): string =>
    branch === null ? "detached HEAD" : oneLine(shortBranch(branch));
  const lines: string[] = [];
  if (head.from.branch !== head.to.branch) {
    lines.push(`  switch from ${name(head.from.branch)} to ${name(head.to.branch)}`);
  }
  if (head.from.branch === null && head.to.branch === null) {
    const short = (commit: string | null): string => commit?.slice(0, 8) ?? "no commit";
    lines.push(
      `  the detached HEAD moves from ${short(head.from.commit)} to ${short(head.to.commit)}`,
    );
  }
  if (head.move !== null) {
    const to = head.move.to?.slice(0, 8) ?? "no commit";
    lines.push(
      `  ${name(head.move.name)} moves from ${head.move.from?.slice(0, 8) ?? "nothing"} to ${to}`,
    );
  }
  if (leaving.length > 0) {
    lines.push(
      paint(
        "yellow",
        `  ${counted(leaving.length, "commit leaves a branch", "commits leave a branch")}:`,
      ),
    );
  }
  for (const commit of leaving.slice(0, most)) {
    lines.push(
      `    ${paint("yellow", commit.commit.slice(0, 8))} ${oneLine(commit.subject)} (${name(commit.branch)})`,
    );
  }
  if (leaving.length > most) lines.push(`    … and ${leaving.length - most} more`);
  return lines;
}

function leftBehindLines({ leftBehind, most, paint }: PlanLook): string[] {
  if (leftBehind.length === 0) return [];
  return [
    `  ${counted(leftBehind.length, "later checkpoint becomes invalid", "later checkpoints become invalid")} (undo makes them valid again):`,
    ...leftBehind.slice(0, most).map((id) => paint("dim", `    x ${id}`)),
    ...(leftBehind.length > most ? [`    … and ${leftBehind.length - most} more`] : []),
  ];
}

/** What was done, what was kept, and the way back. */
export function rollbackLines(result: RollbackResult, output: Output): string[] {
  const { plan, foreign } = result;
  const { paint } = output;
  const { write, remove, mode, keep } = plan.files;
  for (const warning of rollbackWarnings(result)) output.warn(warning);
  const restored = write.filter((step) => step.before === null).length;
  const parts = [
    `${restored} brought back`,
    `${write.length - restored} changed back`,
    `${remove.length} removed`,
    ...(mode.length === 0 ? [] : [`${mode.length} with earlier permissions`]),
  ];
  const what = result.kind === "rollback" ? "rolled back to" : `${result.kind}: now at`;
  return [
    `${paint("green", what)} ${plan.target.id}`,
    `  files: ${parts.join(", ")}`,
    ...partSummary(result),
    ...taskSummary(result),
    ...keptLines(keep, paint),
    ...notRestoredLines(plan, { paint, most: MOST_KEPT }),
    ...(foreign.length === 0 ? [] : [`  saved meanwhile and kept: ${foreign.length}`]),
    ...(plan.leaving.length === 0
      ? []
      : [
          `  ${counted(plan.leaving.length, "commit")} left the branch, still in ${result.safety.id}:`,
          ...plan.leaving
            .slice(0, MOST_LEFT)
            .map((commit) => `    ${commit.commit.slice(0, 8)} ${oneLine(commit.subject)}`),
          ...(plan.leaving.length > MOST_LEFT
            ? [`    … and ${plan.leaving.length - MOST_LEFT} more`]
            : []),
        ]),
    `  take it back with: ${paint("bold", wayBack(result.kind))}`,
  ];
}

function partSummary({ plan: { parts }, keptParts }: RollbackResult): string[] {
  const databases = parts.filter(({ part }) => part.type === "database_savepoint").length;
  return parts.map(({ part, preview }) => {
    const isDatabase = part.type === "database_savepoint";
    const label = isDatabase && databases > 1 ? ` ${oneLine(part.label)}` : "";
    const name = `  ${PART_NAMES[part.type]}${label}`;
    // Somebody may have written to it after the plan was made.
    const kept = isDatabase
      ? [...preview.kept, ...keptParts].find(({ what }) => what === part.label)
      : undefined;
    if (kept !== undefined) return `${name}: not touched: ${oneLine(kept.reason)}`;
    const { length } = preview.changes;
    if (length > 0) {
      const stays = preview.kept.map(({ reason }) => `; ${oneLine(reason)}`).join("");
      return `${name}: ${counted(length, "change taken back", "changes taken back")}${stays}`;
    }
    return preview.kept.length === 0
      ? `${name}: was as it should be`
      : `${name}: not touched: ${oneLine(preview.kept[0]?.reason ?? "")}`;
  });
}

function taskSummary({ task, plan }: RollbackResult): string[] {
  if (task === null) return [];
  const name = `  task ${oneLine(task.id)}`;
  if (plan.task?.isRestored === false) return [`${name}: left as it is`];
  const changes = plan.task?.changes ?? [];
  const what =
    task.problems.length > 0
      ? "not brought back, see the warning"
      : changes.length === 0
        ? task.status_before === null && task.status_after !== null
          ? `is back: ${oneLine(task.status_after)}`
          : "was as it should be"
        : changes.map(oneLine).join("; ");
  return [`${name}: ${what}`, ...task.kept.map((kept) => `    ${oneLine(kept)}`)];
}

/** A rollback that passes over a file must not look like one that restored it. */
export function notRestoredLines(
  { notRestored }: RollbackPlan,
  { paint, most }: Pick<PlanLook, "paint" | "most">,
): string[] {
  if (notRestored.length === 0) return [];
  return [
    paint("yellow", "  not restored, because checkpoints leave it out:"),
    ...notRestored
      .slice(0, most)
      .map((left) => paint("yellow", `    ${oneLine(left.path)} (${exclusionWords(left)})`)),
    ...(notRestored.length > most ? [`    … and ${notRestored.length - most} more`] : []),
  ];
}

const MOST_KEPT = 10;
const MOST_LEFT = 10;

function keptLines(keep: RollbackPlan["files"]["keep"], paint: Paint): string[] {
  if (keep.length === 0) return [];
  return [
    `  kept: ${keep.length}`,
    ...keep
      .slice(0, MOST_KEPT)
      .map((kept) =>
        paint("dim", `    ${shortened(oneLine(showPath(kept.path)))} (${KEPT[kept.reason]})`),
      ),
    ...(keep.length > MOST_KEPT ? [`    … and ${keep.length - MOST_KEPT} more`] : []),
  ];
}
