/** A person at the terminal, asked at breakpoints and when a checkpoint cannot be taken. */
import { createInterface } from "node:readline";
import {
  CONTROL_NAMES,
  parseControl,
  type ControlCommand,
} from "../../../domain/workflow/control.ts";
import { CHECKPOINT_ANSWERS, type CheckpointAnswer } from "../../../domain/workflow/run-event.ts";
import type {
  Breakpoint,
  FailedCheckpoint,
  RunObserver,
} from "../../../operations/run/run-options.ts";
import { oneLine } from "../printable.ts";
import type { RunTalk } from "./run-talk.ts";

export class TerminalObserver implements RunObserver {
  readonly #talk: RunTalk;

  constructor(talk: RunTalk) {
    this.#talk = talk;
  }

  async atBreakpoint(at: Breakpoint, signal: AbortSignal): Promise<ControlCommand | undefined> {
    const next = at.next === null ? "the end" : at.next;
    const where = at.checkpointId === null ? "" : `, checkpoint ${at.checkpointId}`;
    return this.#talk.aside(() =>
      askLine(
        [
          `breakpoint: ${oneLine(at.phase)} is done${where}; next: ${oneLine(next)}`,
          "[Enter] goes on, *pause pauses, *help shows more",
        ],
        `${oneLine(at.phase)}> `,
        readControl,
        signal,
      ),
    );
  }

  async checkpointFailed(
    { failure, trigger }: FailedCheckpoint,
    signal: AbortSignal,
  ): Promise<CheckpointAnswer | undefined> {
    return this.#talk.aside(() =>
      askLine(
        [
          `the ${trigger} checkpoint could not be taken: ${oneLine(failure.message)}`,
          oneLine(failure.hint),
          "retry, skip (go on without it: what comes cannot be taken back to here), or pause",
        ],
        "checkpoint> ",
        readAnswer,
        signal,
      ),
    );
  }
}

type Heard<Answer> = { readonly answer: Answer } | { readonly say: string };

function readControl(text: string): Heard<ControlCommand> {
  const answer = parseControl(text);
  return answer === undefined ? { say: `here: [Enter], ${CONTROL_NAMES.join(", ")}` } : { answer };
}

function readAnswer(text: string): Heard<CheckpointAnswer> {
  const found = CHECKPOINT_ANSWERS.find((each) => each === text || `*${each}-cp` === text);
  if (text === "*pause") return { answer: "pause" };
  return found === undefined ? { say: "retry, skip or pause" } : { answer: found };
}

/** Asks until it is understood. Undefined at the end of the input, and when the question is over. */
function askLine<Answer>(
  lines: readonly string[],
  prompt: string,
  read: (text: string) => Heard<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (const line of lines) process.stderr.write(`${line}\n`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const close = (): void => asking.close();
  signal.addEventListener("abort", close, { once: true });
  return new Promise((resolve) => {
    let answer: Answer | undefined;
    const ask = (): void => {
      asking.question(prompt, (text) => {
        const found = read(text.trim());
        if ("say" in found) {
          process.stderr.write(`${found.say}\n`);
          ask();
          return;
        }
        answer = found.answer;
        asking.close();
      });
    };
    asking.on("close", () => {
      signal.removeEventListener("abort", close);
      resolve(answer);
    });
    // Readline takes Ctrl+C for itself.
    asking.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    if (signal.aborted) close();
    else ask();
  });
}
