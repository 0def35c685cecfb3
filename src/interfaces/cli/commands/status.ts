/** `waymark status` */
import { agentTitle } from "../../../domain/agents/agents.ts";
import { titleOf } from "../../../domain/checkpoint-glance.ts";
import { isEnded } from "../../../domain/workflow/session-status.ts";
import {
  hooksStatus,
  isProtected,
  isUsedHere,
  type AgentStatus,
} from "../../../operations/agent-hooks/hooks-status.ts";
import { killedGuardText, killedHere } from "../../../operations/killed-guards.ts";
import { unfinishedDocument } from "../../../operations/documents/recovery-document.ts";
import {
  projectStatus,
  type NextStep,
  type ProjectStatus,
} from "../../../operations/project-status.ts";
import { listDeleted } from "../../../operations/undelete-checkpoints.ts";
import { placeLine, restorableText } from "../checkpoint-table.ts";
import { withListedScope } from "../../../operations/documents/scope-document.ts";
import type { Context } from "../command-spec.ts";
import { openSetup } from "../hooks-command.ts";
import type { Output } from "../output.ts";
import { oneLine } from "../printable.ts";
import { counted, relativeTime } from "../units.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  for (const mark of killedHere(project)) output.warn(killedGuardText(mark));
  const status = await projectStatus(project, (said) => output.warn(said));
  const found = hooksStatus(await openSetup(context, true), [], undefined).agents;
  const agents = found.filter(isUsedHere);
  const deleted = status.last === undefined ? (await listDeleted(project)).length : 0;
  output.result(
    "status",
    () => statusDocument(status, agents),
    lines(status, agents, { output, now: project.clock.now(), deleted }),
  );
}

function statusDocument(status: ProjectStatus, agents: readonly AgentStatus[]) {
  const { place, session, stopped, last, changed, unfinished } = status;
  return {
    branch: place.kind === "branch" ? place.name : null,
    operation: status.operation ?? null,
    session_id: session?.id ?? null,
    session_status: session?.status ?? null,
    phase: session?.current_phase ?? null,
    step: session?.current_step ?? null,
    checkpoints: status.checkpoints,
    damaged: status.damaged,
    newer: status.newer,
    last_checkpoint: last === undefined ? null : withListedScope(last),
    changed_since: changed ?? null,
    undo: stepDocument(status.undo),
    redo: stepDocument(status.redo),
    unfinished_rollback: unfinished === undefined ? null : unfinishedDocument(unfinished),
    stopped: stopped ?? null,
    interrupted: stopped !== undefined && stopped.kind !== "failed",
    resume_command: stopped === undefined ? null : `waymark resume ${session?.id ?? ""}`,
    agents: agents.map((agent) => ({
      agent: agent.agent,
      hooks_installed: isProtected(agent),
      trust: agent.trust.state,
    })),
  };
}

function stepDocument(step: NextStep | undefined) {
  if (step === undefined) return null;
  return {
    rollback_id: step.rollbackId,
    went_to: step.wentTo,
    returns_to: step.target.id,
    reverts_later_work: step.revertsLaterWork,
  };
}

interface Look {
  readonly output: Output;
  readonly now: Date;
  /** Checkpoints that can be restored, where there are no others. */
  readonly deleted: number;
}

/** Of the longest, and the gap behind it. */
const LABEL_WIDTH = 17;

