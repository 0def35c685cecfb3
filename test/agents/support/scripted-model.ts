/**
 * A model that answers from a script, on loopback: real agents run against it without a network. What it was asked is kept, so that a test can look at
 * what reached the model.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A tool as the agent calls it, and what it is called with. */
export interface ToolUse {
  readonly name: string;
  /** A text for tools that take no JSON. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** One answer of the model: tools to run, all in one answer, or text, which ends the turn. */
export type ModelStep = { readonly calls: readonly ToolUse[] } | { readonly text: string };

/** An answer, or what it is made from: the request, and whatever happens while the agent waits. */
export type ScriptedStep = ModelStep | ((request: ModelRequest) => Promise<ModelStep>);

/** What answers requests that are not the conversation (a title, a summary), and the conversation when the script is over. */
export const AFTERWARDS: ModelStep = { text: "Done." };

export interface ModelRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON, or undefined. */
  readonly body: unknown;
}

export interface ModelAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** How one kind of API asks and is answered. */
export interface ModelProtocol {
  /** What an agent that works with tools asks; everything else gets an answer that is not from the script. */
  isConversation(request: ModelRequest): boolean;
  /** `number` makes ids unique. */
  answer(step: ModelStep, request: ModelRequest, number: number): ModelAnswer;
  /** Answers to requests that are not for text at all, such as a list of models. */
  other?(request: ModelRequest): ModelAnswer | undefined;
}

export class ScriptedModel {
  readonly #server: Server;
  readonly #protocol: ModelProtocol;
  readonly #steps: ScriptedStep[];
  #answers = 0;
  readonly requests: ModelRequest[] = [];
  /** What a step of the script threw. */
  failure: Error | undefined;

  constructor(protocol: ModelProtocol, script: readonly ScriptedStep[]) {
    this.#protocol = protocol;
    this.#steps = [...script];
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests of the conversation, oldest first. */
  get conversation(): readonly ModelRequest[] {
    return this.requests.filter((request) => this.#protocol.isConversation(request));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // An agent that is killed while it asks needs no answer.
      return;
    }
    const request = {
      method: incoming.method ?? "GET",
      path: incoming.url ?? "/",
      body: parse(Buffer.concat(chunks)),
    };
    this.requests.push(request);
    const answer = await this.#answer(request).catch((error: unknown) => {
      this.failure = new Error("a step of the script failed", { cause: error });
      return undefined;
    });
    response.writeHead(answer === undefined ? 404 : 200, {
      "content-type": answer?.contentType ?? "application/json",
    });
    response.end(answer?.body ?? "{}");
  }

  async #answer(request: ModelRequest): Promise<ModelAnswer | undefined> {
    const other = this.#protocol.other?.(request);
    if (other !== undefined) return other;
    if (request.method !== "POST") return undefined;
    const step = this.#protocol.isConversation(request) ? this.#steps.shift() : undefined;
    this.#answers += 1;
    const number = this.#answers;
    const answer = typeof step === "function" ? await step(request) : step;
    return this.#protocol.answer(answer ?? AFTERWARDS, request, number);
  }
}

/** Server-sent events: how all of these APIs stream. */
export function eventStream(
  events: readonly { readonly event?: string; readonly data: unknown }[],
): ModelAnswer {
  const lines = events.map(({ event, data }) => {
    const name = event === undefined ? "" : `event: ${event}\n`;
    return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  });
  return { contentType: "text/event-stream", body: lines.join("") };
}

export function jsonAnswer(document: unknown): ModelAnswer {
  return { contentType: "application/json", body: JSON.stringify(document) };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
