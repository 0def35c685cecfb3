/** One session as a page for people. */
import { shortBranch } from "../../domain/branch-name.ts";
import { isRecord } from "../../domain/is-record.ts";
import { redactValue } from "../../domain/secrets/redact.ts";
import type { NodeProgress, PhaseProgress } from "../../domain/workflow/progress.ts";
import { isEnded } from "../../domain/workflow/session-status.ts";
import type { SessionDescription } from "../../operations/describe-session.ts";
import { oneLine } from "./printable.ts";
import { runnerText, STATUS_STYLES } from "./session-table.ts";
import type { Paint, Style } from "./style.ts";
import { cut } from "./table.ts";
import { clockTime, counted, exactTime, relativeTime } from "./units.ts";
import { leftOut } from "./left-out.ts";

const LABEL_WIDTH = 12;
const MOST_LINES = 12;
const MOST_COLUMNS = 160;

export function sessionPage(session: SessionDescription, paint: Paint, now: Date): string[] {
  const page = new Page(paint);
  const at = (time: string): string => `${exactTime(time)} (${relativeTime(time, now)})`;
  const optional = (time: string | null): string | null => (time === null ? null : at(time));
  const { progress, lease } = session;
  page.title(session.id);
  page.line("status", paint(STATUS_STYLES[session.status] ?? "bold", session.status));
  page.given("type", session.workflow_type);
  page.given("project", session.project_name);
  page.given("about", session.description ?? session.topic);
  page.given("task", session.task_id);
  page.given("issue", issueText(session));
  page.given("branch", session.branch === null ? null : shortBranch(session.branch));
  page.given("work tree", session.worktree_id);
  page.given("started", at(session.created_at));
  page.given("last active", at(session.last_activity_at));
  page.given("ended", optional(session.ended_at));
  page.given("archived", optional(session.archived_at));
  page.given(
    "run by",
    lease.holder === null ? "no process" : `${runnerText(session)}: ${lease.purpose ?? "?"}`,
  );
  page.given("requested", session.requests.map(({ command }) => command).join(", ") || null);
  const { last_error: error } = session;
  // A run that stopped in order has no error: this is why it stopped.
  const hasStopped = session.status === "paused" || session.status === "interrupted";
  page.given(
    hasStopped ? "stopped" : "last error",
    error === null ? null : `${error.message} (${relativeTime(error.at, now)})`,
  );
  page.section(
    progress.total === 0
      ? "Progress"
      : `Progress: ${progress.completed} of ${counted(progress.total, "phase")}${leftOut(progress)}, ${progress.percent} %`,
    [
      ...page.labelled("phase", session.current_phase),
      ...page.labelled("step", session.current_step),
      ...page.labelled("iteration", isAtStep(session) ? session.iteration_count : null),
      ...page.labelled("resume from", recordedPoint(session)),
      ...page.labelled("state label", session.state_label),
      ...session.phases.map((phase) => phaseLine(phase, session, paint)),
    ],
  );
  page.section("Graph", graphLines(session, paint));
  page.section("State", valueLines(session.state));
  page.section("Outputs", valueLines(session.outputs));
  page.section("Agent outputs", agentLines(session));
  page.section("Team", teamLines(session));
  page.section("Messages", idLines(session.message_state));
  page.section("Knowledge", idLines(session.knowledge_context));
  page.section("Metrics", valueLines(session.metrics));
  page.section("Files modified", fileLines(session, paint));
  page.section("Checkpoints", [
    ...page.labelled("current", session.current_checkpoint),
    ...page.labelled("count", session.checkpoint_count || null),
    ...page.labelled("last", optional(session.last_checkpoint_at)),
    ...page.labelled("pinned", Object.keys(session.pinned).length || null),
    ...session.invalidated_checkpoints.map(({ id, invalidated_by }) =>
      paint("yellow", `  ${id} was rolled past by ${rollbackText(session, invalidated_by, now)}`),
    ),
  ]);
  page.section(
    "Rollbacks",
    session.rollback_history.map(
      ({ kind, at: time, to_id, by, reason }) =>
        `  ${relativeTime(time, now)}: ${kind} to ${to_id} by ${by ?? "?"}${reason === null ? "" : `: ${reason}`}`,
    ),
  );
  return page.lines;
}

function isAtStep({ current_phase, current_step }: SessionDescription): boolean {
  return current_phase !== null || current_step !== null;
}

/** What a record of another tool says. */
function recordedPoint({ recovery_info: info, status }: SessionDescription): string | null {
  const point = isRecord(info) && !isEnded(status) ? info["resume_from"] : null;
  return typeof point === "string" ? point : null;
}

/** When it was: nobody knows a rollback by its id. */
function rollbackText(
  { rollback_history: history }: SessionDescription,
  rollbackId: string | null,
  now: Date,
): string {
  const at = history.find(({ id }) => id === rollbackId)?.at;
  return at === undefined ? "a rollback" : `the rollback at ${clockTime(at, now)}`;
}

class Page {
  readonly lines: string[] = [];
  readonly #paint: Paint;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  title(text: string): void {
    this.lines.push(this.#paint("bold", oneLine(text)));
  }

