/**
 * A conversation with a program that takes statements: ask, read the answer, ask again, all in one connection. The program
 * ends at its first error, and with this process: it reads the end of its input then, and what was not committed is gone.
 */
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { cannotStart, startTool, toolFailed, type Tool } from "./run-tool.ts";

interface Waiting {
  readonly token: string;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

export interface SessionWords {
  /** Makes the program print this text on a line of its own. */
  readonly print: (text: string) => string;
  /** Where its answers come. */
  readonly answersOn: "stdout" | "stderr";
}

export class ToolSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #words: SessionWords;
  #answer = "";
  #stderr = "";
  #waiting: Waiting | undefined;
  #end: Error | undefined;
  readonly #ended: Promise<void>;

  constructor(tool: Tool, words: SessionWords) {
    this.#words = words;
    this.#child = startTool(tool);
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (words.answersOn === "stdout") this.#read(text);
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-8192);
      if (words.answersOn === "stderr") this.#read(text);
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.on("error", (error) => this.#over(cannotStart(tool, error)));
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", () => resolve());
      this.#child.on("close", () => resolve());
    });
    this.#child.on("close", (_code, signal) => this.#over(toolFailed(tool, this.#stderr, signal)));
  }

  /** Everything that the program prints for these statements. */
  ask(statements: string): Promise<string> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const token = `waymark-${randomBytes(8).toString("hex")}`;
    const answered = new Promise<string>((resolve, reject) => {
      this.#waiting = { token, resolve, reject };
    });
    this.#stderr = "";
    this.#child.stdin.write(`${statements}\n${this.#words.print(token)}\n`);
    return answered;
  }

  /** Statements from a stream. */
  async feed(stream: Readable): Promise<void> {
    try {
      await pipeline(stream, this.#child.stdin, { end: false });
    } catch (error) {
      // The program ended: what it said is the reason.
      await this.ask("");
      throw error;
    }
  }

  /** What was not committed is gone. The program ends by itself, unless it is still at work. */
  close(): void {
    this.#child.stdin.end();
    if (this.#waiting !== undefined) this.#child.kill();
  }

  /** Closes, and waits until the program is gone. */
  closed(): Promise<void> {
    this.close();
    return this.#ended;
  }

  #read(text: string): void {
    this.#answer += text;
    const { token, resolve } = this.#waiting ?? {};
    if (token === undefined || resolve === undefined) return;
    const at = this.#answer.indexOf(token);
    if (at < 0) return;
    const answer = this.#answer.slice(0, at);
    this.#answer = "";
    this.#waiting = undefined;
    // The end of a line may come after the token that it ends.
    resolve(answer.trim());
  }

  #over(error: Error): void {
    this.#end ??= error;
    this.#waiting?.reject(this.#end);
    this.#waiting = undefined;
  }
}
