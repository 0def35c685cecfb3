/** `waymark cleanup` */
import { among } from "../../../domain/among.ts";
import { titleOf } from "../../../domain/checkpoint-glance.ts";
import { cancelled, Failure } from "../../../domain/failure.ts";
import { setAsideText } from "../../../domain/session-version.ts";
import type { Duration } from "../../../domain/config.ts";
import { showDuration } from "../../../domain/duration.ts";
import { quoteForShell } from "../../../domain/shell-quote.ts";
import { EVERYTHING, type RetentionLimits } from "../../../domain/retention.ts";
import {
  cleanUp,
  isEverything,
  planCleanup,
  type CleanupPlan,
} from "../../../operations/clean-up.ts";
import { confirm } from "../ask.ts";
import type { Project } from "../../../operations/project.ts";
import { recoverFirst } from "../recover-first.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { tableLines } from "../table.ts";
import { counted, humanBytes } from "../units.ts";

interface Options {
  dryRun?: boolean;
  keep?: number;
  olderThan?: number;
  all?: boolean;
  now?: boolean;
  yes?: boolean;
  auto?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options = context.options as Options;
  if (options.all === true && (options.keep ?? options.olderThan) !== undefined) {
    throw new Failure("usage", "--all cannot be used with --keep or --older-than", {
      hint: "Use one of them. Nothing was changed.",
    });
  }
  const project = await context.openProject();
  const request = { limits: limitsOf(options), now: options.now === true };
  if (options.dryRun === true) {
    const plan = await planCleanup(project, request);
    report(output, plan, "dry_run");
    const warning = undoWarning(plan, request.now ? null : project.config.retention.grace);
    if (warning !== undefined) output.warn(warning);
    return;
  }
  project.sweep();
  await project.sweepKept();
  if (options.auto !== true) await recoverFirst(project, output);
  const { grace } = project.config.retention;
  // The rules alone may: then all of it is of sessions that ended long ago.
  const isLimited = (options.keep ?? options.olderThan) !== undefined;
  const mustAsk = (plan: CleanupPlan): boolean =>
    options.yes !== true &&
    (request.now || options.all === true || (isLimited && leavesNone(plan)));
  try {
    let wasShown = false;
    const done = await cleanUp(project, request, (plan) => {
      const warning = undoWarning(plan, request.now ? null : grace);
      const sessions = isEverything(request) ? plan.sessions.length : 0;
      if (!mustAsk(plan) || plan.purged.length + plan.removed.length + sessions === 0) {
        if (warning !== undefined) output.warn(warning);
        return Promise.resolve(true);
      }
      wasShown = true;
      return confirm(output, {
        lines: [
          ...planLines(output, plan),
          ...keptLines(output, plan),
          ...(warning === undefined
            ? []
            : [`${output.paintTalk("yellow", "warning:")} ${warning}`]),
        ],
        question: request.now
          ? `Remove ${counted(plan.purged.length, "checkpoint")}${sessions === 0 ? "" : ` and ${counted(sessions, "session")}`} for good?`
          : `Remove all ${counted(plan.removed.length, "checkpoint")}?`,
        hint: request.now
          ? "Add --yes, or omit --now to be able to restore them for a while. Nothing was changed."
          : "Add --yes, or --dry-run to see what would be removed. Nothing was changed.",
      });
    });
    if (done === undefined) throw cancelled();
    report(output, done, wasShown ? "shown" : "done");
    if (isEverything(request)) await nameExports(project, output);
  } catch (error) {
    const isBusy = error instanceof Failure && error.code === "locked";
    if (!(isBusy && options.auto === true)) throw error;
    report(output, NOTHING_DONE, "done");
  }
}

/** Of those that `list` shows. */
function leavesNone({ removed, kept, present = [] }: CleanupPlan): boolean {
  const isKept = among(kept.map(({ id }) => id));
  const left = present.filter(({ id, trigger }) => trigger !== "pre_rollback" && isKept(id));
  return removed.length > 0 && present.length > 0 && left.length === 0;
}

/** They hold what was removed. */
async function nameExports(project: Project, output: Output): Promise<void> {
  const { exports } = project;
  const [missing] = await project.namedFiles.missing([exports]);
  if (missing === undefined)
    output.warn(`exports are kept; remove them with: rm -r ${quoteForShell(exports)}`);
}

