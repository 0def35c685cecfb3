/** A person at the terminal, asked at breakpoints and when a checkpoint cannot be taken. */
import { parseControl, type ControlCommand } from "../../../domain/workflow/control.ts";
import { parseObserver, type ObserverCommand } from "../../../domain/workflow/observer-command.ts";
import { TRIGGER_WORDS } from "../../../domain/trigger-words.ts";
import { CHECKPOINT_ANSWERS, type CheckpointAnswer } from "../../../domain/workflow/run-event.ts";
import type {
  Breakpoint,
  FailedCheckpoint,
  RunObserver,
} from "../../../operations/run/run-options.ts";
import type { Observing } from "../observing.ts";
import type { Output } from "../output.ts";
import { oneLine } from "../printable.ts";
import { askLine } from "../prompt.ts";
import type { RunTalk } from "./run-talk.ts";

export class TerminalObserver implements RunObserver {
  readonly #talk: RunTalk;
  readonly #output: Output;
  readonly #observing: Observing;

  constructor(talk: RunTalk, output: Output, observing: Observing) {
    this.#talk = talk;
    this.#output = output;
    this.#observing = observing;
  }

  atBreakpoint(at: Breakpoint, signal: AbortSignal): Promise<ControlCommand | undefined> {
    const next = at.next === null ? "the end" : at.next;
    const where = at.checkpointId === null ? "" : `, checkpoint ${at.checkpointId}`;
    return this.#talk.aside(() => {
      this.#say(`breakpoint: ${oneLine(at.phase)} is done${where}; next: ${oneLine(next)}`);
      this.#say("[Enter] continues, *pause pauses, *help shows more");
      return this.#ask(`${oneLine(at.phase)}> `, signal, (command) => this.#decide(command));
    });
  }

  checkpointFailed(
    { failure, trigger }: FailedCheckpoint,
    signal: AbortSignal,
  ): Promise<CheckpointAnswer | undefined> {
    return this.#talk.aside(() => {
      this.#say(
        `no checkpoint could be created (${TRIGGER_WORDS[trigger]}): ${oneLine(failure.message)}`,
      );
      this.#say(oneLine(failure.hint));
      this.#say("retry, skip (risky: no rollback to this point), or pause; *help shows more");
      return this.#ask("checkpoint> ", signal, (_command, line) => Promise.resolve(answerOf(line)));
    });
  }

  /** Asks until something is decided; what else is said is carried out. Undefined at the end of the input. */
  async #ask<Answer>(
    prompt: string,
    signal: AbortSignal,
    decide: (command: ObserverCommand, line: string) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    for (;;) {
      const line = await askLine(prompt, signal);
      if (line === undefined) return undefined;
      const command = parseObserver(line);
      const answer = await decide(command, line.trim());
      if (answer !== undefined) return answer;
      if (command.kind === "control") this.#say("not possible here; *help lists the commands");
      else if (!DECIDED.has(command.kind)) await this.#observing.tryOut(command);
    }
  }

  /** Also with --quiet: an answer is awaited. */
  #say(line: string): void {
    this.#output.question([line]);
  }

  async #decide(command: ObserverCommand): Promise<ControlCommand | undefined> {
    switch (command.kind) {
      case "control": {
        const control = parseControl(command.text);
        const isAnswer =
          control?.kind === "retry_checkpoint" || control?.kind === "skip_checkpoint";
        return isAnswer ? undefined : control;
      }
      case "exit":
        return { kind: "pause" };
      case "resume":
        return { kind: "continue" };
      case "rollback":
      case "force":
        return this.#back(command.selector ?? "latest");
      default:
        return undefined;
    }
  }

  async #back(selector: string): Promise<ControlCommand | undefined> {
    try {
      const isAgreed = await this.#observing.agreesToRollBack(selector);
      if (isAgreed) return { kind: "rollback", selector };
      this.#say("nothing was changed");
    } catch (error) {
      this.#observing.tell(error);
    }
    return undefined;
  }
}

/** What was asked and answered in a question of its own. */
const DECIDED: ReadonlySet<ObserverCommand["kind"]> = new Set(["rollback", "force"]);

function answerOf(line: string): CheckpointAnswer | undefined {
  if (line === "*pause") return "pause";
  return CHECKPOINT_ANSWERS.find((each) => [each, each.slice(0, 1), `*${each}-cp`].includes(line));
}
