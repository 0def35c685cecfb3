/** The built server as a process, with what it writes as it is. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import type { TempRepository } from "../support/temp-repository.ts";

export class RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolved when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null }>;
  #stdout = "";
  #stderr = "";
  #waiting: (() => void)[] = [];

  constructor(repo: TempRepository, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, waymarkArguments(repo.root, "mcp", ...args), {
      env: { ...cliEnvironment(repo.env), ...env },
      cwd: repo.root,
    });
    this.child.stdout.on("data", (piece: Buffer) =>
      this.#hear(() => (this.#stdout += piece.toString())),
    );
    this.child.stderr.on("data", (piece: Buffer) =>
      this.#hear(() => (this.#stderr += piece.toString())),
    );
    // The server may end while something is being written to it.
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code) => this.#hear(() => resolve({ code })));
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Every whole line that it wrote, as JSON; throws when one is none. */
  get messages(): readonly Record<string, unknown>[] {
    const complete = this.#stdout.slice(0, this.#stdout.lastIndexOf("\n") + 1);
    return complete
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  send(message: Readonly<Record<string, unknown>>): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** As a client of 2025 begins. */
  async initialize(capabilities: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
    this.send({ id: "initialize", method: "initialize", params });
    await this.answerTo("initialize");
    this.send({ method: "notifications/initialized" });
  }

  async answerTo(id: string | number): Promise<Record<string, unknown>> {
    return this.until(() => this.messages.find((message) => message["id"] === id));
  }

  async until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.#stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #hear(note: () => void): void {
    note();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}

export async function withRawServer(
  repo: TempRepository,
  args: readonly string[],
  body: (server: RawServer) => Promise<void>,
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  const server = new RawServer(repo, args, env);
  try {
    await body(server);
  } finally {
    server.child.kill("SIGKILL");
    await server.ended;
  }
}
