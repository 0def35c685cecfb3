/** Serves one client on stdin and stdout, in both eras of the protocol. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { EndingTransport } from "./ending-transport.ts";
import type { McpHost } from "./host.ts";
import { makeServer } from "./make-server.ts";

export interface Serving {
  /** Resolved when there is nobody to serve any more. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

export function serveOnStdio(host: McpHost): Serving {
  const { calls, log } = host;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const handle = serveStdio(() => makeServer(host), {
    transport: new EndingTransport({ calls, log, onEnd: () => end() }),
    onerror: (error) => log(error.message),
  });
  return { ended, close: () => handle.close() };
}
