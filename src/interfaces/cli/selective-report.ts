/** What taking back one session's work will do, and what it did. */
import { showPath, type BytePath } from "../../domain/byte-path.ts";
import type { KeptReason } from "../../domain/selective/replay.ts";
import type { KeptFile, TakeBackPlan } from "../../operations/selective/plan-take-back.ts";
import type { RollbackResult } from "../../operations/roll-back.ts";
import { fileCounts } from "./rollback-report.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./printable.ts";
import type { Paint } from "./style.ts";
import { firstLines } from "./first-lines.ts";
import { counted } from "./units.ts";

export interface SelectiveLook {
  readonly paint: Paint;
  /** Lines of each kind. */
  readonly most: number;
}

export function selectivePlanLines(plan: TakeBackPlan, look: SelectiveLook): string[] {
  const { paint, most } = look;
  const { write, remove, mode } = plan.filePlan;
  const merged = new Set(plan.merged);
  const list = <Step>(steps: readonly Step[], line: (step: Step) => string): string[] =>
    firstLines(steps.map(line), most);
  const path = (step: { readonly path: BytePath }): string => oneLine(showPath(step.path));
  const stays = (step: { readonly path: BytePath }): string =>
    merged.has(step.path) ? " (changes of others are kept)" : "";
  return [
    ...headLines(plan, paint),
    ...list(
      write.filter(({ before }) => before === null),
      (step) => paint("green", `  + ${path(step)}`),
    ),
    ...list(
      write.filter(({ before }) => before !== null),
      (step) => paint("yellow", `  ~ ${path(step)}${stays(step)}`),
    ),
    ...list(remove, (step) => paint("red", `  - ${path(step)}`)),
    ...list(mode, (step) => paint("yellow", `  ~ ${path(step)} (permissions)`)),
    ...list(plan.kept, (kept) =>
      paint("dim", `  = ${path(kept)} stays (${keptWords(plan, kept)})`),
    ),
    ...commitLines(plan, look),
    ...(plan.files.size === 0 ? wayOutLines(plan) : []),
  ];
}

function headLines(plan: TakeBackPlan, paint: Paint): string[] {
  const steps = `${counted(plan.steps, "step")} since ${plan.since.id}`;
  if (plan.files.size > 0) return [paint("bold", `Revert what ${who(plan)} did (${steps}):`)];
  if (plan.kept.length === 0) return [`Nothing to revert: no changes of ${who(plan)} are left`];
  const stay =
    plan.kept.length === 1 ? "1 file stays as it is" : `${plan.kept.length} files stay as they are`;
  return [`No change of ${who(plan)} can be reverted (${steps}): ${stay}`];
}

/** Where everything stays: how to look, and how to decide for oneself. */
function wayOutLines({ kept, since }: TakeBackPlan): string[] {
  if (kept.length === 0) return [];
  return [
    `  to see what changed since: waymark diff ${since.id} --patch --paths FILE`,
    `  to restore a whole file, undoing changes of others too: waymark rollback ${since.id} --files-only --paths FILE`,
  ];
}

/** What was done, what was kept, and the way back. */
export function selectiveLines(
  plan: TakeBackPlan,
  { foreign }: RollbackResult,
  output: Output,
): string[] {
  const { paint } = output;
  const look = { paint, most: MOST_LINES };
  return [
    `${paint("green", "Reverted")} what ${who(plan)} did: ${counted(plan.steps, "step")} since ${plan.since.id}`,
    `  files: ${fileCounts(plan.filePlan)}`,
    ...section("merged", plan.merged, look, (path) => oneLine(showPath(path))),
    ...section("kept", plan.kept, look, (kept) => {
      return `${oneLine(showPath(kept.path))} (${keptWords(plan, kept)})`;
    }),
    ...(foreign.length === 0 ? [] : [`  changed meanwhile and kept: ${foreign.length}`]),
    ...commitLines(plan, look),
    `  undo with: ${paint("bold", "waymark undo")}`,
  ];
}

const MOST_LINES = 10;

function section<Item>(
  title: string,
  items: readonly Item[],
  { paint, most }: SelectiveLook,
  line: (item: Item) => string,
): string[] {
  if (items.length === 0) return [];
  return [
    `  ${title}: ${items.length}`,
    ...firstLines(
      items.map((item) => paint("dim", `    ${line(item)}`)),
      most,
      { indent: "    " },
    ),
  ];
}

function commitLines({ commits }: TakeBackPlan, look: SelectiveLook): string[] {
  return section("commits made in the meantime are kept", commits, look, ({ commit, subject }) => {
    return `${commit.slice(0, 8)} ${oneLine(subject)}`;
  });
}

export function who({ worker: { id, agent } }: TakeBackPlan): string {
  return `session ${oneLine(id)}${agent === null ? "" : ` (${oneLine(agent)})`}`;
}

const KEPT: Readonly<Record<KeptReason, string>> = {
  changed_since: "others changed the same lines since",
  not_told_apart: "its author is uncertain",
  step_lost: "the record of its step is lost, so its author is unknown",
  not_known: "a checkpoint in between does not contain it",
  in_the_way: "something else is in its place",
  ignored: "git ignores it",
};

export function keptWords({ by }: TakeBackPlan, { reason }: KeptFile): string {
  return by === "paths" && reason === "changed_since" ? "others changed it too" : KEPT[reason];
}
