/**
 * Serves clients of this machine over HTTP. Whoever asks needs the token, comes from this machine, and is no web page: the name in `Host` and
 * the page in `Origin` are checked, so that a name that somebody points at 127.0.0.1 opens nothing.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Failure } from "../../domain/failure.ts";
import type { McpHost } from "./host.ts";
import { makeServer } from "./make-server.ts";
import type { Serving } from "./serve-stdio.ts";

const ADDRESS = "127.0.0.1";
const PATH = "/mcp";
const MOST_BYTES = 4 * 1024 * 1024;
const TOKEN_BYTES = 32;
/** As long as a random one of 128 bits. */
const SHORTEST_TOKEN = 22;
/** Whoever connects and says nothing is not waited for. */
const HEADERS_TIMEOUT_MS = 10_000;

export interface HttpServing extends Serving {
  readonly url: string;
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

export function refuseWeakToken(token: string): void {
  if (token.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(token)) return;
  throw new Failure(
    "usage",
    "WAYMARK_MCP_TOKEN is too short, or has characters that are not allowed in a header",
    {
      hint: `Give at least ${SHORTEST_TOKEN} letters, digits and signs, or unset it to have one generated.`,
    },
  );
}

export async function serveOnHttp(
  host: McpHost,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<HttpServing> {
  const handler = createMcpHandler(() => makeServer(host), {
    maxRequestBodySize: MOST_BYTES,
    onerror: (error) => host.log(error.message),
  });
  const answer = toNodeHandler(handler, {
    maxRequestBodySize: MOST_BYTES,
    onerror: (error) => host.log(error.message),
  });
  const isFromHere = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (!isFromHere.every((check) => check(request, response))) return;
    if (!isAllowed(request, token)) {
      refuse(response, 401, "Unauthorized: send the token as `Authorization: Bearer TOKEN`.", {
        "www-authenticate": 'Bearer realm="waymark"',
      });
      return;
    }
    const { method = "GET", url = "/" } = request;
    if (url.split("?", 1)[0] !== PATH) {
      refuse(response, 404, `Not found: the server is at ${PATH}.`);
      return;
    }
    answer(Object.assign(request, { method, url }), response).catch((error: unknown) =>
      host.log(String(error)),
    );
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  const bound = await new Promise<number>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, error)));
    server.listen(port, ADDRESS, () => resolve(portOf(server.address())));
  });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    url: `http://${ADDRESS}:${bound}${PATH}`,
    ended,
    close: async () => {
      await handler.close();
      server.close(() => end());
      server.closeAllConnections();
    },
  };
}

function portOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Compared as digests, so that neither the length nor the first wrong character tells anything by the time it takes. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  const error = { code: -32_000, message };
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function cannotListen(port: number, error: NodeJS.ErrnoException): Failure {
  return new Failure("io_failed", `port ${port} of ${ADDRESS} cannot be used: ${error.message}`, {
    hint: "Choose another port, or omit it to use a free one.",
    cause: error,
  });
}
