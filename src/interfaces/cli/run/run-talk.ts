/** Tells what happens in a run: as JSON lines, as a live view, or as lines. */
import type { RunEvent } from "../../../domain/workflow/run-event.ts";
import type { NodeOutput } from "../../../operations/run/run-options.ts";
import type { RunResult } from "../../../operations/run/run-workflow.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { eventLines } from "./event-lines.ts";
import { elapsed } from "./elapsed.ts";
import type { LivePrompt } from "./live-prompt.ts";
import { LiveView } from "./live-view.ts";
import { PassedOutput } from "./node-output.ts";
import { PatientStream } from "./patient-stream.ts";
import { RunPicture } from "./run-picture.ts";
import type { Paint } from "../style.ts";
import { wayBack } from "../way-back.ts";

export class RunTalk {
  readonly #output: Output;
  readonly #picture: RunPicture;
  readonly #view: LiveView | undefined;
  readonly #passed: PassedOutput | undefined;
  /** Only looks on: what a run says at its end is said here too. */
  readonly #isWatching: boolean;
  #durationMs = 0;
  #batchCheckpoint: RunEvent | undefined;

  constructor(output: Output, isPlain: boolean, prompt?: LivePrompt) {
    this.#output = output;
    this.#picture = new RunPicture(Date.now, (id) => output.forReader(id));
    this.#isWatching = prompt !== undefined;
    const { json, quiet } = output.options;
    const { stderr } = process;
    const isLive = !json && !quiet && !isPlain && stderr.isTTY && process.env["TERM"] !== "dumb";
    if (isLive) {
      const frame = (columns: number, rows: number): string[] =>
        this.#picture.lines(columns, rows, output.paintTalk);
      this.#view = new LiveView(stderr, frame, prompt);
      this.#view.begin();
    }
    if (!isLive && !quiet) {
      const streams = {
        stdout: new PatientStream(process.stdout),
        stderr: new PatientStream(stderr),
      };
      this.#passed = new PassedOutput((stream, bytes) =>
        streams[json ? "stderr" : stream].write(bytes),
      );
    }
  }

  tell(event: RunEvent): void {
    if (event.event === "session_ended") this.#durationMs = event.duration_ms;
    if (event.event === "node_finished") this.#passed?.finish(event.node);
    if (this.#output.options.json) {
      this.#output.line("run_event", { ...event });
      return;
    }
    this.#picture.add(event);
    if (!this.#holdsBack(event)) this.#print(event);
    if (this.#isWatching && event.event === "session_ended") this.#printEnd(event);
    this.#view?.draw();
  }

  /** The checkpoint of a phase follows that of its last batch, with the same words: one line is enough. */
  #holdsBack(event: RunEvent): boolean {
    const held = this.#batchCheckpoint;
    switch (event.event) {
      case "checkpoint_created":
        this.#batchCheckpoint = event.trigger === "batch_complete" ? event : undefined;
        return this.#batchCheckpoint !== undefined;
      case "batch_started":
      case "node_started":
        this.#batchCheckpoint = undefined;
        if (held !== undefined) this.#print(held);
        return false;
      case "rolled_back":
        this.#batchCheckpoint = undefined;
        return false;
      default:
        return false;
    }
  }

  #print(event: RunEvent): void {
    for (const { text, weight } of eventLines(event)) {
      if (weight === "warning") this.warn(text);
      else if (this.#view === undefined) this.#output.say(text);
      else if (weight === "remarkable") this.#view.above(this.#output.forReader(printable(text)));
    }
  }

  #printEnd(event: Extract<RunEvent, { event: "session_ended" }>): void {
    const result = {
      sessionId: event.session_id,
      status: event.status as RunResult["status"],
      reason: event.reason,
      hint: event.hint,
      resumeCommand: event.resume_command,
      rollbackCommand: event.rollback_command,
      checkpointId: event.checkpoint_id,
      passedOver: [],
    };
    const lines = closingLines(result, event.duration_ms, this.#output, this.isLive);
    for (const line of lines) this.say(line);
  }

  /** A line that stays; may be painted. */
  say(line: string): void {
    if (this.#view === undefined) this.#output.page([line]);
    else this.#view.above(this.#output.forReader(line));
  }

  passOn(output: NodeOutput): Promise<void> | undefined {
    return this.#passed?.add(output);
  }

  warn(text: string): void {
    if (this.#view === undefined) this.#output.warn(text);
    else {
      const line = `${this.#output.paintTalk("yellow", "warning:")} ${printable(text)}`;
      this.#view.above(this.#output.forReader(line));
    }
  }

  get isLive(): boolean {
    return this.#view !== undefined;
  }

  /** For those who watch: what the session is doing, below its phases, and when its process was last seen if that ended without a word. */
  showStanding(text: string, diedAt?: number): void {
    this.#picture.standing = text;
    this.#picture.diedAt = diedAt;
    this.#view?.draw();
  }

  /** The terminal belongs to a question meanwhile. */
  aside<Result>(work: () => Promise<Result>, rows?: number): Promise<Result> {
    return this.#view === undefined ? work() : this.#view.aside(work, rows);
  }

  stop(): void {
    this.#view?.end();
  }

  /** What came of it; the last line says how to go on. With --json the last event has said it. */
  conclude(result: RunResult): void {
    this.stop();
    if (this.#output.options.json) return;
    const lines = closingLines(result, this.#durationMs, this.#output, this.isLive);
    this.#output.question(lines);
  }
}

function closingLines(
  result: Omit<RunResult, "exitCode">,
  durationMs: number,
  output: Output,
  isLive: boolean,
): string[] {
  const { status, hint, sessionId, resumeCommand, rollbackCommand, checkpointId } = result;
  const paint = output.paintTalk;
  const isGood = status === "completed";
  if (isGood && output.options.quiet) return [];
  const took = durationMs === 0 ? "" : ` in ${elapsed(durationMs)}`;
  const head = isGood
    ? paint("green", `completed${took}: session ${sessionId}`)
    : endText(result, paint);
  // The last line of a live view names it.
  const where = checkpointId === null || isLive ? [] : [`checkpoint ${checkpointId}`];
  const over =
    result.passedOver.length === 0 ? [] : [`failed phases: ${result.passedOver.join(", ")}`];
  return [
    head,
    ...(hint === null ? [] : printable(hint).split("\n")),
    ...over,
    ...where,
    ...(rollbackCommand === null ? [] : [wayBack(rollbackCommand)]),
    ...(resumeCommand === null ? [] : [`resume with: ${resumeCommand}`]),
  ];
}

const PHASE_FAILED = /^phase (.+?) failed: (.*)$/s;

/** `failed: phase build (exit code 1)`, `interrupted by Ctrl+C`: the status is said once. */
function endText({ status, reason }: Pick<RunResult, "status" | "reason">, paint: Paint): string {
  const style = status === "paused" ? "yellow" : "red";
  const why = printable(reason ?? "");
  if (why === status || why.startsWith(`${status} `)) return paint(style, why);
  return `${paint(style, `${status}:`)} ${why.replace(PHASE_FAILED, "phase $1 ($2)")}`;
}
