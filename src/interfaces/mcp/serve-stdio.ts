/** Serves one client on stdin and stdout, in both eras of the protocol. */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { McpHost } from "./host.ts";
import { LineLimit } from "./line-limit.ts";
import { makeServer } from "./make-server.ts";

/** A state may be large; a message is larger than that by mistake. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Tells when the connection is over: the client closed its side, or sent what nobody can read. */
class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void;

  constructor(onEnd: () => void, onTooLong: () => void) {
    // Lines that are too long are gone by then; the rest of the buffer is what came with the next one.
    const input = process.stdin.pipe(new LineLimit(MOST_BYTES, onTooLong));
    super(input, process.stdout, { maxBufferSize: 2 * MOST_BYTES });
    this.#onEnd = onEnd;
  }

  override async close(): Promise<void> {
    process.stdin.unpipe();
    process.stdin.pause();
    await super.close();
    this.#onEnd();
  }
}

export interface Serving {
  /** Resolved when there is nobody to serve any more. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

export function serveOnStdio(host: McpHost): Serving {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const handle = serveStdio(() => makeServer(host), {
    transport: new EndingTransport(
      () => end(),
      () => host.log(`a message of more than ${MOST_BYTES} bytes was ignored`),
    ),
    onerror: (error) => host.log(error.message),
  });
  return { ended, close: () => handle.close() };
}