function lines(
  status: ProjectStatus,
  agents: readonly AgentStatus[],
  { output, now, deleted }: Look,
): string[] {
  const { last, changed, session, stopped, undo, redo, unfinished, place } = status;
  const { paint } = output;
  const line = (label: string, text: string): string =>
    paint("dim", label.padEnd(LABEL_WIDTH)) + text;
  const where = {
    sessionId: session?.id ?? "",
    hasStarted: session !== undefined && !isEnded(session.status),
  };
  const since = ({ doneAt, revertsLaterWork }: NextStep): string =>
    (doneAt === undefined ? "" : ` made ${relativeTime(doneAt, now)}`) +
    (revertsLaterWork ? paint("yellow", ", and what changed since") : "");
  return [
    line("on", placeLine(where, place, status.checkpoints, status.operation)),
    ...(session === undefined ? [] : [line("session", sessionText(session, stopped))]),
    line(
      "last checkpoint",
      last === undefined
        ? deleted > 0
          ? `none; ${restorableText(deleted)}`
          : "none yet; `waymark create` creates one"
        : `${output.id(last.id)} ${relativeTime(last.created_at, now)}: ${oneLine(titleOf(last))}`,
    ),
    ...(last === undefined ? [] : [line("changed since", changeText(changed, output))]),
    ...(status.damaged === 0
      ? []
      : [
          line(
            "damaged",
            paint("yellow", `${counted(status.damaged, "checkpoint")} (\`waymark validate\`)`),
          ),
        ]),
    ...(status.newer === 0
      ? []
      : [
          line(
            "newer",
            paint("yellow", `${counted(status.newer, "checkpoint")} of a newer Waymark; update it`),
          ),
        ]),
    ...(undo === undefined
      ? []
      : [line("undo", `reverts the rollback to ${undo.wentTo}${since(undo)} (\`waymark undo\`)`)]),
    ...(redo === undefined
      ? []
      : [
          line(
            "redo",
            `repeats the rollback to ${redo.wentTo}${redo.revertsLaterWork ? paint("yellow", ", and reverts what changed since") : ""} (\`waymark redo\`)`,
          ),
        ]),
    ...(unfinished === undefined
      ? []
      : [
          line(
            "interrupted",
            paint(
              "yellow",
              unfinished.owner.mayBeAtWork
                ? `a rollback to ${unfinished.targetId} is in progress`
                : `a rollback to ${unfinished.targetId}; \`waymark recover\` finishes or reverts it`,
            ),
          ),
        ]),
    ...(stopped === undefined
      ? []
      : [
          line(
            stopped.kind,
            paint(
              "yellow",
              `${stopped.phase === null ? "" : `phase ${oneLine(stopped.phase)} of `}${session?.id ?? ""}; \`waymark resume\` continues it`,
            ),
          ),
        ]),
    ...agentLines(agents, line, output),
  ];
}

function sessionText(
  {
    status,
    current_phase: phase,
    current_step: step,
    completed_phases: completed,
    total_phases: total,
  }: NonNullable<ProjectStatus["session"]>,
  stopped: ProjectStatus["stopped"],
): string {
  const parts = [
    // Of one whose process was killed the document still says active.
    stopped?.kind ?? status,
    ...(phase === null ? [] : [`phase ${oneLine(phase)}`]),
    ...(step === null ? [] : [`step ${step}`]),
    ...(total === 0 ? [] : [`${completed} of ${counted(total, "phase")} done`]),
  ];
  return parts.join(", ");
}

function changeText(changed: ProjectStatus["changed"], { paint }: Output): string {
  if (changed === undefined) return "not known: its files cannot be read";
  const commits = changed.commits === 0 ? "" : `; ${counted(changed.commits, "commit")}`;
  if (changed.files === 0) return commits === "" ? "nothing" : `nothing in files${commits}`;
  const lines = [
    ...(changed.added > 0 ? [paint("green", `+${changed.added}`)] : []),
    ...(changed.removed > 0 ? [paint("red", `-${changed.removed}`)] : []),
  ];
  return [...lines, `in ${counted(changed.files, "file")} (\`waymark diff\`)`].join(" ") + commits;
}

function agentLines(
  agents: readonly AgentStatus[],
  line: (label: string, text: string) => string,
  { paint }: Output,
): string[] {
  const names = (chosen: readonly AgentStatus[]): string =>
    chosen.map(({ agent }) => agentTitle(agent)).join(", ");
  const covered = agents.filter(isProtected);
  const open = agents.filter((agent) => !isProtected(agent));
  const untrusted = covered.filter(({ trust }) => ["not_trusted", "off"].includes(trust.state));
  return [
    ...(covered.length === 0 ? [] : [line("agent hooks", names(covered))]),
    ...(untrusted.length === 0
      ? []
      : [
          line("", paint("yellow", `not active for ${names(untrusted)}: \`waymark hooks status\``)),
        ]),
    ...(open.length === 0
      ? []
      : [
          line(
            "no agent hooks",
            paint("yellow", `${names(open)}; \`waymark hooks install\` adds them`),
          ),
        ]),
  ];
}
