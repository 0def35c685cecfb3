/** `waymark cleanup` */
import { Failure } from "../../../domain/failure.ts";
import type { RetentionLimits } from "../../../domain/retention.ts";
import { cleanUp, planCleanup, type CleanupPlan } from "../../../operations/clean-up.ts";
import { askToGoOn, notConfirmed } from "../ask.ts";
import { recoverFirst } from "../recover-first.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { tableLines } from "../table.ts";
import { counted, humanBytes } from "../units.ts";

interface Options {
  dryRun?: boolean;
  keep?: number;
  olderThan?: number;
  now?: boolean;
  yes?: boolean;
  auto?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options = context.options as Options;
  const project = await context.openProject();
  const request = { limits: limitsOf(options), now: options.now === true };
  if (options.dryRun === true) {
    report(output, await planCleanup(project, request), true);
    return;
  }
  project.sweep();
  if (options.auto !== true) await recoverFirst(project, output);
  const mustAsk = request.now && options.yes !== true;
  try {
    const done = await cleanUp(project, request, (plan) =>
      mustAsk && plan.purged.length > 0
        ? askToGoOn(output, {
            lines: planLines(output, plan),
            what: "this removes checkpoints for good",
            hint: "Add --yes, or leave out --now: then they can be brought back for a while.",
          })
        : Promise.resolve(true),
    );
    if (done === undefined) throw notConfirmed();
    report(output, done, false);
  } catch (error) {
    const isBusy = error instanceof Failure && error.code === "locked";
    if (!(isBusy && options.auto === true)) throw error;
    report(output, NOTHING_DONE, false);
  }
}

type ReportedPlan = Pick<
  CleanupPlan,
  "removed" | "purged" | "kept" | "orphans" | "sessions" | "bytesTotal" | "freedBytes"
>;

/** The other cleanup does it. */
const NOTHING_DONE: ReportedPlan = {
  removed: [],
  purged: [],
  kept: [],
  orphans: [],
  sessions: [],
  bytesTotal: null,
  freedBytes: null,
};

function limitsOf({ keep, olderThan }: Options): RetentionLimits {
  return {
    ...(keep === undefined ? {} : { keep }),
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
  };
}

function report(output: Output, plan: ReportedPlan, dryRun: boolean): void {
  output.result(
    "cleanup",
    {
      dry_run: dryRun,
      removed: plan.removed,
      purged: plan.purged,
      kept: plan.kept,
      orphans: plan.orphans,
      sessions: plan.sessions,
      bytes_total: plan.bytesTotal,
      freed_bytes: plan.freedBytes,
      freed_bytes_unknown: plan.freedBytes === null ? "git could not list the objects" : null,
    },
    planLines(output, plan),
  );
  output.say(summary(plan, dryRun));
}

interface Row {
  readonly id: string;
  readonly what: string;
  readonly reason: string;
}

function planLines(output: Output, plan: ReportedPlan): string[] {
  const purged = new Set(plan.purged.map(({ id }) => id));
  const rows: Row[] = [
    ...plan.removed
      .filter(({ id }) => !purged.has(id))
      .map((one) => ({ ...one, what: "to the trash" })),
    ...plan.purged.map((one) => ({ ...one, what: "for good" })),
    ...plan.orphans.map((id) => ({
      id,
      what: "its copied files",
      reason: "the checkpoint is gone",
    })),
    ...plan.sessions.map((one) => ({ ...one, what: "session" })),
  ];
  if (rows.length === 0) return [];
  return tableLines<Row>(
    [
      { title: "CHECKPOINT", cell: ({ id }) => id },
      {
        title: "GOES",
        cell: ({ what }) => what,
        style: ({ what }) => (what === "for good" ? "yellow" : undefined),
      },
      { title: "BECAUSE", cell: ({ reason }) => reason, cutTo: 20 },
    ],
    rows,
    output.columns,
    output.paint,
  );
}

function summary(plan: ReportedPlan, dryRun: boolean): string {
  const would = dryRun ? "would be " : "";
  const size = plan.freedBytes === null ? "" : `, about ${humanBytes(plan.freedBytes)}`;
  const parts = [
    `${counted(plan.removed.length, "checkpoint")} ${would}removed${size}`,
    ...(plan.purged.length === 0 ? [] : [`${plan.purged.length} ${would}gone for good`]),
    ...(plan.orphans.length === 0
      ? []
      : [`copies of ${counted(plan.orphans.length, "lost checkpoint")} ${would}removed`]),
    ...(plan.sessions.length === 0
      ? []
      : [`${counted(plan.sessions.length, "session")} without checkpoints ${would}removed`]),
    `${plan.kept.length} kept`,
  ];
  const hint =
    dryRun || plan.removed.every(({ id }) => plan.purged.some((gone) => gone.id === id))
      ? ""
      : "; `waymark delete --undo ID` brings one back";
  return parts.join(", ") + hint;
}
