/** `waymark list` */
import type { CheckpointGlance } from "../../../domain/checkpoint-glance.ts";
import { outOfSightWarning } from "../../../domain/out-of-sight.ts";
import type { TriggerFilter } from "../../../domain/trigger-filter.ts";
import { killedGuardText, killedHere } from "../../../operations/killed-guards.ts";
import {
  glanceAtCheckpoints,
  listCheckpoints,
  type CheckpointList,
  type ListRequest,
} from "../../../operations/list-checkpoints.ts";
import { listDocument } from "../../../operations/documents/list-document.ts";
import type { Project } from "../../../operations/project.ts";
import { summariesFromNow } from "../../../operations/summaries-from-now.ts";
import { checkpointLines, checkpointTable, placeLine, type Row } from "../checkpoint-table.ts";
import { lookForUnfinished } from "../../../operations/unfinished-rollback.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { cut } from "../table.ts";

interface Options {
  stat?: boolean;
  all?: boolean;
  task?: string;
  phase?: string;
  trigger?: TriggerFilter;
  limit?: number;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const asked = request(options, context.sessionId);
  const isWhole = output.options.json || options.stat === true;
  const whole = isWhole ? await listCheckpoints(project, asked) : undefined;
  const list = whole ?? (await glanceAtCheckpoints(project, asked));
  const unfinished = lookForUnfinished(project, (said) => output.warn(said));
  if (unfinished !== undefined) {
    output.warn(
      unfinished.owner.mayBeAtWork
        ? outOfSightWarning(unfinished)
        : "a rollback was interrupted; `waymark recover` finishes it or takes it back",
    );
  }
  for (const mark of killedHere(project)) output.warn(killedGuardText(mark));
  const summaries =
    options.stat === true && whole !== undefined
      ? await summariesFromNow(project, whole)
      : new Map();
  const rows = list.checkpoints.map((listed) => ({ listed, summary: summaries.get(listed.id) }));
  output.result(
    "checkpoint_list",
    () => (whole === undefined ? {} : listDocument(whole, { summaries, unfinished })),
    await lines(project, output, { list, rows, isAll: options.all === true }),
  );
  if (rows.length === 0) output.say(nothingText(options, context.sessionId));
}

function nothingText({ all, limit, task, phase, trigger }: Options, session?: string): string {
  const isFiltered = [limit, task, phase, trigger, session].some((value) => value !== undefined);
  if (isFiltered) return "no checkpoint matches; `waymark list --all` shows every one";
  return all === true
    ? "no checkpoints yet: `waymark create` takes one"
    : "no checkpoints of this work tree yet: `waymark create` takes one";
}

interface Shown {
  readonly list: CheckpointList<CheckpointGlance>;
  readonly rows: readonly Row[];
  readonly isAll: boolean;
}

async function lines(
  project: Project,
  output: Output,
  { list, rows, isAll }: Shown,
): Promise<string[]> {
  if (output.options.json || rows.length === 0) return [];
  if (!process.stdout.isTTY) return checkpointLines(rows, isAll);
  const place = await project.branches.current();
  const { columns, paint } = output;
  return [
    paint("dim", cut(placeLine(list.sessionId, place, rows.length), columns)),
    ...checkpointTable(rows, { columns, paint, now: project.clock.now(), isAll }),
  ];
}

function request(options: Options, session: string | undefined): ListRequest {
  return {
    ...(session === undefined ? {} : { sessionId: session }),
    ...(options.all === undefined ? {} : { all: options.all }),
    ...(options.task === undefined ? {} : { taskId: options.task }),
    ...(options.phase === undefined ? {} : { phase: options.phase }),
    ...(options.trigger === undefined ? {} : { trigger: options.trigger }),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  };
}
