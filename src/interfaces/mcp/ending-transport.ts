/** The connection on stdin and stdout. When the client has closed its side, what it had asked for before is answered first. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { LineLimit } from "./line-limit.ts";
import type { RunningCalls } from "./running-calls.ts";

/** A state may be large; a message is larger than that by mistake. */
const MOST_BYTES = 16 * 1024 * 1024;

/** How often it is looked whether everything is answered. */
const LOOK_MS = 20;
/** Of looks without any call under way. The protocol may leave a request without an answer, and a server without a client has to end. */
const MOST_IDLE_LOOKS = 250;

/** The codes of JSON-RPC, and one that it leaves to servers. */
const NO_JSON = -32_700;
const CLIENT_IS_GONE = -32_000;

export interface Connection {
  readonly calls: RunningCalls;
  readonly log: (line: string) => void;
  /** Called when it is over: the client closed its side, or nothing can be written to it or read from it. */
  readonly onEnd: () => void;
}

export class EndingTransport extends StdioServerTransport {
  readonly #connection: Connection;
  /** What the client asked and nobody has answered yet. Clients may use an id twice. */
  #open: RequestId[] = [];
  /** What the client was asked and has not answered yet. */
  readonly #asked = new Set<RequestId>();
  #isInputOver = false;
  #isClosed = false;

  constructor(connection: Connection) {
    // Lines that are too long are gone by then; the rest of the buffer is what came with the next one.
    const input = process.stdin.pipe(
      new LineLimit(MOST_BYTES, {
        onTooLong: () => connection.log(`a message of more than ${MOST_BYTES} bytes was ignored`),
        onNoJson: () => process.stdout.write(`${NO_JSON_ANSWER}\n`),
      }),
    );
    super(input, process.stdout, { maxBufferSize: 2 * MOST_BYTES });
    this.#connection = connection;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- no EventTarget: the protocol's interface has this one place
    this.onmessage = (message) => {
      this.#hear(message);
      deliver?.(message);
    };
    this._onstdinclose = () => void this.#endOfInput();
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) this.#ask(message.id);
    const sent = super.send(message);
    if (!("method" in message)) this.#settle(message.id);
    await sent;
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    process.stdin.unpipe();
    process.stdin.pause();
    await super.close();
    this.#connection.onEnd();
  }

  #hear(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      // Answered when the connection ends, and not before.
      if (message.method !== "subscriptions/listen") this.#open.push(message.id);
    } else if (!isJSONRPCNotification(message)) {
      if (message.id !== undefined) this.#asked.delete(message.id);
    } else if (message.method === "notifications/cancelled") {
      this.#settle(message.params?.["requestId"]);
    }
  }

  #settle(id: unknown): void {
    const at = this.#open.findIndex((open) => open === id);
    if (at >= 0) this.#open.splice(at, 1);
  }

  /** A question to a client that no longer answers is answered here, so that nothing waits for it. */
  #ask(id: RequestId): void {
    this.#asked.add(id);
    if (this.#isInputOver) setImmediate(() => this.#refuseAsked());
  }

  #refuseAsked(): void {
    const error = { code: CLIENT_IS_GONE, message: "the client has closed its side" };
    for (const id of this.#asked) this.onmessage?.({ jsonrpc: "2.0", id, error });
  }

  async #endOfInput(): Promise<void> {
    if (this.#isInputOver) return;
    this.#isInputOver = true;
    const { calls } = this.#connection;
    calls.clientIsGone();
    this.#refuseAsked();
    let looks = MOST_IDLE_LOOKS;
    while (this.#open.length > 0 && !this.#isClosed && looks > 0) {
      looks = calls.areRunning ? MOST_IDLE_LOOKS : looks - 1;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await this.close();
  }
}

/** Nobody knows whose it is: JSON-RPC says null then. */
const NO_JSON_ANSWER = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: NO_JSON, message: "Parse error: a line that is not JSON was ignored" },
});
