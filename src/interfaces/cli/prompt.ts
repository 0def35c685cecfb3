/** Asks on the terminal. The end of the input is a no, Ctrl+C ends the command. */
import { createInterface, type Interface } from "node:readline";

/** Both ends must be a terminal: a question that nobody sees is none. */
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
  const prompt = openPrompt();
  if (prompt === undefined) return Promise.resolve(undefined);
  const close = (): void => prompt.close();
  signal?.addEventListener("abort", close, { once: true });
  return new Promise((resolve) => {
    let line: string | undefined;
    prompt.on("close", () => {
      signal?.removeEventListener("abort", close);
      resolve(line);
    });
    // Readline takes Ctrl+C for itself.
    prompt.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    if (signal?.aborted === true) close();
    else {
      prompt.question(question, (text) => {
        line = text;
        prompt.close();
      });
    }
  });
}

/** One of these words; undefined at the end of the input, at Ctrl+C, and when the signal says so. */
export function askWord<Word extends string>(
  question: string,
  words: readonly Word[],
  signal: AbortSignal,
): Promise<Word | undefined> {
  const prompt = openPrompt();
  if (prompt === undefined) return Promise.resolve(undefined);
  const close = (): void => prompt.close();
  signal.addEventListener("abort", close, { once: true });
  return new Promise((resolve) => {
    let answer: Word | undefined;
    const ask = (): void => {
      prompt.question(`${question} (${words.join(" / ")}): `, (text) => {
        answer = words.find((word) => word === text.trim().toLowerCase());
        if (answer === undefined) ask();
        else prompt.close();
      });
    };
    prompt.on("close", () => {
      signal.removeEventListener("abort", close);
      resolve(answer);
    });
    prompt.on("SIGINT", close);
    if (signal.aborted) close();
    else ask();
  });
}

/** True for the word itself and for nothing else. */
export function askYes(question: string): Promise<boolean> {
  const prompt = openPrompt();
  if (prompt === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    let isYes = false;
    prompt.on("close", () => resolve(isYes));
    // Readline takes Ctrl+C for itself.
    prompt.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    prompt.question(`${question} Type yes to go on: `, (answer) => {
      isYes = answer.trim().toLowerCase() === "yes";
      prompt.close();
    });
  });
}
