/** A line that the user types below a live view, while the view is drawn again and again. */
import { createInterface, type Interface } from "node:readline";

export interface TypedLine {
  readonly text: string;
  /** How many lines of the terminal the prompt takes, with the end of the line that the user typed. */
  readonly rows: number;
}

export class LivePrompt {
  readonly #prompt: string;
  #readline: (Interface & { prevRows?: number }) | undefined;
  #history: string[] = [];

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /** Lines of the terminal between the first one of the prompt and the cursor. */
  get rows(): number {
    return this.#readline?.getCursorPos().rows ?? 0;
  }

  /** At the cursor, which is at the beginning of a free line. */
  draw(): void {
    if (this.#readline === undefined) return;
    // Readline would go up to where the prompt was before the view was drawn.
    this.#readline.prevRows = 0;
    this.#readline.prompt(true);
  }

  /** Undefined: the user wants to leave (Ctrl+C, Ctrl+D, the terminal was closed). */
  read(): Promise<TypedLine | undefined> {
    const { stdin: input, stderr: output } = process;
    const history = this.#history;
    const readline = createInterface({ input, output, prompt: this.#prompt, history });
    this.#readline = readline;
    readline.on("error", () => undefined);
    return new Promise((resolve) => {
      const end = (line: TypedLine | undefined): void => {
        resolve(line);
        if (this.#readline === undefined) return;
        this.#readline = undefined;
        readline.close();
      };
      readline.on("history", (lines) => (this.#history = [...lines]));
      readline.on("line", (text) => {
        const columns = process.stderr.columns || 80;
        const rows = 1 + Math.floor((this.#prompt.length + text.length) / columns);
        end({ text, rows });
      });
      readline.on("SIGINT", () => end(undefined));
      readline.on("close", () => end(undefined));
      this.draw();
    });
  }
}
