/** Asks on the terminal. The end of the input is no answer, and neither is Ctrl+C or Esc at a question. */
import { createInterface, type Interface } from "node:readline";

/** Both ends must be a terminal: nobody answers a question that is not seen. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Undefined: the terminal was closed a moment ago, which is the end of the input. */
function openPrompt(): Interface | undefined {
  let prompt: Interface;
  try {
    prompt = createInterface({ input: process.stdin, output: process.stderr });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return undefined;
    throw error;
  }
  // Of a terminal that was closed the end of the input tells; that its mode cannot be set back is of no interest.
  prompt.on("error", () => undefined);
  return prompt;
}

/** One line; undefined at the end of the input, and when the signal says so. Ctrl+C is what it always is. */
export function askLine(question: string, signal?: AbortSignal): Promise<string | undefined> {
  return ask(question, { signal, canCancel: false });
}

/** One line; undefined also after Ctrl+C and Esc. */
export function askAnswer(question: string, signal?: AbortSignal): Promise<string | undefined> {
  return ask(question, { signal, canCancel: true });
}

/** True for `y` and `yes`. */
export async function askYes(question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await askAnswer(`${question} [y/N] `, signal);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

interface Asking {
  readonly signal: AbortSignal | undefined;
  /** Ctrl+C and Esc answer the question; otherwise Ctrl+C interrupts the command. */
  readonly canCancel: boolean;
}

function ask(question: string, { signal, canCancel }: Asking): Promise<string | undefined> {
  const prompt = openPrompt();
  if (prompt === undefined) return Promise.resolve(undefined);
  const close = (): void => prompt.close();
  const closeOnEscape = (_: string, key: { readonly name?: string } | undefined): void => {
    if (canCancel && key?.name === "escape") close();
  };
  signal?.addEventListener("abort", close, { once: true });
  process.stdin.on("keypress", closeOnEscape);
  return new Promise((resolve) => {
    let line: string | undefined;
    prompt.on("close", () => {
      signal?.removeEventListener("abort", close);
      process.stdin.off("keypress", closeOnEscape);
      // What is printed next begins on a line of its own.
      if (line === undefined && canCancel) process.stderr.write("\n");
      resolve(line);
    });
    // Readline takes Ctrl+C for itself.
    prompt.on("SIGINT", canCancel ? close : () => process.kill(process.pid, "SIGINT"));
    if (signal?.aborted === true) close();
    else {
      prompt.question(question, (text) => {
        line = text;
        prompt.close();
      });
    }
  });
}
