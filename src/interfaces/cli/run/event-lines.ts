/** What happens in a run, as lines for people: all of it where lines are printed, the remarkable where there is a live view. */
import { shortBranch } from "../../../domain/branch-name.ts";
import { TRIGGER_WORDS } from "../../../domain/trigger-words.ts";
import type { LeftCommit, RunEvent } from "../../../domain/workflow/run-event.ts";
import { oneLine } from "../printable.ts";
import { counted } from "../units.ts";
import { elapsed } from "./elapsed.ts";

export interface EventLine {
  readonly text: string;
  /** warning: worth a word, whatever else is shown. */
  readonly weight: "usual" | "remarkable" | "warning";
}

const usual = (text: string): EventLine[] => [{ text: oneLine(text), weight: "usual" }];
const remarkable = (text: string): EventLine[] => [{ text: oneLine(text), weight: "remarkable" }];
const warning = (text: string): EventLine[] => [{ text: oneLine(text), weight: "warning" }];

export function eventLines(event: RunEvent): readonly EventLine[] {
  switch (event.event) {
    case "session_started":
      return remarkable(`session ${event.session_id}: ${event.workflow}`);
    case "session_resumed":
      return remarkable(`session ${event.session_id} resumed: ${event.workflow}`);
    case "phase_started": {
      const again = event.attempt === 1 ? "" : `, attempt ${event.attempt}`;
      return usual(`phase ${event.step}/${event.of} ${event.phase}${again}`);
    }
    case "phase_finished":
      return phaseLine(event);
    case "checkpoint_created":
      // The last lines of a run name the last one.
      return event.trigger === "session_end" || event.trigger === "user_interrupt"
        ? []
        : usual(`checkpoint ${event.checkpoint_id} (${event.reason ?? event.trigger})`);
    case "checkpoint_failed":
      return [
        ...warning(
          `no checkpoint could be created (${TRIGGER_WORDS[event.trigger]}): ${event.error}`,
        ),
        ...remarkable(`${ANSWERS[event.answer]}. ${event.hint}`),
      ];
    case "batch_started":
      return event.nodes.length === 1 ? [] : usual(`in parallel: ${event.nodes.join(", ")}`);
    case "node_started":
      return usual(
        `${event.node}: started${event.attempt === 1 ? "" : `, attempt ${event.attempt}`}`,
      );
    case "node_output":
      return [];
    case "node_finished":
      return nodeLine(event);
    case "node_retrying":
      return remarkable(
        `${event.node}: retrying: ${event.reason}` +
          (event.checkpoint_id === null ? "" : `; from ${event.checkpoint_id}`),
      );
    case "verify_started":
      return usual(`check: ${event.command}`);
    case "verify_finished":
      return event.ok
        ? usual(`check: ${event.command}: ok`)
        : remarkable(`check: ${event.command}: ${event.error ?? "failed"} (${event.log})`);
    case "conflict_found":
      return warning(`the changes of ${event.node} conflict in ${event.paths.join(", ")}`);
    case "conflict_resolved":
      return remarkable(`the conflicts with ${event.node} are resolved`);
    case "state_conflict":
      return warning(
        `${event.nodes.join(" and ")} set ${event.key === null ? "the state" : `${event.key} in the state`} to different values; ` +
          `using that of ${event.winner}, the others are in the session (state_conflicts)`,
      );
    case "breakpoint":
      return usual(`breakpoint after ${event.phase}: ${event.answer}`);
    case "request_obeyed":
      return remarkable(`${event.by ?? "another terminal"} asked: ${event.command}`);
    case "request_refused":
      return warning(`${event.by ?? "another terminal"} asked: ${event.command}: ${event.reason}`);
    case "rolled_back":
      return [
        ...remarkable(
          event.rollback_kind === "undo"
            ? `a rollback was undone: restored ${event.checkpoint_id}; redo with: waymark redo`
            : `rolled back to ${event.checkpoint_id}; undo with: waymark undo`,
        ),
        ...leftCommits(event.commits_left),
      ];
    case "warning":
      return warning(event.message);
    case "session_ended":
      return [];
  }
}

const MOST_COMMITS = 5;

/** Commits of a node, or of a user who worked beside it. */
function leftCommits(commits: readonly LeftCommit[]): EventLine[] {
  if (commits.length === 0) return [];
  const named = commits
    .slice(0, MOST_COMMITS)
    .map(({ branch, commit, subject }) => {
      return `${commit.slice(0, 8)} ${subject} (${shortBranch(branch)})`;
    })
    .join(", ");
  const more = commits.length > MOST_COMMITS ? ` and ${commits.length - MOST_COMMITS} more` : "";
  const text = `${counted(commits.length, "commit")} dropped from a branch: ${named}${more}; restore one with: git cherry-pick`;
  return warning(text);
}

const ANSWERS = {
  retry: "Retrying",
  skip: "Continuing without it, at your own risk",
  pause: "The session is paused",
  fail: "The session is paused",
} as const;

function nodeLine(event: Extract<RunEvent, { event: "node_finished" }>): EventLine[] {
  const { node, phase, status, error, log } = event;
  if (status === "completed") return usual(`${node}: done in ${elapsed(event.duration_ms)}`);
  if (status === "interrupted") return usual(`${node}: interrupted`);
  // The only node of its phase: the end of the phase says it.
  return node === phase ? [] : remarkable(`${node}: ${error ?? status} (${log})`);
}

function phaseLine(event: Extract<RunEvent, { event: "phase_finished" }>): EventLine[] {
  switch (event.status) {
    case "completed":
      return usual(`phase ${event.phase}: done in ${elapsed(event.duration_ms)}`);
    case "skipped":
      return remarkable(
        `phase ${event.phase}: skipped${event.reason === undefined ? "" : `; ${event.reason}`}`,
      );
    case "failed":
      return usual(`phase ${event.phase}: failed after ${elapsed(event.duration_ms)}`);
  }
}
