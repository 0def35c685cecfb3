/** The SDK's own client, connected to the built command line on stdio. */
import { Client, type ClientCapabilities, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import type { TempRepository } from "../support/temp-repository.ts";

export const ERAS = ["legacy", "modern"] as const;
export type Era = (typeof ERAS)[number];

/** What clients of an era ask the server for. */
export function eraOptions(era: Era): {
  versionNegotiation: { mode: "legacy" | { pin: string } };
} {
  return { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } };
}

export interface ToolReply {
  readonly isError: boolean;
  readonly document: unknown;
  readonly said: string;
}

export interface Asked {
  readonly message: string;
}

export interface ConnectOptions {
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly name?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What the user of the client answers; not given: the client cannot ask. */
  readonly onAsked?: (asked: Asked) => ElicitResult | Promise<ElicitResult>;
}

export class TestClient {
  readonly client: Client;
  readonly pid: number | null;

  constructor(client: Client, pid: number | null) {
    this.client = client;
    this.pid = pid;
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolReply> {
    const result = await this.client.callTool({ name, arguments: given });
    const [first] = result.content;
    return {
      isError: result.isError === true,
      document: result.structuredContent,
      said: first?.type === "text" ? first.text : "",
    };
  }

  /** The same, for calls that have to work. */
  async ok(name: string, given: Record<string, unknown> = {}): Promise<ToolReply> {
    const reply = await this.call(name, given);
    if (reply.isError) throw new Error(`${name} failed: ${reply.said}`);
    return reply;
  }

  /** The code of a refusal. */
  async refused(name: string, given: Record<string, unknown> = {}): Promise<string> {
    const reply = await this.call(name, given);
    if (!reply.isError) throw new Error(`${name} was not refused: ${reply.said}`);
    return text(reply.document, "error", "code");
  }
}

/** The token that came with a plan. */
export function tokenOf({ document }: ToolReply): string {
  const now = field(document, "plan_now");
  return text(now ?? document, "confirm_token");
}

export async function withClient(
  repo: TempRepository,
  options: ConnectOptions,
  body: (client: TestClient) => Promise<void>,
): Promise<void> {
  const { era = "legacy", name = "claude-code", onAsked } = options;
  const capabilities: ClientCapabilities = onAsked === undefined ? {} : { elicitation: {} };
  const client = new Client({ name, version: "1.0.0" }, { capabilities, ...eraOptions(era) });
  if (onAsked !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) =>
      Promise.resolve(onAsked({ message: params.message })),
    );
  }
  const transport = new StdioClientTransport(serverOf(repo, options));
  await client.connect(transport);
  try {
    await body(new TestClient(client, transport.pid));
  } finally {
    await client.close();
  }
}

/** What a client starts. */
export function serverOf(repo: TempRepository, { args = [], env = {} }: ConnectOptions) {
  return {
    command: process.execPath,
    args: waymarkArguments(repo.root, "mcp", ...args),
    env: plain({ ...cliEnvironment(repo.env), ...env }),
    stderr: "ignore",
  } as const;
}

function plain(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
