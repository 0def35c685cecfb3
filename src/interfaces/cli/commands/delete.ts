/** `waymark delete` */
import { titleOf } from "../../../domain/checkpoint-glance.ts";
import { cancelled, Failure } from "../../../domain/failure.ts";
import { LEAST_PART } from "../../../domain/short-id.ts";
import {
  deleteCheckpoints,
  planDeletion,
  type DeletionPlan,
} from "../../../operations/delete-checkpoints.ts";
import { findStored } from "../../../operations/find-checkpoint.ts";
import type { Project } from "../../../operations/project.ts";
import type { StoredCheckpoint } from "../../../ports/checkpoint-store.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import {
  listDeleted,
  undeleteCheckpoints,
  type Deleted,
} from "../../../operations/undelete-checkpoints.ts";
import { confirm } from "../ask.ts";
import type { Context } from "../command-spec.ts";
import { givenReason } from "../given-reason.ts";
import type { Output } from "../output.ts";
import { printedTable } from "../table.ts";
import { oneLine } from "../printable.ts";
import { counted, exactTime, relativeTime } from "../units.ts";
import { TRIGGER_WORDS } from "../../../domain/trigger-words.ts";

interface Options {
  yes?: boolean;
  now?: boolean;
  undo?: boolean;
  all?: boolean;
  force?: boolean;
}

export async function run(context: Context): Promise<void> {
  const [selectors] = context.args as [readonly string[]];
  const options = context.options as Options;
  if (options.all === true && (options.undo !== true || selectors.length > 0)) {
    throw new Failure("usage", "--all goes with --undo, and with no checkpoint", {
      hint: "`waymark delete --undo --all` restores everything that was deleted, `waymark cleanup --all` deletes everything. Nothing was changed.",
    });
  }
  if (options.undo !== true) {
    await runDelete(context, selectors, options);
    return;
  }
  if (options.now === true) {
    throw new Failure("usage", "--undo and --now cannot be used together", {
      hint: "--undo restores what was deleted, --now removes it for good.",
    });
  }
  const project = await context.openProject();
  const all = options.all === true ? (await listDeleted(project)).map(({ id }) => id) : selectors;
  if (all.length > 0) await runUndo(context.output, project, all, givenReason(context));
  else await showDeleted(context.output, project);
}

async function runDelete(
  context: Context,
  selectors: readonly string[],
  options: Options,
): Promise<void> {
  const { output } = context;
  if (selectors.length === 0) {
    throw new Failure("usage", "no checkpoint given", {
      hint: "`waymark list` shows them; `waymark cleanup` applies the retention rules.",
    });
  }
  const project = await context.openProject();
  project.sweep();
  await project.sweepKept();
  const view = await viewSessions(project, context.sessionId);
  // For good also what was deleted before, by its id or the end of it.
  const trash =
    options.now === true ? (await listDeleted(project)).map(({ stored }) => stored) : [];
  const chosen = new Map(
    selectors
      .map((selector) => {
        const isMeant = ({ id }: StoredCheckpoint): boolean =>
          selector.length >= LEAST_PART && id.endsWith(selector);
        const [deleted, ...others] = view.stored.some(isMeant) ? [] : trash.filter(isMeant);
        return deleted !== undefined && others.length === 0
          ? deleted
          : findStored(project, view, selector);
      })
      .map((stored) => [stored.id, stored]),
  );
  const plan = await planDeletion(project, view, [...chosen.values()], options.force === true);
  const request = { reason: givenReason(context), now: options.now === true };
  if (options.yes === true) for (const warning of plan.warnings) output.warn(warning);
  else {
    if (!(await confirmDeletion(output, plan, request.now))) throw cancelled();
    // It may have been pinned while the question was open.
    const now = await viewSessions(project, context.sessionId);
    await planDeletion(project, now, plan.stored, options.force === true);
  }
  const { deleted, goneForGood, restorableUntil } = await deleteCheckpoints(project, plan, request);
  output.result(
    "delete",
    {
      deleted,
      gone_for_good: goneForGood,
      restorable_until: restorableUntil,
      restored: [],
      warnings: plan.warnings,
    },
    deleted.map((id) => `${output.paint("green", "deleted")} ${id}`),
  );
  const [one, ...others] = deleted.filter((id) => !goneForGood.includes(id));
  if (one !== undefined) {
    const until = restorableUntil === null ? "" : ` until ${exactTime(restorableUntil)}`;
    const undo =
      others.length === 0 ? `${one}\` restores it` : "--all` restores everything deleted";
    output.say(`\`waymark delete --undo ${undo}${until}`);
  }
}

function confirmDeletion(output: Output, plan: DeletionPlan, isForGood: boolean): Promise<boolean> {
  const about = plan.stored.map((stored) => {
    if (stored.kind !== "ok") return `  ${stored.id}  (${stored.kind})`;
    const { trigger, created_at, reason, name } = stored.document;
    return `  ${stored.id}  ${TRIGGER_WORDS[trigger]}  ${exactTime(created_at)}  ${oneLine(reason ?? name ?? "")}`.trimEnd();
  });
  return confirm(output, {
    lines: [
      ...about,
      ...plan.warnings.map((warning) => `${output.paintTalk("yellow", "warning:")} ${warning}`),
    ],
    question: `Delete ${counted(about.length, "checkpoint")}${isForGood ? " for good" : ""}?`,
    hint: "Add --yes. Nothing was changed.",
  });
}

async function runUndo(
  output: Output,
  project: Project,
  selectors: readonly string[],
  reason: string | null,
): Promise<void> {
  const restored = await undeleteCheckpoints(project, selectors, reason);
  output.result(
    "delete",
    { deleted: [], gone_for_good: [], restorable_until: null, restored },
    restored.map((id) => `${output.paint("green", "restored")} ${id}`),
  );
  output.say("`waymark pin ID` protects it from cleanup");
}

async function showDeleted(output: Output, project: Project): Promise<void> {
  const all = await listDeleted(project);
  const now = project.clock.now();
  output.result(
    "delete",
    {
      deleted: [],
      gone_for_good: [],
      restorable_until: null,
      restored: [],
      restorable: all.map(({ id, deletedAt, by, why, until }) => ({
        id,
        deleted_at: deletedAt,
        by,
        why,
        until,
      })),
    },
    all.length === 0
      ? []
      : printedTable<Deleted>(
          output,
          [
            { title: "ID", cell: ({ id }) => id },
            {
              title: "DELETED",
              cell: ({ deletedAt }) =>
                deletedAt === null ? "not recorded" : relativeTime(deletedAt, now),
            },
            {
              title: "GONE",
              cell: ({ until }) => (until === null ? "" : relativeTime(until, now)),
            },
            {
              title: "MESSAGE",
              cell: ({ stored }) => (stored.kind === "ok" ? titleOf(stored.document) : ""),
              cutTo: 24,
            },
            { title: "REASON", cell: ({ why }) => why ?? "", giveWay: 1 },
          ],
          all,
        ),
  );
  if (all.length === 0) output.say("no deleted checkpoint can be restored");
}