  line(label: string, text: string): void {
    this.lines.push(this.#labelled(label, text));
  }

  given(label: string, value: string | number | null): void {
    this.lines.push(...this.labelled(label, value));
  }

  labelled(label: string, value: string | number | null): string[] {
    return value === null ? [] : [this.#labelled(label, oneLine(String(value)))];
  }

  /** Long ones are cut: `--json` has all of it. */
  section(title: string, all: readonly string[]): void {
    if (all.length === 0) return;
    const shown = all.slice(0, MOST_LINES);
    const rest = all.length - shown.length;
    this.lines.push(
      "",
      this.#paint("bold", title),
      ...shown,
      ...(rest === 0 ? [] : [this.#paint("dim", `  … and ${rest} more: --json has them`)]),
    );
  }

  #labelled(label: string, text: string): string {
    return `  ${this.#paint("dim", label.padEnd(LABEL_WIDTH))} ${text}`;
  }
}

function issueText({ issue_number, issue_snapshot }: SessionDescription): string | null {
  if (issue_number === null) return null;
  const title = issue_snapshot?.title;
  return title === undefined ? `#${issue_number}` : `#${issue_number} ${title}`;
}

const MARKS: Readonly<Record<string, readonly [mark: string, style: Style]>> = {
  completed: ["✔", "green"],
  running: ["▸", "cyan"],
  stopped: ["■", "yellow"],
  failed: ["✘", "red"],
  skipped: ["-", "dim"],
  unknown: ["?", "yellow"],
  pending: ["○", "dim"],
};

function marked(status: string, text: string, paint: Paint): string {
  const [mark, style] = MARKS[status] ?? ["○", "dim"];
  return `  ${paint(style, mark)} ${text}`;
}

/** What was running when the session stopped is not running now, although a resume continues it. */
function standing(status: string, { status: ofSession, lease }: SessionDescription): string {
  const hasStopped = ofSession !== "active" || (lease.holder !== null && lease.alive === false);
  return status === "running" && hasStopped ? "stopped" : status;
}

function phaseLine(phase: PhaseProgress, session: SessionDescription, paint: Paint): string {
  const { name, step, attempts, error } = phase;
  const status = standing(phase.status, session);
  const tries = attempts > 1 ? `, ${counted(attempts, "attempt")}` : "";
  const why = error === null ? "" : `: ${error}`;
  return marked(status, oneLine(`${step} ${name} (${status}${tries})${why}`), paint);
}

function graphLines(session: SessionDescription, paint: Paint): string[] {
  const { execution_graph: graph } = session;
  if (graph === null) return [];
  const batch = graph.current_batch === null ? [] : [`  batch ${graph.current_batch}`];
  const nodes = Object.entries(graph.nodes).map(([id, node]) => {
    return nodeLine(id, node, standing(node.status, session), paint);
  });
  return [...batch, ...nodes];
}

function nodeLine(id: string, node: NodeProgress, status: string, paint: Paint): string {
  const { needs, error } = node;
  const after = needs.length === 0 ? "" : ` after ${needs.join(", ")}`;
  const why = error === null ? "" : `: ${error}`;
  return marked(status, oneLine(`${id} (${status})${after}${why}`), paint);
}

/** What looks like a secret in a state is not for the screen. */
function valueLines(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const clean = redactValue(value);
  const entries: [string, unknown][] =
    typeof clean === "object" && clean !== null ? Object.entries(clean) : [["", clean]];
  return entries.map(([name, inner]) => {
    const shown = typeof inner === "string" ? inner : JSON.stringify(inner);
    return cut(`  ${oneLine(name === "" ? shown : `${name}: ${shown}`)}`, MOST_COLUMNS);
  });
}

function agentLines({ agent_outputs }: SessionDescription): string[] {
  return Object.entries(agent_outputs).flatMap(([agent, tasks]) =>
    Object.entries(tasks).map(([task, { output_summary, output_location }]) => {
      const what = [output_summary, output_location].filter((part) => part !== null).join(", ");
      return cut(`  ${oneLine(`${agent} ${task}: ${what}`)}`, MOST_COLUMNS);
    }),
  );
}

function teamLines({ team_state: team }: SessionDescription): string[] {
  return (team?.members ?? []).map(({ agent, role, status, tasks_completed, tasks_pending }) =>
    oneLine(
      `  ${agent} (${[role, status].filter((part) => part !== null).join(", ")}): ${tasks_completed} done, ${tasks_pending} to do`,
    ),
  );
}

function idLines(lists: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(lists)
    .filter(([, ids]) => Array.isArray(ids) && ids.length > 0)
    .map(([name, ids]) =>
      cut(`  ${oneLine(`${name}: ${(ids as unknown[]).join(", ")}`)}`, MOST_COLUMNS),
    );
}

function fileLines({ files_modified: files }: SessionDescription, paint: Paint): string[] {
  if (files === null) return ["  unknown: `waymark validate` shows why"];
  const looks = {
    created: ["+", "green"],
    modified: ["~", "yellow"],
    deleted: ["-", "red"],
  } as const;
  return files.map(({ path, status, staged }) => {
    const [mark, style] = looks[status];
    return paint(style, `  ${mark} ${oneLine(path)}${staged ? " (staged)" : ""}`);
  });
}