type ReportedPlan = Pick<
  CleanupPlan,
  | "removed"
  | "setAside"
  | "purged"
  | "kept"
  | "orphans"
  | "sessions"
  | "bytesTotal"
  | "freedBytes"
  | "present"
>;

/** The other cleanup does it. */
const NOTHING_DONE: ReportedPlan = {
  removed: [],
  setAside: [],
  purged: [],
  kept: [],
  orphans: [],
  sessions: [],
  bytesTotal: null,
  freedBytes: null,
  present: [],
};

function limitsOf({ keep, olderThan, all }: Options): RetentionLimits {
  return {
    ...(all === true ? { all } : {}),
    ...(keep === undefined ? {} : { keep }),
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
  };
}

/** `grace`: how long what is removed can be restored; null: not at all. */
function undoWarning({ endsUndo }: CleanupPlan, grace: Duration): string | undefined {
  if (!endsUndo) return undefined;
  const back =
    grace === null || grace === 0
      ? ""
      : `; \`waymark delete --undo ID\` restores what they need for ${showDuration(grace)}`;
  return `\`waymark undo\` and \`redo\` will no longer work for earlier rollbacks${back}`;
}

/** `shown`: the question had the table. */
function report(output: Output, plan: ReportedPlan, how: "dry_run" | "done" | "shown"): void {
  const dryRun = how === "dry_run";
  for (const why of plan.setAside) output.warn(setAsideText(why, "its checkpoints stay"));
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
    how === "shown" ? [] : [...planLines(output, plan), ...(dryRun ? keptLines(output, plan) : [])],
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
      .map((one) => ({ ...one, what: "move to trash" })),
    ...plan.purged.map((one) => ({ ...one, what: "delete for good" })),
    ...plan.orphans.map((id) => ({
      id,
      what: "its local half",
      reason: "the checkpoint no longer exists",
    })),
    ...plan.sessions.map((one) => ({ ...one, what: "session" })),
  ];
  if (rows.length === 0) return [];
  const short = output.shortIds();
  const titles = new Map(plan.present?.map((document) => [document.id, titleOf(document)]));
  return tableLines<Row>(
    [
      { title: "CHECKPOINT", cell: ({ id }) => short?.of(id) ?? id },
      {
        title: "ACTION",
        cell: ({ what }) => what,
        style: ({ what }) => (what === "delete for good" ? "yellow" : undefined),
      },
      { title: "BECAUSE", cell: ({ reason }) => (reason === EVERYTHING ? "" : reason), cutTo: 20 },
      { title: "MESSAGE", cell: ({ id }) => titles.get(id) ?? "", cutTo: 20 },
    ],
    rows,
    output.columns,
    output.paint,
  );
}

/** By reason: there may be thousands of them, and `--json` has each. */
function keptLines(output: Output, { kept }: ReportedPlan): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of kept) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return [];
  const rows = [...counts].map(([reason, count]) => ({ reason, count }));
  return tableLines<(typeof rows)[number]>(
    [
      { title: "KEPT", cell: ({ count }) => String(count) },
      { title: "BECAUSE", cell: ({ reason }) => reason, cutTo: 20 },
    ],
    rows.toSorted((one, other) => other.count - one.count),
    output.columns,
    output.paint,
  );
}

function summary(plan: ReportedPlan, dryRun: boolean): string {
  const would = dryRun ? "would be " : "";
  const size = plan.freedBytes === null ? "" : `, about ${humanBytes(plan.freedBytes)}`;
  const parts = [
    `${counted(plan.removed.length, "checkpoint")} ${would}removed${size}`,
    ...(plan.purged.length === 0 ? [] : [`${plan.purged.length} ${would}deleted for good`]),
    ...(plan.orphans.length === 0
      ? []
      : [`local halves of ${counted(plan.orphans.length, "lost checkpoint")} ${would}removed`]),
    ...(plan.sessions.length === 0
      ? []
      : [`${counted(plan.sessions.length, "session")} without checkpoints ${would}removed`]),
    `${plan.kept.length} ${would}kept`,
  ];
  const hint =
    dryRun || plan.removed.every(({ id }) => plan.purged.some((gone) => gone.id === id))
      ? ""
      : "; `waymark delete --undo ID` restores one, `--all` all of them";
  return parts.join(", ") + hint;
}
