/** What a live view of a run shows: made of events, drawn as lines that fit the terminal. */
import type { RunEvent } from "../../../domain/workflow/run-event.ts";
import { oneLine } from "../printable.ts";
import type { Paint, Style } from "../style.ts";
import { cut } from "../table.ts";
import { elapsed } from "./elapsed.ts";

type Mark = "pending" | "running" | "stopped" | "completed" | "failed" | "skipped";

interface PhaseRow {
  readonly name: string;
  readonly step: number;
  mark: Mark;
  attempt: number;
  since: number | undefined;
  durationMs: number | undefined;
}

interface NodeRow {
  readonly name: string;
  readonly since: number;
  line: string;
}

const MARKS: Readonly<Record<Mark, readonly [sign: string, style: Style]>> = {
  pending: ["○", "dim"],
  running: ["▶", "cyan"],
  stopped: ["■", "yellow"],
  completed: ["✔", "green"],
  failed: ["✖", "red"],
  skipped: ["–", "dim"],
};

export class RunPicture {
  readonly #now: () => number;
  readonly #shownId: (checkpointId: string) => string;
  #phases: PhaseRow[] = [];
  /** Running ones. */
  readonly #nodes = new Map<string, NodeRow>();
  #doing: string | undefined;
  #checkpoint: string | undefined;
  /** For those who watch: what the session is doing. */
  standing: string | undefined;
  /** When the process of the run was last seen, if it ended without a word: nothing goes on since. */
  diedAt: number | undefined;

  constructor(now: () => number, shownId = (id: string): string => id) {
    this.#now = now;
    this.#shownId = shownId;
  }

  add(event: RunEvent): void {
    switch (event.event) {
      case "session_started":
      case "session_resumed":
        this.#phases = event.phases.map(rowOf);
        break;
      case "phase_started":
        this.#change(event, {
          mark: "running",
          attempt: event.attempt,
          since: this.#begun(event),
          durationMs: undefined,
        });
        break;
      case "phase_finished":
        this.#doing = undefined;
        this.#change(event, { mark: event.status, durationMs: event.duration_ms });
        break;
      case "node_started":
        this.#nodes.set(event.node, {
          name: oneLine(event.node),
          since: this.#begun(event),
          line: "",
        });
        break;
      case "node_output": {
        const node = this.#nodes.get(event.node);
        if (node !== undefined) node.line = oneLine(event.line);
        break;
      }
      case "node_finished":
        this.#nodes.delete(event.node);
        break;
      case "verify_started":
        this.#doing = `check: ${oneLine(event.command)}`;
        break;
      case "verify_finished":
        this.#doing = undefined;
        break;
      case "rolled_back":
        this.#checkpoint = event.checkpoint_id;
        if (event.phases === undefined) break;
        this.#phases = event.phases.map(rowOf);
        this.#nodes.clear();
        this.#doing = undefined;
        break;
      case "checkpoint_created":
        this.#checkpoint = event.checkpoint_id;
        break;
      case "session_ended":
        for (const { name, step, mark, since } of this.#phases) {
          if (mark !== "running") continue;
          const durationMs =
            since === undefined ? undefined : Math.max(0, this.#begun(event) - since);
          this.#change({ phase: name, step }, { mark: "stopped", durationMs });
        }
        this.#nodes.clear();
        this.#doing = undefined;
        this.#checkpoint = event.checkpoint_id ?? this.#checkpoint;
        break;
      default:
    }
  }

  /** At most `rows` lines, each of at most `columns` columns. */
  lines(columns: number, rows: number, paint: Paint): string[] {
    const total = this.#phases.length;
    if (total === 0) {
      return this.standing === undefined ? [] : [paint("dim", fit(this.standing, columns))];
    }
    const done = this.#phases.filter(({ mark }) => mark === "completed" || mark === "skipped");
    const foot = [
      `${done.length}/${total}`,
      ...(this.#checkpoint === undefined ? [] : [this.#shownId(this.#checkpoint)]),
      ...(this.standing === undefined ? [] : [this.standing]),
    ];
    const below = [
      ...[...this.#nodes.values()].map((node) => this.#nodeLine(node)),
      ...(this.#doing === undefined ? [] : [`  ${this.#doing}`]),
    ];
    const room = Math.max(1, rows - 1);
    const shown = this.#window(Math.max(1, room - below.length));
    const painted = shown.flatMap((phase) => {
      const isDead = phase.mark === "running" && this.diedAt !== undefined;
      const [sign, style] = MARKS[isDead ? "stopped" : phase.mark];
      const line = paint(style, fit(`${sign} ${this.#phaseText(phase)}`, columns));
      return phase.mark === "running"
        ? [line, ...below.map((text) => fit(`  ${text}`, columns))]
        : [line];
    });
    return [...painted.slice(0, room), paint("dim", fit(foot.join("  "), columns))];
  }

  /** The phases around the one that runs, where not all have room. */
  #window(room: number): readonly PhaseRow[] {
    if (this.#phases.length <= room) return this.#phases;
    const current = Math.max(
      0,
      this.#phases.findLastIndex(({ mark }) => mark !== "pending"),
    );
    const from = Math.min(Math.max(0, current - 1), this.#phases.length - room);
    return this.#phases.slice(from, from + room);
  }

  #phaseText({ name, mark, attempt, since, durationMs }: PhaseRow): string {
    const again = attempt > 1 ? `  attempt ${attempt}` : "";
    if (durationMs !== undefined && mark !== "skipped") {
      return `${oneLine(name)}  ${elapsed(durationMs)}${again}`;
    }
    return mark === "running" && since !== undefined
      ? `${oneLine(name)}  ${this.#elapsedSince(since)}${again}`
      : oneLine(name);
  }

  #nodeLine({ name, since, line }: NodeRow): string {
    const said = this.diedAt === undefined ? line : "stopped: its process ended";
    return `${name}  ${this.#elapsedSince(since)}${said === "" ? "" : `  ${said}`}`;
  }

  #elapsedSince(since: number): string {
    return elapsed(Math.max(0, (this.diedAt ?? this.#now()) - since));
  }

  /** It may be some time ago for those who watch. */
  #begun({ at }: RunEvent): number {
    const time = Date.parse(at);
    return Number.isNaN(time) ? this.#now() : time;
  }

  /** Phases that are run one by one are not known before. */
  #change(
    { phase: name, step }: { readonly phase: string; readonly step: number },
    change: Partial<PhaseRow>,
  ): void {
    const known = this.#phases.find((phase) => phase.name === name);
    const changed = { ...(known ?? rowOf({ name, step, status: "pending" })), ...change };
    this.#phases = [...this.#phases.filter((phase) => phase !== known), changed].toSorted(
      (left, right) => left.step - right.step,
    );
  }
}

function rowOf({ name, step, status }: Pick<PhaseRow, "name" | "step"> & { status: string }) {
  const mark: Mark = isMark(status) ? status : "pending";
  return { name, step, mark, attempt: 1, since: undefined, durationMs: undefined };
}

function fit(text: string, columns: number): string {
  return cut(text, Math.max(1, columns));
}

function isMark(status: string): status is Mark {
  return Object.hasOwn(MARKS, status);
}
