/** Asks on the terminal. The end of the input is a no, Ctrl+C ends the command. */
import { createInterface } from "node:readline";

/** Both ends must be a terminal: a question that nobody sees is none. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** True for the word itself and for nothing else. */
export function askYes(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
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
