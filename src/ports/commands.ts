/**
 * Runs commands of the user, whatever they are.
 *
 * Obligations: what a command writes arrives unchanged and as it is written; a command that has to stop is asked first and
 * killed when it does not listen, with everything that it started; its end is told as a shell tells it.
 */

/** A program with its arguments, or a line for the user's shell. */
export type Command =
  | { readonly kind: "program"; readonly words: readonly [string, ...string[]] }
  | { readonly kind: "shell"; readonly line: string };

export interface CommandOrder {
  readonly command: Command;
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** inherit: it reads what this process would read. */
  readonly stdin: "inherit" | "none";
  /** Where its stdout goes: to ours, or to stderr where ours is for something else. */
  readonly stdout: "stdout" | "stderr";
  /**
   * How many bytes of the end of its output to give back. 0: the output does not pass through this process at all. What a
   * command with `inherit` writes to a terminal never does: such a command may be one that people work with.
   */
  readonly keepOutput: number;
  /** Given: what it writes comes here as it is written, and goes nowhere else. Nothing more is read of it while a promise is open. */
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void> | undefined;
  /** Called as soon as the command itself has ended: what it started may go on, and its output still be on the way. */
  readonly onExit?: () => void;
  /** Aborted: the command and all that it started has to end. The reason `SIGINT` asks it as Ctrl+C does. */
  readonly signal: AbortSignal;
}

export type CommandEnd =
  | {
      readonly kind: "ended";
      /** 128 and the number of the signal for one that was killed. */
      readonly exitCode: number;
      readonly signal: string | null;
      /** The end of what it wrote, as far as it was asked for. */
      readonly output: Uint8Array;
    }
  | {
      /** Nothing ran. */
      readonly kind: "not_started";
      readonly problem: string;
    };

export interface Commands {
  run(order: CommandOrder): Promise<CommandEnd>;
  /** Names the commands that are run here, also for a process that comes after this one. */
  name(): Promise<string>;
  /**
   * Ends what the commands that were run here left running in the background; says how many that were. With a name: those of a
   * process that is gone.
   */
  endLeftOvers(name?: string): Promise<number>;
  /** Processes, whoever started them, that have this folder or one below it as their own. Empty where nobody can tell. */
  workingIn(folder: string): Promise<number[]>;
}
