/** `waymark list` */
import { stripVTControlCharacters } from "node:util";
import type { CheckpointGlance } from "../../../domain/checkpoint-glance.ts";
import { outOfSightWarning } from "../../../domain/out-of-sight.ts";
import type { Fold } from "../../../domain/time-line.ts";
import type { TriggerFilter } from "../../../domain/trigger-filter.ts";
import { killedGuardText, killedHere } from "../../../operations/killed-guards.ts";
import {
  foldListed,
  glanceAtCheckpoints,
  listCheckpoints,
  type CheckpointList,
  type Listed,
  type ListRequest,
} from "../../../operations/list-checkpoints.ts";
import { listDocument } from "../../../operations/documents/list-document.ts";
import type { Project } from "../../../operations/project.ts";
import { stepChanges } from "../../../operations/step-changes.ts";
import { summariesFromNow } from "../../../operations/summaries-from-now.ts";
import { listDeleted } from "../../../operations/undelete-checkpoints.ts";
import {
  checkpointLines,
  checkpointTable,
  placeLine,
  restorableText,
  type Row,
} from "../checkpoint-table.ts";
import { lookForUnfinished } from "../../../operations/unfinished-rollback.ts";
import type { DiffSummary } from "../../../ports/differ.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { cut } from "../table.ts";

interface Options {
  stat?: boolean;
  long?: boolean;
  all?: boolean;
  expand?: boolean;
  task?: string;
  phase?: string;
  trigger?: TriggerFilter;
  agent?: string;
  limit?: number;
}

/** On a terminal; what was asked for may be longer and goes through the pager. */
const USUAL_ROWS = 20;

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const isTable = process.stdout.isTTY && !output.options.json;
  const asked = request(options, context.sessionId, isTable);
  const isWhole = output.options.json || options.stat === true;
  const whole = isWhole ? await listCheckpoints(project, asked) : undefined;
  const list = whole ?? (await glanceAtCheckpoints(project, asked));
  const unfinished = lookForUnfinished(project, (said) => output.warn(said));
  if (unfinished !== undefined) {
    output.warn(
      unfinished.owner.mayBeAtWork
        ? outOfSightWarning(unfinished)
        : "a rollback was interrupted; `waymark recover` finishes or reverts it",
    );
  }
  for (const mark of killedHere(project)) output.warn(killedGuardText(mark));
  const summaries =
    options.stat === true && whole !== undefined
      ? await summariesFromNow(project, whole)
      : new Map<string, DiffSummary>();
  if (list.checkpoints.length === 0) {
    const deleted = await listDeleted(project);
    output.say(nothingText(options, deleted.length, context.sessionId));
  }
  if (isTable && list.checkpoints.length > 0) {
    await showTable(project, output, { list, options, summaries });
    return;
  }
  output.result(
    "checkpoint_list",
    () => (whole === undefined ? {} : listDocument(whole, { summaries, unfinished })),
    checkpointLines(
      list.checkpoints.map((listed) => ({ listed, summary: summaries.get(listed.id) })),
      options.all === true,
    ),
  );
}

function nothingText(
  { all, limit, task, phase, trigger, agent }: Options,
  deleted: number,
  session?: string,
): string {
  const filters = [limit, task, phase, trigger, agent, session];
  if (filters.some((value) => value !== undefined)) {
    return "no checkpoint matches; `waymark list --all` lists all of them";
  }
  if (deleted > 0) {
    return `no checkpoints${all === true ? "" : " of this work tree"}; ${restorableText(deleted)}`;
  }
  return all === true
    ? "no checkpoints yet: `waymark create` creates one"
    : "no checkpoints of this work tree yet: `waymark create` creates one";
}

interface Shown {
  readonly list: CheckpointList<CheckpointGlance>;
  readonly options: Options;
  readonly summaries: ReadonlyMap<string, DiffSummary>;
}

async function showTable(
  project: Project,
  output: Output,
  { list, options, summaries }: Shown,
): Promise<void> {
  const { columns, paint } = output;
  const all = options.expand === true ? list.checkpoints.map(alone) : foldListed(list.checkpoints);
  const { limit = USUAL_ROWS } = options;
  // What cannot be read has no place in time, and is never out of sight.
  const shown = all.filter(({ row }, at) => at < limit || row.kind !== "ok");
  const changes = await stepChanges(project, list, shown);
  const rows = shown.map(({ row, folded }): Row => ({
    listed: row,
    summary: summaries.get(row.id),
    change: changes.get(row.id),
    checkpoints: folded.length === 0 ? undefined : folded.length + 1,
  }));
  const place = placeLine(list, await project.branches.current(), list.checkpoints.length);
  const look = { columns, paint, now: project.clock.now(), short: output.shortIds() };
  const lines = [
    paint("dim", cut(place, columns)),
    ...checkpointTable(rows, { ...look, isLong: options.long === true }),
    ...moreLines(all, shown, columns).map((line) => paint("dim", line)),
  ];
  if (options.limit === undefined || lines.length < process.stdout.rows) {
    output.result("checkpoint_list", {}, lines);
    return;
  }
  const { openPager } = await import("../pager.ts");
  const pager = await openPager(output, () => project.differ.pager());
  const text = output.forReader(`${lines.join("\n")}\n`, process.stdout);
  await pager.write(Buffer.from(pager.hasColor ? text : stripVTControlCharacters(text)));
  await pager.end();
}

const alone = (row: Listed<CheckpointGlance>): Fold<Listed<CheckpointGlance>> => ({
  row,
  folded: [],
});

function moreLines(
  all: readonly Fold<unknown>[],
  shown: readonly Fold<unknown>[],
  columns: number,
): string[] {
  const lines = [
    ...(shown.length < all.length
      ? [`${shown.length} of ${all.length} rows, \`waymark list -n 0\` shows all`]
      : []),
    ...(shown.some(({ folded }) => folded.length > 0)
      ? ["(n): checkpoints of one prompt, `--expand` shows each"]
      : []),
  ];
  const one = lines.join("; ");
  return one === "" ? [] : one.length <= columns ? [one] : lines;
}

function request(
  { all, task, phase, trigger, agent, limit }: Options,
  session: string | undefined,
  isTable: boolean,
): ListRequest {
  return {
    ...(session === undefined ? {} : { sessionId: session }),
    ...(all === undefined ? {} : { all }),
    ...(task === undefined ? {} : { taskId: task }),
    ...(phase === undefined ? {} : { phase }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(agent === undefined ? {} : { agent }),
    // Rows of a table are counted after the checkpoints of a prompt were folded.
    ...(limit === undefined || isTable ? {} : { limit }),
  };
}
