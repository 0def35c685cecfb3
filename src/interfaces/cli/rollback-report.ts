/** What a rollback will do, and what it did. */
import { wayBack } from "../../domain/agent-contract.ts";
import { shortBranch } from "../../domain/branch-name.ts";
import { ancestorsOf, shortened, showPath, type BytePath } from "../../domain/byte-path.ts";
import { isPlain, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { touchedPaths, type KeepReason } from "../../domain/rollback-plan.ts";
import type { StepPlace } from "../../domain/workflow/step-change.ts";
import {
  removedHooksTexts,
  rollbackWarnings,
} from "../../operations/documents/rollback-document.ts";
import { operationLeft, type RollbackPlan } from "../../operations/plan-rollback.ts";
import type { NothingDiffers, RollbackResult } from "../../operations/roll-back.ts";
import { firstLines } from "./first-lines.ts";
import { exclusionWords } from "./exclusion-text.ts";
import type { Output } from "./output.ts";
import type { PartChange } from "../../ports/part-keeper.ts";
import type { Paint, Style } from "./style.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";

export interface PlanLook {
  readonly kind?: RollbackResult["kind"];
  /** The checkpoint of the rollback that is undone or redone. */
  readonly undoes?: CheckpointDocument | undefined;
  readonly paint: Paint;
  readonly leftBehind: readonly string[];
  /** Lines of each kind. */
  readonly most: number;
}

/** Before the question only the first of each kind are shown. */
const ALL_OF_PLAN = " (--dry-run shows all)";

export function planLines(plan: RollbackPlan, look: PlanLook): string[] {
  const { paint } = look;
  const { files } = plan;
  if (plan.isEmpty && (look.kind ?? "rollback") === "rollback")
    return nothingDiffersLines(plan, look);
  const { write, remove, mode, keep } = files;
  const restored = write.filter((step) => step.before === null);
  const changed = write.filter((step) => step.before !== null);
  const path = (step: { readonly path: BytePath }): string => oneLine(showPath(step.path));
  const list = <Step>(steps: readonly Step[], line: (step: Step) => string): string[] =>
    firstLines(steps.map(line), look.most, { hint: ALL_OF_PLAN });
  return [
    paint("bold", `${headOf(plan, look)}:`),
    ...aboutLines(plan.target),
    ...stepLines(plan),
    ...(touchedPaths(files).length > MOST_KEPT ? [`  files: ${fileCounts(files)}`] : []),
    ...list(restored, (step) => paint("green", `  + ${path(step)}`)),
    ...list(changed, (step) => paint("yellow", `  ~ ${path(step)}`)),
    ...list(remove, (step) => paint("red", `  - ${path(step)}`)),
    ...list(mode, (step) => paint("yellow", `  ~ ${path(step)} (permissions)`)),
    ...list(emptyFoldersRemoved(files), (folder) =>
      paint("red", `  - ${oneLine(showPath(folder))}/`),
    ),
    ...list([...files.makeFolders.keys()], (folder) =>
      paint("green", `  + ${oneLine(showPath(folder))}/`),
    ),
    ...list(keep, (kept) => paint("dim", `  = ${path(kept)} stays (${KEPT[kept.reason]})`)),
    ...notRestoredLines(plan, look),
    ...partLines(plan, look),
    ...taskLines(plan, paint),
    ...(plan.restoresStaged
      ? [`  staged changes${plan.isPartial ? " of these paths" : ""} will be restored`]
      : []),
    ...(plan.restoresOperation ? operationLines(plan) : []),
    ...leftLines(plan),
    ...headLines(plan, look),
    ...(plan.overBorder ? [borderLine(plan)] : []),
    ...removedHooksTexts(plan, "will be removed").map((line) => paint("yellow", `  ! ${line}`)),
    ...leftBehindLines(look),
  ];
}

/** Nothing was done, and there is nothing to undo. */
export function nothingDiffersLines(
  plan: RollbackPlan,
  look: Pick<PlanLook, "paint" | "most">,
): string[] {
  return [
    `Nothing differs from ${nameOf(plan.target)}; nothing to roll back`,
    ...notRestoredLines(plan, look),
  ];
}

function headOf({ target }: RollbackPlan, { kind = "rollback", undoes }: PlanLook): string {
  if (kind === "rollback" || undoes === undefined) return `Roll back to ${nameOf(target)}`;
  return `${kind === "undo" ? "Undo" : "Redo"} the rollback to ${nameOf(undoes)}`;
}

/** With what was said about it when it was taken. */
function nameOf({ id, reason, name, description }: CheckpointDocument): string {
  const about = oneLine(reason ?? name ?? description ?? "");
  return about === "" ? id : `${id} ("${shortened(about)}")`;
}

/** What it was taken for, where that was said. */
function aboutLines({ phase, task_id: task, git }: CheckpointDocument): string[] {
  if (phase === null && task === null) return [];
  const about = [
    ...(phase === null ? [] : [`phase ${oneLine(phase)}`]),
    ...(task === null ? [] : [`task ${oneLine(task)}`]),
    ...(git.commit === null ? [] : [`commit ${git.commit.slice(0, 8)}`]),
  ];
  return [`  ${about.join(", ")}`];
}

function stepLines({ steps }: RollbackPlan): string[] {
  if (steps === null) return [];
  const { from, to, discards } = steps;
  return [
    `  target step:  ${placeText(to)}`,
    `  current step: ${placeText(from)}`,
    ...(discards === null ? [] : [`  discards ${stepsText(discards)}`]),
  ];
}

function placeText({ step, phase }: StepPlace): string {
  const number = step === null ? "none" : `${step}`;
  return phase === null ? number : `${number} (${oneLine(phase)})`;
}

function stepsText([first, last]: readonly [number, number]): string {
  return first === last ? `step ${first}` : `steps ${first} to ${last}`;
}

const KEPT: Readonly<Record<KeepReason, string>> = {
  ignored: "git ignores it",
  nested_repository: "a nested repository",
  submodule: "a submodule",
  excluded: "excluded by the settings",
  over_budget: "too large to have been captured",
  sensitive: "may contain a secret, was not captured",
  sensitive_content: "looked like a secret, was not captured",
  special_file: "not a regular file",
  unreadable: "could not be read at that time",
  own_files: "belongs to Waymark",
  in_database: "belongs to a database",
  out_of_scope: "not selected",
  withheld: "only on the machine where the checkpoint was taken",
};

const SIGNS: Readonly<Record<PartChange["operation"], readonly ["+" | "~" | "-", Style]>> = {
  restored: ["+", "green"],
  changed_back: ["~", "yellow"],
  removed: ["-", "red"],
  mode_changed_back: ["~", "yellow"],
};

function partLines(plan: RollbackPlan, { paint, most }: PlanLook): string[] {
  return plan.parts.flatMap(({ part, preview }) => [
    ...firstLines(
      preview.changes.map(({ what, operation, summary }) => {
        const [sign, style] = SIGNS[operation];
        const about =
          summary === "reverted" ? "" : ` (${PART_NAMES[part.type]}: ${oneLine(summary)})`;
        return paint(style, `  ${sign} ${oneLine(what)}${about}`);
      }),
      most,
      { hint: ALL_OF_PLAN },
    ),
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
      return [
        paint("green", `${name}: deleted -> ${oneLine(task.snapshot.status ?? "no status")}`),
      ];
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
  if (operation !== "none") return [`  the ${operation} in progress will be restored`];
  return operationNow === "none" ? [] : [`  the ${operationNow} in progress will be ended`];
}

function borderLine({ target }: RollbackPlan): string {
  return isPlain(target.git)
    ? "  HEAD, branches and the index do not change: the checkpoint is of a plain folder without git"
    : "  only files will be restored: this is a plain folder without git";
}

/** Those of removed files are no news. */
function emptyFoldersRemoved({ remove, removeFolders }: RollbackPlan["files"]): BytePath[] {
  const ofFiles = new Set(remove.flatMap(({ path }) => ancestorsOf(path)));
  return removeFolders.filter((folder) => !ofFiles.has(folder)).toReversed();
}

const branchName = (branch: string | null): string =>
  branch === null ? "detached HEAD" : oneLine(shortBranch(branch));

/** Where HEAD and branches go: every branch that moves, checked out or not. */
function branchLines(
  { head, refs }: RollbackPlan,
  [switches, moves]: readonly [string, string],
): string[] {
  const short = (commit: string | null): string => commit?.slice(0, 8) ?? "no commit";
  const branches = [
    ...(head?.move ? [head.move] : []),
    ...refs.filter(({ name }) => name.startsWith("refs/heads/")),
  ];
  const isSwitch = head !== null && head.from.branch !== head.to.branch;
  const isDetached = head !== null && head.from.branch === null && head.to.branch === null;
  return [
    ...(isSwitch
      ? [`  ${switches} from ${branchName(head.from.branch)} to ${branchName(head.to.branch)}`]
      : []),
    ...(isDetached
      ? [`  the detached HEAD ${moves} from ${short(head.from.commit)} to ${short(head.to.commit)}`]
      : []),
    ...branches.map(
      ({ name, from, to }) =>
        `  ${branchName(name)} ${moves} from ${from === null ? "nothing" : short(from)} to ${short(to)}`,
    ),
  ];
}

function headLines(plan: RollbackPlan, { paint, most }: PlanLook): string[] {
  const { leaving } = plan;
  const lines = branchLines(plan, ["switch", "moves"]);
  if (leaving.length > 0) {
    lines.push(
      paint(
        "yellow",
        `  ${counted(leaving.length, "commit")} will be dropped from ${branchesOf(plan)} (kept in the safety checkpoint):`,
      ),
    );
  }
  const isOfSeveral = new Set(leaving.map(({ branch }) => branch)).size > 1;
  const commits = leaving.map(({ commit, subject, branch }) => {
    const of = isOfSeveral ? ` (${branchName(branch)})` : "";
    return `    ${paint("yellow", commit.slice(0, 8))} ${oneLine(subject)}${of}`;
  });
  return [...lines, ...firstLines(commits, most, { indent: "    ", hint: ALL_OF_PLAN })];
}

function leftBehindLines({ leftBehind, most, paint }: PlanLook): string[] {
  if (leftBehind.length === 0) return [];
  return [
    `  ${counted(leftBehind.length, "later checkpoint")} will be marked as rolled past (undo reverts this):`,
    ...firstLines(
      leftBehind.map((id) => paint("dim", `    x ${id}`)),
      most,
      { indent: "    ", hint: ALL_OF_PLAN },
    ),
  ];
}

/** What was done, what was kept, and the way back. */
export function rollbackLines(
  result: RollbackResult | NothingDiffers,
  output: Output,
  leftBehind: readonly string[] = [],
): string[] {
  const { paint } = output;
  for (const warning of rollbackWarnings(result)) output.warn(warning);
  if (result.kind === "nothing_differs") {
    return nothingDiffersLines(result.plan, { paint, most: MOST_KEPT });
  }
  const { plan, foreign } = result;
  return [
    doneHead(result, paint),
    `  files: ${fileCounts(plan.files)}`,
    ...branchLines(plan, ["switched", "moved"]),
    ...(plan.steps === null ? [] : [`  step: ${placeText(plan.steps.to)}`]),
    ...partSummary(result),
    ...taskSummary(result),
    ...keptLines(plan.files.keep, paint),
    ...notRestoredLines(plan, { paint, most: MOST_KEPT }),
    ...(foreign.length === 0 ? [] : [`  changed meanwhile and kept: ${foreign.length}`]),
    ...(plan.leaving.length === 0
      ? []
      : [
          `  ${counted(plan.leaving.length, "commit")} dropped from ${branchesOf(plan)} (kept in ${result.safety.id}):`,
          ...firstLines(
            plan.leaving.map(
              (commit) => `    ${commit.commit.slice(0, 8)} ${oneLine(commit.subject)}`,
            ),
            MOST_LEFT,
            { indent: "    " },
          ),
        ]),
    ...(leftBehind.length === 0
      ? []
      : [`  ${counted(leftBehind.length, "later checkpoint")} rolled past`]),
    ...(typeof plan.steps?.next === "number"
      ? [`  ready to continue from step ${plan.steps.next}`]
      : []),
    `  ${wayBack(result.kind) === "waymark undo" ? "undo" : "redo"} with: ${paint("bold", wayBack(result.kind))}`,
  ];
}

function doneHead({ kind, plan, undoes }: RollbackResult, paint: Paint): string {
  if (kind === "rollback" || undoes === undefined) {
    return `${paint("green", "Rolled back to")} ${nameOf(plan.target)}`;
  }
  const what = kind === "undo" ? "Undid" : "Redid";
  return `${paint("green", what)} the rollback to ${nameOf(undoes)}`;
}

/** What is zero is left out. */
export function fileCounts(files: RollbackPlan["files"]): string {
  const { write, remove, mode } = files;
  const restored = write.filter(({ before }) => before === null).length;
  const reverted = write.length - restored;
  const made = files.makeFolders.size;
  const gone = emptyFoldersRemoved(files).length;
  const said = [
    ...(restored > 0 ? [`${restored} restored`] : []),
    ...(reverted > 0 ? [`${reverted} reverted`] : []),
    ...(remove.length > 0 ? [`${remove.length} removed`] : []),
    ...(mode.length > 0 ? [`${mode.length} with earlier permissions`] : []),
    ...(made > 0 ? [`${counted(made, "empty folder")} restored`] : []),
    ...(gone > 0 ? [`${counted(gone, "empty folder")} removed`] : []),
  ];
  return said.length === 0 ? "unchanged" : said.join(", ");
}

export function branchesOf({ leaving }: RollbackPlan): string {
  return [...new Set(leaving.map(({ branch }) => oneLine(shortBranch(branch))))].join(", ");
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
    if (kept !== undefined) return `${name}: not restored: ${oneLine(kept.reason)}`;
    const { length } = preview.changes;
    if (length > 0) {
      const stays = preview.kept.map(({ reason }) => `; ${oneLine(reason)}`).join("");
      return `${name}: ${counted(length, "change")} reverted${stays}`;
    }
    return preview.kept.length === 0
      ? `${name}: unchanged`
      : `${name}: not restored: ${oneLine(preview.kept[0]?.reason ?? "")}`;
  });
}

function taskSummary({ task, plan }: RollbackResult): string[] {
  if (task === null) return [];
  const name = `  task ${oneLine(task.id)}`;
  if (plan.task?.isRestored === false) return [`${name}: unchanged`];
  const changes = plan.task?.changes ?? [];
  const what =
    task.problems.length > 0
      ? "not restored, see the warning"
      : changes.length === 0
        ? task.status_before === null && task.status_after !== null
          ? `restored: ${oneLine(task.status_after)}`
          : "unchanged"
        : changes.map(oneLine).join("; ");
  return [`${name}: ${what}`, ...task.kept.map((kept) => `    ${oneLine(kept)}`)];
}

/** A rollback that passes over a file must not look like one that restored it. */
export function notRestoredLines(
  { notRestored }: RollbackPlan,
  { paint, most }: Pick<PlanLook, "paint" | "most">,
): string[] {
  const group = (head: string, files: RollbackPlan["notRestored"]): string[] =>
    files.length === 0
      ? []
      : [
          paint("yellow", `  ${head}:`),
          ...firstLines(
            files.map((left) =>
              paint("yellow", `    ${oneLine(left.path)} (${exclusionWords(left)})`),
            ),
            most,
            { indent: "    " },
          ),
        ];
  return [
    ...group(
      "missing, and not in the checkpoint, so they cannot be restored",
      notRestored.filter(({ isMissing }) => isMissing),
    ),
    ...group(
      "not in the checkpoint, not changed",
      notRestored.filter(({ isMissing }) => !isMissing),
    ),
  ];
}

const MOST_KEPT = 10;
const MOST_LEFT = 10;

function keptLines(keep: RollbackPlan["files"]["keep"], paint: Paint): string[] {
  if (keep.length === 0) return [];
  return [
    `  kept: ${keep.length}`,
    ...firstLines(
      keep.map((kept) =>
        paint("dim", `    ${shortened(oneLine(showPath(kept.path)))} (${KEPT[kept.reason]})`),
      ),
      MOST_KEPT,
      { indent: "    " },
    ),
  ];
}
