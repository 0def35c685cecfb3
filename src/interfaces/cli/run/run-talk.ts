/** Tells what happens in a run: as JSON lines, as a live view, or as lines. */
import type { RunEvent } from "../../../domain/workflow/run-event.ts";
import type { NodeOutput } from "../../../operations/run/run-options.ts";
import type { RunResult } from "../../../operations/run/run-workflow.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { eventLines } from "./event-lines.ts";
import { elapsed } from "./elapsed.ts";
import { LiveView } from "./live-view.ts";
import { PassedOutput } from "./node-output.ts";
import { PatientStream } from "./patient-stream.ts";
import { RunPicture } from "./run-picture.ts";

export class RunTalk {
  readonly #output: Output;
  readonly #picture = new RunPicture(Date.now);
  readonly #view: LiveView | undefined;
  readonly #passed: PassedOutput | undefined;
  #durationMs = 0;

  constructor(output: Output, isPlain: boolean) {
    this.#output = output;
    const { json, quiet } = output.options;
    const { stderr } = process;
    const isLive = !json && !quiet && !isPlain && stderr.isTTY && process.env["TERM"] !== "dumb";
    if (isLive) {
      this.#view = new LiveView(stderr, (columns, rows) =>
        this.#picture.lines(columns, rows, output.paintTalk),
      );
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
    for (const { text, weight } of eventLines(event)) {
      if (weight === "warning") this.warn(text);
      else if (this.#view === undefined) this.#output.say(text);
      else if (weight === "remarkable") this.#view.above(printable(text));
    }
    this.#view?.draw();
  }

  passOn(output: NodeOutput): Promise<void> | undefined {
    return this.#passed?.add(output);
  }

  warn(text: string): void {
    if (this.#view === undefined) this.#output.warn(text);
    else this.#view.above(`${this.#output.paintTalk("yellow", "warning:")} ${printable(text)}`);
  }

  /** The terminal belongs to a question meanwhile. */
  aside<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#view === undefined ? work() : this.#view.aside(work);
  }

  stop(): void {
    this.#view?.end();
  }

  /** What came of it; the last line says how to go on. With --json the last event has said it. */
  conclude(result: RunResult): void {
    this.stop();
    if (this.#output.options.json) return;
    for (const line of closingLines(result, this.#durationMs, this.#output)) {
      process.stderr.write(`${line}\n`);
    }
  }
}

function closingLines(result: RunResult, durationMs: number, output: Output): string[] {
  const { status, reason, hint, sessionId, resumeCommand, rollbackCommand, checkpointId } = result;
  const paint = output.paintTalk;
  const isGood = status === "completed";
  if (isGood && output.options.quiet) return [];
  const took = durationMs === 0 ? "" : ` in ${elapsed(durationMs)}`;
  const head = isGood
    ? paint("green", `completed${took}: session ${sessionId}`)
    : `${paint(status === "paused" ? "yellow" : "red", `${status}:`)} ${printable(reason ?? "")}`;
  const where = checkpointId === null ? [] : [`checkpoint ${checkpointId}`];
  const over =
    result.passedOver.length === 0 ? [] : [`failed on the way: ${result.passedOver.join(", ")}`];
  return [
    head,
    ...(hint === null ? [] : printable(hint).split("\n")),
    ...over,
    ...where,
    ...(rollbackCommand === null ? [] : [`to roll back: ${rollbackCommand}`]),
    ...(resumeCommand === null ? [] : [`to resume:    ${resumeCommand}`]),
  ];
}
